//! The README and the book under `docs/`, lived through as a reader would: every command in a `console` block is typed, in
//! order, and must answer as the page says. Ids are followed (what a page names `mem_1..` is whatever was made here), moments
//! and measurements are not compared.
//!
//! How a block is meant stands behind its language: `console` continues the mind of the page, `console fresh` begins a new
//! one, and with `varies` what it answers depends on the hour or the machine. All must succeed. A word `...` stands for words or
//! lines that are left out, because they depend on the hour or are of no interest. In a `console served` block a daemon is
//! running from the command `selfsame serve &` to the end of the block, on a free port that the page calls by the usual
//! address. Blocks of `sh` need what a test has not (a server elsewhere, another program): of those each `selfsame` command must
//! be one that there is. With `SELFSAME_BOOK_WRITE=1` the pages are written anew from what is answered, but for what varies; with
//! `SELFSAME_BOOK_WRITE=all` that too.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use tempfile::TempDir;

/// Stands for words or lines that a page leaves out.
const LEFT_OUT: &str = "...";

/// Where pages say that the daemon is: the default of `server.address`.
const USUAL_ADDRESS: &str = "127.0.0.1:4177";

/// Where pages say that the program is.
const USUAL_PROGRAM: &str = "/usr/local/bin/selfsame";

/// How a page starts the daemon.
const SERVE: &str = "selfsame serve &";

/// What the last line begins with that a daemon says when it starts.
const LAST_WORD: &str = "stop";

/// Programs other than ours that pages name in `sh` blocks.
const NEIGHBOURS: &[&str] = &[
    "cargo",
    "curl",
    "docker",
    "export",
    "git",
    "ollama",
    "psql",
    "pg_dump",
    "systemctl",
    "launchctl",
    "claude",
    "codex",
    "python3",
    "CREATE",
    "journalctl",
    "cd",
    "mkdir",
    "cp",
];

#[test]
fn the_readme_is_true() {
    Page::open("README.md").live();
}

#[test]
fn the_book_is_true() {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    assert!(!pages.is_empty());
    for page in pages {
        Page::open(page.strip_prefix(repository()).unwrap().to_str().unwrap()).live();
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A page, line by line.
struct Page {
    path: PathBuf,
    lines: Vec<String>,
}

impl Page {
    fn open(name: &str) -> Page {
        let path = repository().join(name);
        let lines = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
        Page { path, lines }
    }

    /// Does what the page says, and compares.
    fn live(self) {
        let mut mind = Reader::new();
        let (mut written, mut wrong) = (Vec::new(), Vec::new());
        let mut lines = self.lines.iter();
        while let Some(line) = lines.next() {
            written.push(line.clone());
            let Some(kind) = line.strip_prefix("```").map(str::trim).filter(|kind| !kind.is_empty()) else {
                // A block without a language, or text.
                continue;
            };
            let block: Vec<&String> = lines.by_ref().take_while(|line| *line != "```").collect();
            let words: Vec<&str> = kind.split(' ').collect();
            match words[0] {
                "console" => {
                    if words.contains(&"fresh") {
                        mind = Reader::new();
                    }
                    let starts_daemon = block.iter().any(|line| line.strip_prefix("$ ") == Some(SERVE));
                    if starts_daemon != words.contains(&"served") {
                        wrong.push(format!("{kind}: a block that says `{SERVE}` is `served`, and no other"));
                    }
                    mind.type_in(&block, words.contains(&"varies"), &mut written, &mut wrong);
                    mind.daemon = None;
                }
                "sh" => {
                    wrong.extend(mind.check_by_name(&block));
                    written.extend(block.into_iter().cloned());
                }
                _ => written.extend(block.into_iter().cloned()),
            }
            written.push("```".into());
        }
        if std::env::var_os("SELFSAME_BOOK_WRITE").is_some() {
            fs::write(&self.path, written.join("\n") + "\n").unwrap();
            return;
        }
        assert!(wrong.is_empty(), "{} is not true:\n\n{}", self.path.display(), wrong.join("\n\n"));
    }
}

/// Somebody at a terminal with the page in front of them.
struct Reader {
    home: TempDir,
    /// What the page calls something, and what it is called here.
    ids: BTreeMap<String, String>,
    /// While a block is served.
    daemon: Option<Served>,
}

/// A daemon of the reader's, which goes when this is dropped.
struct Served {
    process: Child,
    address: String,
    // Kept open: the daemon may say more.
    _said: BufReader<ChildStdout>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Reader {
    fn new() -> Reader {
        Reader { home: tempfile::tempdir().unwrap(), ids: BTreeMap::new(), daemon: None }
    }

    /// Whoever is not shown how to make a mind has one.
    fn has_a_mind(&self, command: &str) {
        if !self.home.path().join(".local/share/selfsame").exists() && !command.contains("selfsame init") {
            assert!(self.run("selfsame init").status.success());
        }
    }

    fn run(&self, command: &str) -> Output {
        let address = self.daemon.as_ref().map_or(USUAL_ADDRESS, |daemon| &daemon.address);
        self.shell(&command.replace(USUAL_ADDRESS, address)).output().unwrap()
    }

    /// Starts a daemon on a free port, and gives what it says as soon as it listens.
    fn serve(&mut self) -> String {
        let mut command = self.shell("exec selfsame serve");
        command.env("SELFSAME_SERVER_ADDRESS", "127.0.0.1:0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut heard = BufReader::new(process.stdout.take().unwrap());
        let mut said = String::new();
        while !said.lines().last().is_some_and(|line| line.trim_start().starts_with(LAST_WORD)) {
            let read = heard.read_line(&mut said).unwrap();
            assert!(read > 0, "the daemon did not start: {said}");
        }
        let address = said.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.unwrap_or_else(|| panic!("no address in {said}")).to_owned();
        self.daemon = Some(Served { process, address, _said: heard });
        self.as_printed(&said)
    }

    fn shell(&self, command: &str) -> Command {
        // `faketime "2026-11-21 22:45" cargo test ...` lends another hour, and the reader lives in it too.
        let lent = std::env::vars().filter(|(name, _)| name == "LD_PRELOAD" || name.starts_with("FAKETIME"));
        let programs = Path::new(env!("CARGO_BIN_EXE_selfsame")).parent().unwrap();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .env_clear()
            .envs(lent)
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display()))
            .env("HOME", self.home.path())
            .env("COLUMNS", "80")
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        shell
    }

    /// Types every command of a block and compares what is answered.
    fn type_in(
        &mut self,
        block: &[&String],
        varies: bool,
        written: &mut Vec<String>,
        wrong: &mut Vec<String>,
    ) {
        for (command, expected) in commands_of(block) {
            self.has_a_mind(&command);
            let (said, succeeded) = self.answer_to(&command);
            let is_true = varies || self.is_said(&expected, &said);
            if !succeeded {
                wrong.push(format!("$ {command}\nfailed: {said}"));
            } else if !is_true {
                wrong.push(format!("$ {command}\nshould say:\n{}\nsays:\n{said}", expected.join("\n")));
            }
            written.extend(format!("$ {}", self.in_our_names(&command)).lines().map(str::to_owned));
            written.extend(self.as_written(&expected, &said, varies));
        }
    }

    /// What a command says, and whether it did what it was to do.
    fn answer_to(&mut self, command: &str) -> (String, bool) {
        if command == SERVE {
            return (self.serve(), true);
        }
        let Output { status, stdout, stderr } = self.run(&self.in_our_names(command));
        let said = String::from_utf8([stdout, stderr].concat()).unwrap();
        (self.as_printed(&said), status.success())
    }

    /// What a page says from now on: what was answered, or what it said if that leaves something out and still holds.
    fn as_written(&self, expected: &[String], said: &str, varies: bool) -> Vec<String> {
        let leaves_out = expected.iter().any(|line| line.split_whitespace().any(|word| word == LEFT_OUT));
        let keeps = varies && std::env::var("SELFSAME_BOOK_WRITE").is_ok_and(|what| what != "all");
        if keeps || leaves_out {
            return expected.iter().map(|line| self.in_our_names(line)).collect();
        }
        let blank = expected.last().filter(|line| line.is_empty());
        said.lines().map(str::to_owned).chain(blank.cloned()).collect()
    }

    /// A command with the ids that things have here.
    fn in_our_names(&self, command: &str) -> String {
        let known = self.ids.iter();
        known.fold(command.to_owned(), |command, (theirs, ours)| command.replace(theirs, ours))
    }

    /// As a page prints it: the reader's home is `~`, the program and the daemon are where they usually are.
    fn as_printed(&self, said: &str) -> String {
        let said = said.replace(&self.home.path().display().to_string(), "~");
        let said = said.replace(env!("CARGO_BIN_EXE_selfsame"), USUAL_PROGRAM);
        match &self.daemon {
            Some(daemon) => said.replace(&daemon.address, USUAL_ADDRESS),
            None => said,
        }
    }

    fn is_said(&mut self, expected: &[String], said: &str) -> bool {
        let actual: Vec<&str> = said.split_whitespace().collect();
        let words: Vec<&str> = expected.iter().flat_map(|line| line.split_whitespace()).collect();
        let parts: Vec<&[&str]> = words.split(|word| *word == LEFT_OUT).collect();
        let (mut at, last) = (0, parts.len() - 1);
        for (number, part) in parts.iter().enumerate() {
            let mut starts = match number {
                0 => 0..1,
                _ if number == last && !part.is_empty() => {
                    let Some(start) = actual.len().checked_sub(part.len()) else { return false };
                    start.max(at)..start + 1
                }
                _ => at..actual.len() + 1,
            };
            let Some(start) =
                starts.find(|start| self.stands_at(part, actual.get(*start..).unwrap_or_default()))
            else {
                return false;
            };
            at = start + part.len();
        }
        parts.len() > 1 && parts[last].is_empty() || at == actual.len()
    }

    /// Whether these words stand at the beginning of those. What is named for the first time is remembered.
    fn stands_at(&mut self, expected: &[&str], actual: &[&str]) -> bool {
        let mut met = Vec::new();
        let fits = actual.len() >= expected.len()
            && expected.iter().zip(actual).enumerate().all(|(at, (page, here))| {
                let (page_ids, here_ids) = (ids_in(page), ids_in(here));
                met.extend(page_ids.iter().cloned().zip(here_ids.iter().cloned()));
                let is_measured = expected.get(at + 1).is_some_and(|unit| unit.starts_with("ms"));
                is_measured || (plain(page) == plain(here) && page_ids.len() == here_ids.len())
            });
        let agrees =
            fits && met.iter().all(|(page, here)| self.ids.get(page).is_none_or(|known| known == here));
        if agrees {
            self.ids.extend(met);
        }
        agrees
    }

    /// What is wrong with commands that cannot be run here: a verb or an option that is not there, an unknown program.
    fn check_by_name(&self, block: &[&String]) -> Vec<String> {
        let whole =
            block.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n").replace("\\\n", " ");
        let mut wrong = Vec::new();
        for line in whole.lines().map(|line| line.split(" #").next().unwrap_or_default().trim()) {
            if line.is_empty() || line.starts_with(['#', '\\', '-']) {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let begin = words.iter().position(|word| *word == "selfsame");
            match begin {
                Some(begin) if begin == 0 || words[begin - 1] == "--" => {
                    wrong
                        .extend(self.unknown_part(&words[begin + 1..]).map(|what| format!("{line}\n{what}")));
                }
                _ if NEIGHBOURS.contains(&words[0]) => {}
                _ => wrong.push(format!("{line}\nis neither ours nor a neighbour's")),
            }
        }
        wrong
    }

    fn unknown_part(&self, words: &[&str]) -> Option<String> {
        let mut verbs: Vec<&str> = Vec::new();
        let mut help = String::from_utf8(self.run("selfsame --help").stdout).unwrap();
        // What counts everywhere stands before the verb, each with its value.
        let mut rest = words;
        while let Some((option, behind)) = rest.split_first().filter(|(word, _)| word.starts_with("--")) {
            rest = if *option == "--json" { behind } else { behind.get(1..).unwrap_or_default() };
        }
        for word in rest {
            // Nothing but a verb is handed to the shell.
            if !word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-') {
                break;
            }
            let asked = self.run(&format!("selfsame {} {word} --help", verbs.join(" ")));
            if !asked.status.success() {
                break;
            }
            let told = String::from_utf8(asked.stdout).unwrap();
            // An argument: the help is that of the verb before it.
            if told == help && !verbs.is_empty() {
                break;
            }
            verbs.push(word);
            help = told;
        }
        if verbs.is_empty() {
            return words.first().map(|word| format!("there is no command {word}"));
        }
        let options = rest.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        let missing =
            options.map(|word| word.split('=').next().unwrap_or(word)).find(|option| !help.contains(*option));
        missing.map(|option| format!("{} has no {option}", verbs.join(" ")))
    }
}

/// The commands of a block, each with the lines that follow it.
fn commands_of(block: &[&String]) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut goes_on = false;
    for line in block {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_owned(), Vec::new())),
            (None, Some((command, _))) if goes_on => *command += &format!("\n{line}"),
            (None, Some((_, said))) => said.push((*line).clone()),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
        goes_on = line.ends_with('\\') || found.last().is_some_and(|(command, _)| is_open(command));
    }
    found
}

/// Whether a file is being written in a command, and its end has not come yet.
fn is_open(command: &str) -> bool {
    command.contains("<<'END'") && !command.ends_with("\nEND")
}

/// Where an id begins and ends in a word.
fn id_at(word: &str, from: usize) -> Option<(usize, usize)> {
    let under = from + word[from..].find('_')?;
    let begins = word[..under].rfind(|letter: char| !letter.is_ascii_lowercase()).map_or(0, |at| at + 1);
    let tail = &word[under + 1..];
    let length = tail.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(tail.len());
    match length {
        26 if under - begins == 3 => Some((begins, under + 27)),
        _ => id_at(word, under + 1),
    }
}

fn ids_in(word: &str) -> Vec<String> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((begins, ends)) = id_at(word, from) {
        found.push(word[begins..ends].to_owned());
        from = ends;
    }
    found
}

/// A word with ids and moments taken out.
fn plain(word: &str) -> String {
    let ids = ids_in(word);
    let word =
        ids.iter().fold(word.to_owned(), |word, id| word.replace(id.as_str(), &format!("{}_ID", &id[..3])));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let shape: String =
        word.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    let is_moment = digits >= 4 && (shape.contains("00:00") || shape.contains("0000-00-00"));
    if is_moment { shape.replace('0', "") } else { word }
}
