//! What people and programs see: data on standard output, talk on standard error, colours only on a terminal.

use selfsame::progress::{Progress, Unit, Watch};
use selfsame::time::{Time, Zone};
use selfsame_daemon::Failure;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How to print.
pub(crate) struct Output {
    json: bool,
    color: bool,
}

/// What a word is, which decides its colour.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { json, color: io::stdout().is_terminal() && !crate::env::no_color() }
    }

    /// For tests: without colours, and with.
    #[cfg(test)]
    pub(crate) fn plain() -> Output {
        Output { json: false, color: false }
    }

    #[cfg(test)]
    pub(crate) fn coloured() -> Output {
        Output { json: false, color: true }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// The reply as it is for programs, or in words for people.
    pub(crate) fn reply<T: Serialize>(&self, reply: &T, words: impl FnOnce(&Output) -> String) {
        let text = match self.json {
            true => serde_json::to_string_pretty(reply).unwrap_or_default() + "\n",
            false => words(self),
        };
        self.print(&text);
    }

    /// Data, as it is.
    pub(crate) fn print(&self, text: &str) {
        // A reader that has seen enough closes the pipe: no reason to complain.
        let _ = io::stdout().write_all(text.as_bytes());
        let _ = io::stdout().flush();
    }

    /// Talk.
    pub(crate) fn say(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// How far something long is: on one line that is written over, and only for somebody who watches.
    pub(crate) fn progress(&self, text: &str) {
        if io::stderr().is_terminal() {
            write_over(text);
        }
    }

    /// Does something of which nobody knows how long it takes. After a second, whoever watches sees that it goes on.
    pub(crate) fn waiting<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        self.watching(what, |_| work())
    }

    /// The same of something that tells how far it is: as soon as it does, a bar is seen instead.
    pub(crate) fn watching<T>(&self, what: &str, work: impl FnOnce(&Watch) -> T) -> T {
        if self.json || !io::stderr().is_terminal() {
            return work(&Watch::default());
        }
        let line = Arc::new(Mutex::new(Line::default()));
        let told = Arc::clone(&line);
        let watch = Watch::new(move |progress| locked(&told).tell(bar_of(progress)));
        let began = Instant::now();
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let goes_on = |pause| matches!(is_done.recv_timeout(pause), Err(RecvTimeoutError::Timeout));
                let mut turns = "|/-\\".chars().cycle();
                let mut pause = Duration::from_secs(1);
                while goes_on(pause) {
                    let waited = format!("{what}, {} s", began.elapsed().as_secs());
                    locked(&line).turn(turns.next().unwrap_or(' '), &waited);
                    pause = Duration::from_millis(200);
                }
                if locked(&line).mark.is_some() {
                    self.end_progress();
                }
            });
            let outcome = work(&watch);
            drop(done);
            outcome
        })
    }

    /// Takes the line away.
    pub(crate) fn end_progress(&self) {
        self.progress("");
    }

    /// Names what a list went on without, for people; programs find it in the reply.
    pub(crate) fn left_out(&self, damaged: &[String]) {
        if !damaged.is_empty() && !self.json {
            let names = damaged.join(", ");
            self.say(&format!("left out because they are damaged: {names} (run `selfsame verify`)"));
        }
    }

    /// Says something beside the reply, for people; programs find it in the reply.
    pub(crate) fn note(&self, text: &str) {
        if !self.json {
            self.say(text);
        }
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let problem = serde_json::json!({ "error": { "code": failure.code, "detail": failure.detail } });
            self.say(&problem.to_string());
        } else {
            self.say(&format!("error: {}", failure.detail));
        }
    }

    /// The words in their colour, or plain. Of several lines each is painted by itself, from its first letter on: a colour
    /// never runs over the edge.
    pub(crate) fn paint(&self, tone: Tone, words: &str) -> String {
        let code = match tone {
            _ if !self.color => return words.to_owned(),
            Tone::Plain => return words.to_owned(),
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Bad => "31",
        };
        let line = |line: &str| {
            let bare = line.trim_start_matches(' ');
            let edge = &line[..line.len() - bare.len()];
            if bare.is_empty() { line.to_owned() } else { format!("{edge}\x1b[{code}m{bare}\x1b[0m") }
        };
        words.split('\n').map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The log goes to standard error, of every command: what an internal failure says stands nowhere else. No content of
/// a mind is ever in it.
pub(crate) fn start_log(level: &str) {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::new(format!("warn,selfsame={level},selfsame_daemon={level}"));
    // A second subscriber is refused, and the first is as good.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && !crate::env::no_color())
        .try_init();
}

/// Rows in columns that line up, two spaces apart. Cells are what is shown: no colours in them.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            write!(line, "{cell:width$}  ").unwrap_or_default();
        }
        writeln!(text, "{}", line.trim_end()).unwrap_or_default();
    }
    text
}

/// A number with its noun: one memory, two memories.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Stored text on one line, with nothing in it that could move the cursor or turn the reading order.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let dangerous = character.is_control()
                || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            match character {
                '\n' | '\r' | '\t' => vec![' '],
                _ if dangerous => character.escape_unicode().collect(),
                _ => vec![character],
            }
        })
        .collect()
}

/// The date of a moment as the wire has it.
pub(crate) fn date(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

/// A moment of the wire as a clock in that zone shows it, to the minute.
pub(crate) fn local_minute(moment: &str, zone: &str) -> String {
    match (Time::parse(moment), Zone::parse(zone)) {
        (Ok(time), Ok(zone)) => zone.local(time).strftime("%Y-%m-%d %H:%M").to_string(),
        _ => moment.to_owned(),
    }
}

/// Columns of a line that is meant to be read.
const WIDTH: usize = 80;

/// Stored text that may have several lines, each of them harmless.
pub(crate) fn harmless_lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

/// A space at which no line ends.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// How many columns a text takes on a terminal: the codes that colour it take none.
pub(crate) fn visible(text: &str) -> usize {
    let mut letters = text.chars();
    let mut width = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                letters.by_ref().find(char::is_ascii_alphabetic);
            }
            _ => width += 1,
        }
    }
    width
}

/// Lines that fit a narrow terminal, each that far from the edge. What has no space in it stays whole.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let lines = text.lines().flat_map(|line| filled(line.split(' '), " ", indent));
    lines.collect::<Vec<_>>().join("\n").replace(NO_BREAK, " ")
}

/// Facts beside each other, two spaces apart, in lines that fit: a line ends between two facts, and within one only if it
/// is wider than a line.
pub(crate) fn flowing<'f>(facts: impl IntoIterator<Item = &'f str>, indent: usize) -> String {
    let facts = facts.into_iter().filter(|fact| !fact.is_empty());
    let lines = filled(facts, "  ", indent);
    let fits = |line: &String| visible(line) <= WIDTH;
    let lines =
        lines.into_iter().map(|line| if fits(&line) { line } else { wrapped(line.trim_start(), indent) });
    lines.collect::<Vec<_>>().join("\n")
}

/// Pieces in lines, as many in each as fit.
fn filled<'p>(pieces: impl Iterator<Item = &'p str>, between: &str, indent: usize) -> Vec<String> {
    let edge = " ".repeat(indent);
    let (mut lines, mut line) = (Vec::new(), String::new());
    for piece in pieces {
        let width = indent + visible(&line) + between.len() + visible(piece);
        if !line.is_empty() && width > WIDTH {
            lines.push(edge.clone() + &std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line += between;
        }
        line += piece;
    }
    lines.push(edge + &line);
    lines
}

/// A word, and beside it what is said about it, on as many lines as that takes. The words may be painted.
pub(crate) fn row(word: &str, said: &str, indent: usize) -> String {
    let body = wrapped(said, indent);
    format!("{word}{}{}\n", " ".repeat(indent.saturating_sub(visible(word))), body.trim_start_matches(' '))
}

/// Words, and a remark behind them, or below where there is no room. Both may be painted.
pub(crate) fn remarked(words: &str, remark: &str, indent: usize) -> String {
    let last = words.lines().last().unwrap_or_default();
    match remark {
        "" => words.to_owned(),
        _ if visible(last) + 2 + visible(remark) <= WIDTH => format!("{words}  {remark}"),
        _ => format!("{words}\n{}{remark}", " ".repeat(indent)),
    }
}

/// Writes over the line that is there.
fn write_over(text: &str) {
    let _ = write!(io::stderr(), "\r\x1b[K{text}");
}

/// The line that whoever watches sees of something long.
#[derive(Default)]
struct Line {
    /// How it turned last; nothing: it is not seen yet.
    mark: Option<char>,
    /// How far it is, if that was told.
    bar: Option<String>,
}

impl Line {
    /// It goes on, however far it is.
    fn turn(&mut self, mark: char, waited: &str) {
        self.mark = Some(mark);
        write_over(&format!("{mark} {}", self.bar.as_deref().unwrap_or(waited)));
    }

    /// It is further.
    fn tell(&mut self, bar: String) {
        if self.bar.as_ref() == Some(&bar) {
            return;
        }
        if let Some(mark) = self.mark {
            write_over(&format!("{mark} {bar}"));
        }
        self.bar = Some(bar);
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far something is, on one line that fits a narrow terminal.
pub(crate) fn bar_of(progress: Progress<'_>) -> String {
    const LENGTH: u64 = 30;
    let Progress { what, done, total, unit } = progress;
    let amount = |number| match unit {
        Unit::Bytes => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{number} {}", unit.as_str()),
    };
    match total.filter(|total| *total > 0) {
        Some(total) => {
            let part = |of: u64| (u128::from(done) * u128::from(of) / u128::from(total)).min(of.into());
            let full = part(LENGTH) as usize;
            let (full, empty) = ("#".repeat(full), ".".repeat(LENGTH as usize - full));
            format!("{what} [{full}{empty}] {:>3} % of {}", part(100), amount(total))
        }
        None => format!("{what} {}", amount(done)),
    }
}

/// How far something goes, of the most that it can: for the eye, beside the number.
pub(crate) fn bar(share: f64) -> String {
    const LENGTH: usize = 10;
    let full = ((share.clamp(0.0, 1.0) * LENGTH as f64).round() as usize).min(LENGTH);
    "█".repeat(full) + &"░".repeat(LENGTH - full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_takes_no_room() {
        let painted = Output::coloured().paint(Tone::Bad, "two contested");
        assert_eq!((painted.len(), visible(&painted)), (22, 13));
        let long = format!("{} {painted}", "word ".repeat(14).trim_end());
        assert_eq!(long.matches("\x1b[").count(), 2);
        let plain = long.replace("\x1b[31m", "").replace("\x1b[0m", "");
        let lines = |text: &str| wrapped(text, 4).lines().map(visible).collect::<Vec<_>>();
        assert_eq!(lines(&long), lines(&plain), "it breaks where it would break without");
        assert_eq!(lines(&plain), [77, 13]);
    }

    #[test]
    fn every_line_is_painted_by_itself() {
        let painted = Output::coloured().paint(Tone::Faint, "  one\n\n  two");
        assert_eq!(painted, "  \x1b[2mone\x1b[0m\n\n  \x1b[2mtwo\x1b[0m");
        assert_eq!(Output::plain().paint(Tone::Faint, "  one\n  two"), "  one\n  two");
    }

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        let bar = |done, total, unit| bar_of(Progress { what: "copying", done, total, unit });
        assert_eq!(
            bar(0, Some(1200), Unit::Rows),
            format!("copying [{}]   0 % of 1200 rows", ".".repeat(30))
        );
        let half = format!("copying [{}{}]  50 % of 1200 rows", "#".repeat(15), ".".repeat(15));
        assert_eq!(bar(600, Some(1200), Unit::Rows), half);
        let whole = format!("copying [{}] 100 % of 23.4 MB", "#".repeat(30));
        assert_eq!(bar(23_400_000, Some(23_400_000), Unit::Bytes), whole);
        assert_eq!(bar(5, Some(4), Unit::Rows), format!("copying [{}] 100 % of 4 rows", "#".repeat(30)));
        assert_eq!(bar(7, None, Unit::Texts), "copying 7 texts");
        assert_eq!(bar(0, Some(0), Unit::Items), "copying 0 items", "nothing is neither half nor full");
        assert!(visible(&bar(u64::MAX, Some(u64::MAX), Unit::Items)) <= WIDTH);
    }

    #[test]
    fn facts_stay_whole_as_long_as_they_fit() {
        let id = "obs_01m7p3dt0geak8mz60zw4s3bzv";
        let facts = ["Maya/database", "confidence 0.67", "", "1 for, 1 against", "last said 2026-11-18", id];
        assert_eq!(
            flowing(facts, 2),
            format!("  Maya/database  confidence 0.67  1 for, 1 against  last said 2026-11-18\n  {id}")
        );
        let long = "a fact that is as wide as two lines and is broken between two of its words all the same";
        assert!(flowing([long], 2).lines().all(|line| visible(line) <= WIDTH));
    }
}
