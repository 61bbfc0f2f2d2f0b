//! Reading what strace wrote: which log writes, syncs and acknowledgements there were, and whether every
//! acknowledgement came after the sync that made its write durable.

use std::collections::BTreeMap;

/// A moment in the trace: the number of its line. Lines are in the order in which the kernel was seen to do things.
type Moment = usize;

/// One system call, whole: strace writes it in two pieces when another thread came between.
#[derive(Clone, PartialEq, Debug)]
struct Call<'t> {
    name: &'t str,
    arguments: String,
    started: Moment,
    /// When it returned, and what; nothing when the trace ends before.
    returned: Option<(Moment, i64)>,
}

/// What matters here of all that was traced.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    writes: Vec<LogWrite>,
    syncs: Vec<Sync>,
    acks: Vec<Ack>,
}

/// Something was written to the write-ahead log.
#[derive(Clone, PartialEq, Debug)]
struct LogWrite {
    started: Moment,
    marks: Vec<String>,
}

/// The log was brought to the disk.
#[derive(Clone, PartialEq, Debug)]
struct Sync {
    started: Moment,
    returned: Option<Moment>,
    worked: bool,
}

/// A client began to be told that its memory is stored.
#[derive(Clone, PartialEq, Debug)]
struct Ack {
    started: Moment,
    id: String,
}

impl Trace {
    /// Reads a trace of `strace -f -y`.
    pub fn parse(text: &str) -> Trace {
        let mut trace = Trace::default();
        for call in calls(text) {
            trace.take(&call);
        }
        trace
    }

    fn take(&mut self, call: &Call<'_>) {
        let target = call.arguments.split_once('>').map_or("", |(fd, _)| fd);
        let is_log = target.ends_with("-wal");
        match call.name {
            "pwrite64" | "write" | "writev" if is_log => {
                self.writes.push(LogWrite { started: call.started, marks: marks_in(&call.arguments) });
            }
            "fsync" | "fdatasync" if is_log => self.syncs.push(Sync {
                started: call.started,
                returned: call.returned.map(|(moment, _)| moment),
                worked: call.returned.is_some_and(|(_, value)| value == 0),
            }),
            "write" | "writev" | "sendto" | "sendmsg"
                if target.contains("<socket:") || target.contains("<TCP") =>
            {
                self.take_answer(call);
            }
            _ => {}
        }
    }

    /// Only a success that names a memory promises anything.
    fn take_answer(&mut self, call: &Call<'_>) {
        if !call.arguments.contains("HTTP/1.1 200 OK") {
            return;
        }
        if let Some(at) = call.arguments.find("mem_") {
            let id = call.arguments[at..].chars().take("mem_".len() + 26).collect();
            self.acks.push(Ack { started: call.started, id });
        }
    }

    pub fn acks(&self) -> usize {
        self.acks.len()
    }

    pub fn syncs(&self) -> usize {
        self.syncs.len()
    }

    /// The acknowledgements before and after the first of these ids; what belongs to neither half is cut away.
    pub fn split_at(&self, ids: &[String]) -> (Trace, Trace) {
        let first = self.acks.iter().filter(|ack| ids.contains(&ack.id)).map(|ack| ack.started);
        let first = first.min().unwrap_or(Moment::MAX);
        let last = self.acks.iter().filter(|ack| ack.started < first).map(|ack| ack.started);
        let last = last.max().unwrap_or(0);
        (self.between(0, last + 1), self.between(last + 1, Moment::MAX))
    }

    fn between(&self, from: Moment, to: Moment) -> Trace {
        let inside = |moment: Moment| (from..to).contains(&moment);
        Trace {
            writes: self.writes.iter().filter(|one| inside(one.started)).cloned().collect(),
            syncs: self.syncs.iter().filter(|one| inside(one.started)).cloned().collect(),
            acks: self.acks.iter().filter(|one| inside(one.started)).cloned().collect(),
        }
    }

    /// Every acknowledgement that was sent before its write was on the disk, in words. `marks` has, for each memory,
    /// the mark that stands in its content and nowhere else: it shows which write was whose.
    pub fn broken_promises(&self, marks: &BTreeMap<String, String>) -> Vec<String> {
        self.acks.iter().filter_map(|ack| self.broken(ack, marks)).collect()
    }

    fn broken(&self, ack: &Ack, marks: &BTreeMap<String, String>) -> Option<String> {
        let Some(mark) = marks.get(&ack.id) else {
            return Some(format!("{} was acknowledged to nobody", ack.id));
        };
        let mut before = self.writes.iter().filter(|write| write.started < ack.started);
        // Later transactions write the page again; the first time it is in the log is its own.
        let Some(write) = before.find(|write| write.marks.contains(mark)) else {
            return Some(format!("{} was acknowledged and not in the log ({mark})", ack.id));
        };
        let durable = self.syncs.iter().any(|sync| {
            sync.worked && sync.started > write.started && sync.returned.is_some_and(|end| end < ack.started)
        });
        (!durable).then(|| {
            format!(
                "{} was acknowledged at line {}, written at line {}, with no sync of the log between",
                ack.id, ack.started, write.started
            )
        })
    }
}

/// The marks that stand in what was written: `mark-`, letters, digits and dashes, and a full stop.
fn marks_in(written: &str) -> Vec<String> {
    let of_mark = |c: char| c.is_ascii_alphanumeric() || c == '-';
    written
        .match_indices("mark-")
        .filter_map(|(at, _)| written[at..].split_once(|c: char| !of_mark(c)))
        .map(|(mark, _)| mark.to_owned())
        .collect()
}

/// Every call of the trace, put together from its pieces, in the order of the starts.
fn calls(text: &str) -> Vec<Call<'_>> {
    let mut all: Vec<Call<'_>> = Vec::new();
    let mut unfinished: BTreeMap<&str, usize> = BTreeMap::new();
    for (moment, line) in text.lines().enumerate() {
        let Some((thread, rest)) = thread_and_call(line) else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix("<... ") {
            if let Some(call) = unfinished.remove(thread).and_then(|at| all.get_mut(at)) {
                resume(call, rest, moment);
            }
        } else if let Some((name, arguments)) = rest.split_once('(') {
            let begun = arguments.strip_suffix(" <unfinished ...>");
            if begun.is_some() {
                unfinished.insert(thread, all.len());
            }
            all.push(Call {
                name,
                arguments: begun.unwrap_or(arguments).to_owned(),
                started: moment,
                returned: begun.is_none().then(|| result(arguments)).flatten().map(|value| (moment, value)),
            });
        }
    }
    all
}

/// `[pid 12] 1700.1 call(...)` and `12 1700.1 call(...)` without what stands before the call.
fn thread_and_call(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("[pid").map_or(line, str::trim_start);
    let (thread, rest) = line.split_once([' ', ']'])?;
    let (time, call) = rest.trim_start().split_once(' ')?;
    time.starts_with(|c: char| c.is_ascii_digit()).then(|| (thread, call.trim_start()))
}

/// `pwrite64 resumed>"...", 8) = 8` is the rest of a call, with what it came to.
fn resume(call: &mut Call<'_>, rest: &str, moment: Moment) {
    let rest = rest.split_once("resumed>").map_or("", |(_, rest)| rest);
    call.arguments += rest;
    call.returned = result(rest).map(|value| (moment, value));
}

/// What a call returned: the number after the last `) = `. Text that was written may hold anything before it.
fn result(text: &str) -> Option<i64> {
    let (_, after) = text.rsplit_once(") = ")?;
    after.split_whitespace().next()?.parse().ok()
}

/// The check must bite: each trace here is good or bad for one reason.
mod bites {
    use super::*;

    const ID: &str = "mem_01k0000000000000000000000a";
    const OTHER: &str = "mem_01k0000000000000000000000b";
    const WRITE: &str = r#"7 1.1 pwrite64(9</d/selfsame.db-wal>, "..mark-1...", 10, 32) = 10"#;
    const SYNC: &str = "7 1.2 fdatasync(9</d/selfsame.db-wal>) = 0";
    const ACK: &str = r#"8 1.3 sendto(11<socket:[77]>, "HTTP/1.1 200 OK\r\n\r\n{\"id\":\"mem_01k0000000000000000000000a\"}", 40, MSG_NOSIGNAL, NULL, 0) = 40"#;

    fn marks() -> BTreeMap<String, String> {
        [(ID.into(), "mark-1".into()), (OTHER.into(), "mark-2".into())].into()
    }

    fn broken(lines: &[&str]) -> Vec<String> {
        let trace = Trace::parse(&lines.join("\n"));
        assert!(trace.acks() > 0, "no acknowledgement was seen");
        trace.broken_promises(&marks())
    }

    #[track_caller]
    fn holds(lines: &[&str]) {
        assert_eq!(broken(lines), [""; 0]);
    }

    #[track_caller]
    fn breaks(lines: &[&str], said: &str) {
        let found = broken(lines);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(said), "{found:?}");
    }

    #[test]
    fn written_synced_acknowledged() {
        holds(&[WRITE, SYNC, ACK]);
        holds(&[WRITE, &SYNC.replace("fdatasync", "fsync"), ACK]);
    }

    #[test]
    fn acknowledged_before_the_sync() {
        breaks(&[WRITE, ACK, SYNC], "with no sync of the log between");
        breaks(&[WRITE, ACK], "with no sync");
    }

    #[test]
    fn synced_before_the_write() {
        breaks(&[SYNC, WRITE, ACK], "with no sync");
    }

    #[test]
    fn never_written() {
        breaks(&[SYNC, ACK], "not in the log");
        breaks(&[&WRITE.replace("mark-1", "mark-2"), SYNC, ACK], "not in the log");
    }

    #[test]
    fn the_sync_failed() {
        let failed = "7 1.2 fdatasync(9</d/selfsame.db-wal>) = -1 EIO (Input/output error)";
        breaks(&[WRITE, failed, ACK], "with no sync");
        holds(&[WRITE, failed, SYNC, ACK]);
    }

    #[test]
    fn another_file_was_synced() {
        breaks(&[WRITE, &SYNC.replace("-wal", ""), ACK], "with no sync");
    }

    #[test]
    fn a_sync_counts_when_it_returned() {
        let begun = "7 1.2 fdatasync(9</d/selfsame.db-wal> <unfinished ...>";
        let done = "7 1.4 <... fdatasync resumed>) = 0";
        let failed = "7 1.4 <... fdatasync resumed>) = -1 EIO (Input/output error)";
        holds(&[WRITE, begun, done, ACK]);
        breaks(&[WRITE, begun, ACK, done], "with no sync");
        breaks(&[WRITE, begun, failed, ACK], "with no sync");
        breaks(&[WRITE, begun, ACK], "with no sync");
    }

    #[test]
    fn a_write_counts_when_it_started() {
        let begun = r#"7 1.1 pwrite64(9</d/selfsame.db-wal>, "..mark-1...", 10, 32 <unfinished ...>"#;
        let done = "7 1.3 <... pwrite64 resumed>) = 10";
        holds(&[begun, done, SYNC, ACK]);
        breaks(&[SYNC, begun, ACK, done], "with no sync");
    }

    #[test]
    fn an_acknowledgement_counts_when_it_started() {
        let begun = ACK.replace(") = 40", " <unfinished ...>");
        let done = "8 1.5 <... sendto resumed>) = 40";
        breaks(&[WRITE, &begun, SYNC, done], "with no sync");
        holds(&[WRITE, SYNC, &begun, done]);
    }

    /// While one batch is acknowledged the next is being written: that write is not what was promised.
    #[test]
    fn somebody_elses_write_does_not_matter() {
        let next = WRITE.replace("mark-1", "mark-2");
        holds(&[WRITE, SYNC, &next, ACK]);
        let both = ACK.replace(ID, OTHER);
        breaks(&[WRITE, SYNC, &next, ACK, &both], OTHER);
    }

    #[test]
    fn the_same_page_again_does_not_matter() {
        holds(&[WRITE, SYNC, WRITE, ACK]);
    }

    #[test]
    fn a_thread_of_another_name_resumes_nothing() {
        let begun = "7 1.2 fdatasync(9</d/selfsame.db-wal> <unfinished ...>";
        breaks(&[WRITE, begun, "9 1.3 <... fdatasync resumed>) = 0", ACK], "with no sync");
    }

    #[test]
    fn a_refusal_promises_nothing() {
        let refused = ACK.replace("200 OK", "507 Insufficient Storage");
        let other_text = ACK.replace("mem_", "agt_");
        let trace = Trace::parse(&[WRITE, &refused, &other_text].join("\n"));
        assert_eq!(trace.acks(), 0);
    }

    #[test]
    fn an_answer_in_two_pieces_is_one() {
        let vector = r#"8 1.3 writev(11<TCP:[127.0.0.1:1->127.0.0.1:2]>, [{iov_base="HTTP/1.1 200 OK\r\n\r\n", iov_len=19}, {iov_base="{\"id\":\"mem_01k0000000000000000000000a\"}", iov_len=37}], 2) = 56"#;
        holds(&[WRITE, SYNC, vector]);
        breaks(&[WRITE, vector], "with no sync");
    }

    #[test]
    fn an_acknowledgement_of_nobody_is_named() {
        breaks(&[WRITE, SYNC, &ACK.replace("000a", "000c")], "to nobody");
    }

    #[test]
    fn a_trace_is_split_between_two_phases() {
        let second = ACK.replace(ID, OTHER);
        let lines = [WRITE, SYNC, ACK, SYNC, &second].join("\n");
        let (before, after) = Trace::parse(&lines).split_at(&[OTHER.to_owned()]);
        assert_eq!((before.acks(), before.syncs()), (1, 1));
        assert_eq!((after.acks(), after.syncs()), (1, 1));
    }
}
