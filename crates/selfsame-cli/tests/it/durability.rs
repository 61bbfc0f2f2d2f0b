//! What was acknowledged is on the disk: seen from outside, in the order of the daemon's own system calls.

use crate::cli::{Daemon, World, strace};
use crate::trace::Trace;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

const ALONE: usize = 20;
const WRITERS: usize = 64;
const EACH: usize = 8;

/// A sync takes at least this long, in microseconds: on a disk that is too fast for anybody to queue, no batch grows.
const SLOW_SYNC: &str = "inject=fdatasync,fsync:delay_enter=30000";
const CALLS: &str = "trace=pwrite64,write,writev,sendto,sendmsg,fdatasync,fsync";

/// What was acknowledged: the memory and the mark that only it has.
type Marks = BTreeMap<String, String>;

fn remember(daemon: &Daemon, mark: String) -> (String, String) {
    let (status, body) = daemon.remember(&format!("what was said under {mark}."));
    assert_eq!(status, 200, "{body}");
    let id = body.split('"').find(|word| word.starts_with("mem_")).unwrap();
    (id.to_owned(), mark)
}

fn one_after_the_other(daemon: &Daemon) -> Marks {
    (0..ALONE).map(|number| remember(daemon, format!("mark-alone-{number:03}"))).collect()
}

fn all_at_once(daemon: &Daemon) -> Marks {
    let marks = Mutex::new(Marks::new());
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let marks = &marks;
            scope.spawn(move || {
                for number in 0..EACH {
                    let (id, mark) = remember(daemon, format!("mark-{writer:03}-{number:03}"));
                    marks.lock().unwrap().insert(id, mark);
                }
            });
        }
    });
    marks.into_inner().unwrap()
}

#[test]
fn nothing_is_acknowledged_before_it_is_on_the_disk() {
    let world = World::with_mind();
    let file = world.path("trace");
    let strace = strace();
    let wrapper = [
        strace.as_str(),
        "-f",
        "-y",
        "-ttt",
        "--seccomp-bpf",
        "-s",
        "8192",
        "-e",
        CALLS,
        "-e",
        SLOW_SYNC,
        "-o",
        file.to_str().unwrap(),
    ];
    // As many workers as writers: else the queue before the engine is what limits a batch.
    let daemon = world.serve_under(&wrapper, &["--set", "server.workers=64"]);
    let alone = one_after_the_other(&daemon);
    let together = all_at_once(&daemon);
    assert_eq!(daemon.stop(), 0);

    let trace = Trace::parse(&fs::read_to_string(&file).unwrap());
    let marks: Marks = alone.iter().chain(&together).map(|(id, mark)| (id.clone(), mark.clone())).collect();
    assert_eq!(trace.acks(), ALONE + WRITERS * EACH, "not every acknowledgement was seen");
    let broken = trace.broken_promises(&marks);
    assert!(broken.is_empty(), "{} of them:\n{}", broken.len(), broken.join("\n"));

    let together: Vec<String> = together.into_keys().collect();
    let (first, second) = trace.split_at(&together);
    assert_eq!(first.acks(), ALONE);
    assert!(first.syncs() >= ALONE, "one after the other, each waits for a sync of its own");
    println!("{} acknowledgements shared {} syncs of the log", second.acks(), second.syncs());
    assert!(
        second.syncs() * 16 <= second.acks(),
        "{} syncs for {} acknowledgements: the writes are not batched",
        second.syncs(),
        second.acks()
    );
}
