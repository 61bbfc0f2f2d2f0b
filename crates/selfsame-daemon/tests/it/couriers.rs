//! Channels: a webhook with good and bad servers behind it, programs, files; and a nudge that outlasts six hours of trouble.

use crate::played::{Played, Reply, Seen};
use selfsame::clock::ManualClock;
use selfsame::config::{HeartbeatSettings, Secret, Settings};
use selfsame::ports::{Delivery, Message, PortError};
use selfsame::scheduler::{Pace, RunOutcome, Step};
use selfsame::seal::{hex, sha256};
use selfsame::time::{Clock, Time};
use selfsame::{Mind, Opening, jobs};
use selfsame_core::heartbeat::{NudgeKind, NudgeState};
use selfsame_daemon::Home;
use selfsame_daemon::couriers::{couriers, couriers_with_clock};
use selfsame_testkit::child::Errand;
use selfsame_testkit::selfsame::StoreOptions;
use selfsame_testkit::{Bench, Trap, both_engines};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const SECRET: &str = "whs-never-shown";
/// In every answer, to be looked for where no words of others may be.
const THEIR_WORDS: &str = "the pigeons are asleep";
const HOUR: Duration = Duration::from_secs(3600);
const LEASE: Duration = Duration::from_secs(60);
/// A manual clock shows a little more each time it is looked at.
const TICKS: Duration = Duration::from_millis(1);

fn none() -> HeartbeatSettings {
    HeartbeatSettings { delivery_timeout: Duration::from_secs(15), ..Settings::default().heartbeat }
}

fn hook(url: &str) -> HeartbeatSettings {
    HeartbeatSettings {
        webhook_url: Some(Secret::new(url)),
        webhook_secret: Some(Secret::new(SECRET)),
        ..none()
    }
}

/// The one channel that the settings set up.
fn only(settings: &HeartbeatSettings, folder: &Path) -> Arc<dyn Delivery> {
    let mut all = couriers(settings, folder);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn webhook(server: &Played) -> Arc<dyn Delivery> {
    only(&hook(&server.url()), Path::new("/"))
}

fn message() -> Message {
    Message { id: "nud_1".into(), body: r#"{"what":"Water the ferns, Zoë"}"#.into() }
}

fn passing(words: &str) -> Result<(), PortError> {
    Err(PortError::Passing(words.into()))
}

fn reply(status: u16) -> Reply {
    Reply::new(status, THEIR_WORDS)
}

/// HMAC-SHA256 as a receiver would compute it, for a secret that is shorter than a block.
fn signed(seen: &Seen) -> String {
    let pad = |byte: u8| -> Vec<u8> {
        (0..64).map(|at| SECRET.as_bytes().get(at).copied().unwrap_or(0) ^ byte).collect()
    };
    let text = [seen.headers["x-selfsame-timestamp"].as_bytes(), b".", &seen.raw].concat();
    let inner = sha256(&[&pad(0x36), &text]);
    format!("sha256={}", hex(&sha256(&[&pad(0x5c), &inner])))
}

#[test]
fn a_webhook_gets_the_nudge_signed() {
    let server = Played::always(reply(200));
    let clock = Arc::new(ManualClock::at(Time::from_micros(1_767_225_600_900_000)));
    let all = couriers_with_clock(&hook(&format!("{}/hooks/a/?b=c", server.url())), Path::new("/"), clock);
    assert_eq!((all.len(), all[0].channel()), (1, "webhook"));
    all[0].deliver(&message()).unwrap();
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(seen.line, "POST /hooks/a/?b=c", "the address as it was given");
    assert_eq!(seen.raw, message().body.as_bytes());
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["x-selfsame-nudge"], "nud_1");
    assert_eq!(seen.headers["x-selfsame-timestamp"], "1767225600");
    assert_eq!(seen.headers["x-selfsame-signature"], signed(seen));
}

#[test]
fn without_a_secret_there_is_no_signature() {
    let server = Played::always(reply(204));
    let unsigned = HeartbeatSettings { webhook_secret: None, ..hook(&server.url()) };
    only(&unsigned, Path::new("/")).deliver(&message()).unwrap();
    assert!(!server.seen()[0].headers.contains_key("x-selfsame-signature"));
}

#[test]
fn a_status_says_whether_to_try_again() {
    for status in [200, 201, 202, 204, 299] {
        webhook(&Played::always(reply(status))).deliver(&message()).unwrap();
    }
    for status in [408, 429, 500, 502, 503, 599] {
        let said = webhook(&Played::always(reply(status))).deliver(&message());
        assert_eq!(said, passing(&format!("answered {status}")));
    }
    for status in [300, 301, 304, 400, 401, 403, 404, 410, 422, 451] {
        let said = webhook(&Played::always(reply(status))).deliver(&message());
        let Err(PortError::Lasting(words)) = said else { panic!("{status}: {said:?}") };
        assert!(words.starts_with(&format!("answered {status}: ")), "{words}");
        assert!(words.contains("heartbeat.webhook_url") && !words.contains(THEIR_WORDS), "{words}");
    }
}

#[test]
fn where_machines_keep_their_keys_nothing_is_posted() {
    let folder = tempfile::tempdir().unwrap();
    for url in ["http://169.254.169.254/latest", "http://[::ffff:10.0.0.7]/hook", "http://2852039166/"] {
        let said = only(&hook(url), folder.path()).deliver(&message());
        let Err(PortError::Lasting(said)) = said else { panic!("{url}: {said:?}") };
        assert!(said.starts_with("heartbeat.webhook_url ") && said.contains("asked"), "{url}: {said}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Played::always(reply(200));
        let server = Played::always(reply(status).header("location", &elsewhere.url()));
        let said = webhook(&server).deliver(&message());
        assert!(matches!(said, Err(PortError::Lasting(_))), "{said:?}");
        assert_eq!((server.seen().len(), elsewhere.seen().len()), (1, 0), "{status}");
    }
}

/// Cut off at the timeout: who waited for the server's end would see a broken connection instead. And it is left alone
/// for a moment, so that the next nudge does not wait as well.
#[test]
fn a_webhook_that_hangs_is_cut_off_and_left_alone_for_a_moment() {
    let server = Played::by(|before, _| if before == 0 { Reply::silence() } else { reply(200) });
    let hasty = HeartbeatSettings { delivery_timeout: Duration::from_millis(300), ..hook(&server.url()) };
    let clock = Arc::new(ManualClock::at(Time::from_micros(0)));
    let shown: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
    let channel = couriers_with_clock(&hasty, Path::new("/"), shown).remove(0);
    assert_eq!(channel.deliver(&message()), passing("timed out"));
    assert_eq!(channel.deliver(&message()), passing("timed out a moment ago"));
    assert_eq!(server.seen().len(), 1, "it was not asked");
    clock.advance(LEASE);
    assert_eq!(channel.deliver(&message()), Ok(()));
}

#[test]
fn servers_that_are_none_are_tried_again() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let said = only(&hook(&address), Path::new("/")).deliver(&message());
    assert_eq!(said, passing("the connection failed"));
    for bad in [Reply::gone(), Reply::raw(b"220 smtp.example ESMTP\r\n")] {
        let said = webhook(&Played::always(bad)).deliver(&message());
        let Err(PortError::Passing(words)) = said else { panic!("{said:?}") };
        assert!(!words.contains("smtp"), "{words}");
    }
    let said = only(&hook("http://a b/"), Path::new("/")).deliver(&message());
    assert!(matches!(said, Err(PortError::Lasting(_))), "{said:?}");
}

/// The status is enough: what comes after it is not waited for.
#[test]
fn an_answer_without_an_end_is_an_answer() {
    let server = Played::always(Reply::endless(b"more and more ", Duration::from_millis(1)));
    assert_eq!(webhook(&server).deliver(&message()), Ok(()));
}

/// A script in a folder of its own, which it is told.
struct Script {
    folder: tempfile::TempDir,
}

impl Script {
    fn new(text: &str) -> Script {
        let script = Script { folder: tempfile::tempdir().unwrap() };
        fs::write(script.path("run"), format!("#!/bin/sh\ncd \"$1\" || exit 99\n{text}\n")).unwrap();
        fs::set_permissions(script.path("run"), fs::Permissions::from_mode(0o700)).unwrap();
        script
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, message: &Message, timeout: Duration, arguments: &[&str]) -> Result<(), PortError> {
        let (program, folder) = (self.path("run"), self.folder.path());
        let command = [program.to_str().unwrap(), folder.to_str().unwrap()]
            .into_iter()
            .chain(arguments.iter().copied());
        let command = command.map(str::to_owned).collect();
        let settings = HeartbeatSettings { command, delivery_timeout: timeout, ..none() };
        only(&settings, Path::new("/")).deliver(message)
    }
}

#[test]
fn a_program_reads_the_nudge_and_its_arguments_as_they_are() {
    let script = Script::new("cat > body; printf '%s\\n' \"$@\" > arguments; echo noise; echo noise >&2");
    script.run(&message(), LEASE, &["$(touch made)", "a  b;touch made", "*"]).unwrap();
    assert_eq!(script.read("body"), format!("{}\n", message().body));
    let arguments = script.read("arguments");
    let arguments: Vec<&str> = arguments.lines().skip(1).collect();
    assert_eq!(arguments, ["$(touch made)", "a  b;touch made", "*"]);
    assert!(!script.path("made").exists(), "no shell read them");
}

#[test]
fn a_program_says_by_its_code_whether_it_took_the_nudge() {
    assert_eq!(Script::new("exit 3").run(&message(), LEASE, &[]), passing("ended with code 3"));
    assert_eq!(Script::new("kill -9 $$").run(&message(), LEASE, &[]), passing("was ended by signal 9"));
    // More than a pipe holds, to somebody who does not read.
    let large = Message { id: "nud_1".into(), body: "x".repeat(1 << 20) };
    assert_eq!(Script::new("exit 0").run(&large, LEASE, &[]), Ok(()));
    let loud = Script::new("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2");
    assert_eq!(loud.run(&message(), LEASE, &[]), Ok(()), "nobody reads it, and it does not matter");
}

#[test]
fn a_program_that_cannot_be_started_is_a_matter_for_somebody() {
    let plain = Script::new("");
    fs::set_permissions(plain.path("run"), fs::Permissions::from_mode(0o600)).unwrap();
    for program in [PathBuf::from("/nowhere/at/all"), plain.path("run")] {
        let command = vec![program.to_str().unwrap().to_owned()];
        let said = only(&HeartbeatSettings { command, ..none() }, Path::new("/")).deliver(&message());
        let Err(PortError::Lasting(words)) = said else { panic!("{said:?}") };
        assert!(words.contains("heartbeat.command"), "{words}");
    }
}

/// And so is what it started.
#[test]
fn a_program_that_takes_too_long_is_ended() {
    let script = Script::new("sleep 1000 & echo $! > started; wait");
    assert_eq!(script.run(&message(), Duration::from_secs(2), &[]), passing("timed out"));
    let started = script.read("started");
    let lives = || match fs::read_to_string(format!("/proc/{}/stat", started.trim())) {
        Ok(stat) => !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'),
        Err(_) => false,
    };
    // Its end is on its way; whether it comes is what is tested.
    for _ in 0..1000 {
        if !lives() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{started} still runs");
}

/// Sent as a child with a secret of ours in its environment; otherwise there is nothing to do.
#[test]
fn child_starts_a_program() {
    let Some(errand) = Errand::given() else { return };
    let command = ["/bin/sh", "-c", "env > \"$0\"", &errand.what].map(str::to_owned).to_vec();
    only(&HeartbeatSettings { command, ..none() }, Path::new("/")).deliver(&message()).unwrap();
}

#[test]
fn a_program_is_not_told_our_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("env");
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "couriers::child_starts_a_program"])
        .env("SELFSAME_TEST_CHILD_DATABASE", "none")
        .env("SELFSAME_TEST_CHILD_ERRAND", &file)
        .env("SELFSAME_HEARTBEAT_WEBHOOK_SECRET", SECRET)
        .env("SELFSAME_DB", SECRET)
        .env("OTHERS", "may be told")
        .output();
    assert!(child.unwrap().status.success());
    let environment = fs::read_to_string(&file).unwrap();
    assert!(environment.contains("OTHERS=may be told"), "{environment}");
    assert!(!environment.contains(SECRET), "{environment}");
}

fn file(path: &str) -> HeartbeatSettings {
    HeartbeatSettings { file: Some(path.to_owned()), ..none() }
}

#[test]
fn a_file_gets_a_line_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nudges.jsonl");
    let channel = only(&file("nudges.jsonl"), folder.path());
    channel.deliver(&message()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&path, "before\n").unwrap();
    channel.deliver(&message()).unwrap();
    channel.deliver(&message()).unwrap();
    let line = format!("{}\n", message().body);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("before\n{line}{line}"));
    let elsewhere = tempfile::tempdir().unwrap();
    let whole = elsewhere.path().join("n");
    only(&file(whole.to_str().unwrap()), folder.path()).deliver(&message()).unwrap();
    assert_eq!(fs::read_to_string(&whole).unwrap(), line, "an absolute path stays what it is");
}

#[test]
fn what_is_no_plain_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("mine"), "mine\n").unwrap();
    symlink(at("mine"), at("link")).unwrap();
    symlink(at("not there yet"), at("dangling")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    for name in ["link", "dangling", "folder", "pipe", "no/folder"] {
        let said = only(&file(name), folder.path()).deliver(&message());
        let Err(PortError::Lasting(words)) = said else { panic!("{name}: {said:?}") };
        assert!(words.contains("heartbeat.file"), "{words}");
    }
    assert_eq!(fs::read_to_string(at("mine")).unwrap(), "mine\n");
    assert!(!at("not there yet").exists());
}

#[test]
fn what_is_set_up_is_what_there_is() {
    assert_eq!(couriers(&none(), Path::new("/")).len(), 0);
    let folder = tempfile::tempdir().unwrap();
    let command = vec!["/bin/true".to_owned()];
    let heartbeat = HeartbeatSettings { command, file: Some("n".into()), ..hook("http://127.0.0.1:9") };
    let settings = Settings { heartbeat, ..Settings::default() };
    let home = Home { data: folder.path().join("data"), settings };
    let made = home.make_folder().unwrap();
    let mind = home.opening(&made).unwrap().open(&made).unwrap();
    assert_eq!(mind.channels().collect::<Vec<_>>(), ["command", "file", "webhook"]);
}

fn step(mind: &Mind) -> Step {
    jobs::scheduler(mind.settings()).step_of(mind, Pace::Slow).unwrap()
}

/// Which tables have these words in a row.
fn tables_with(dump: &str, words: &str) -> Vec<String> {
    let mut table = "";
    let mut found = Vec::new();
    for line in dump.lines() {
        if line.starts_with('[') && line.ends_with(']') {
            table = line;
        } else if line.contains(words) {
            found.push(table.to_owned());
        }
    }
    found.dedup();
    found
}

both_engines! {
    /// For six hours it answers 503. It is asked again with pauses that grow, and gets the nudge when it is back: once. A
    /// nudge for somebody else comes at its time meanwhile.
    fn a_webhook_that_fails_for_six_hours_gets_its_nudge(bench: Bench) {
        let began = bench.clock().now();
        let back = began.saturating_add(6 * HOUR);
        let clock = bench.shared_clock();
        let server = Played::by(move |_, _| reply(if clock.now() < back { 503 } else { 200 }));
        let folder = tempfile::tempdir().unwrap();
        let settings = HeartbeatSettings { file: Some("nudges.jsonl".into()), ..hook(&server.url()) };
        let mind = bench.open_channels(couriers_with_clock(&settings, folder.path(), bench.shared_clock()), |_| {});
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "Maya");
        let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["webhook"]);
        let mut tried = Vec::new();
        let mut other = None;
        while nudged.state(&mind) == NudgeState::Waiting {
            let ran = step(&mind);
            tried.extend(ran.ran.iter().map(|_| bench.clock().now()));
            assert!(tried.len() <= 48, "it has an end");
            // Hers is made in the midst of it, between two attempts.
            if other.is_none() && bench.clock().now().since(began) > 3 * HOUR {
                bench.clock().advance(Duration::from_secs(7));
                let hers = bench.nudge_for(&agent, maya, NudgeKind::Reminder, &["file"]);
                assert!(matches!(step(&mind).ran[..], [ref ran] if ran.outcome == RunOutcome::Done));
                let delivered_at = hers.nudge(&mind).delivered_at.unwrap();
                assert!(bench.clock().now().since(delivered_at) < TICKS, "at its time: {delivered_at}");
                other = Some(hers);
                let dump = bench.dump();
                assert_eq!(tables_with(&dump, "answered 503"), ["[duties]", "[deliveries]"], "and nowhere else");
                assert_eq!(tables_with(&dump, THEIR_WORDS), [""; 0]);
            }
            bench.clock().set(ran.wake_at.unwrap_or(bench.clock().now()));
        }
        let lines = fs::read_to_string(folder.path().join("nudges.jsonl")).unwrap();
        assert_eq!(lines.lines().count(), 1);
        assert!(lines.contains(&other.unwrap().id.to_string()), "{lines}");
        let nudge = nudged.nudge(&mind);
        assert_eq!((nudge.state, nudge.delivered_by.as_deref()), (NudgeState::Delivered, Some("webhook")));
        assert!(nudge.delivered_at.unwrap() >= back);
        growing(&tried);
        let seen = server.seen();
        assert_eq!((seen.len(), nudged.way(&mind, "webhook").attempts), (tried.len(), tried.len() as u64));
        for one in &seen {
            assert_eq!(one.headers["x-selfsame-nudge"], nudged.id.to_string());
            assert_eq!(one.headers["x-selfsame-signature"], signed(one));
            assert_eq!(one.raw, seen[0].raw);
        }
        bench.clock().advance(24 * HOUR);
        assert_eq!(step(&mind).ran, []);
        assert_eq!(server.seen().len(), seen.len(), "delivered once");
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
        println!("tried {} times; last pause {:?}", tried.len(), tried[tried.len() - 1].since(tried[tried.len() - 2]));
    }

    fn a_webhook_that_never_comes_back_ends_in_the_open(bench: Bench) {
        let server = Played::always(reply(500));
        let settings = hook(&server.url());
        let mind = bench.open_channels(couriers_with_clock(&settings, Path::new("/"), bench.shared_clock()), |_| {});
        let agent = bench.agent("main");
        let reminder = bench.nudge(&agent, NudgeKind::Reminder, &["webhook"]);
        let suggestion = bench.nudge(&agent, NudgeKind::Suggestion, &["webhook"]);
        while let Some(at) = step(&mind).wake_at {
            bench.clock().set(at);
        }
        assert_eq!(reminder.state(&mind), NudgeState::Missed);
        assert_eq!(suggestion.state(&mind), NudgeState::Failed);
        let way = reminder.way(&mind, "webhook");
        assert_eq!((way.state.as_str(), way.attempts, way.last_error.as_deref()), ("failed", 48, Some("answered 500")));
        assert_eq!((mind.duty_counts().unwrap().dead, server.seen().len()), (2, 96));
        let dump = bench.dump();
        assert_eq!(tables_with(&dump, THEIR_WORDS), [""; 0]);
        assert_eq!(tables_with(&dump, "answered 500"), ["[duties]", "[deliveries]"]);
    }

    /// The process is killed after the server took it and before that was written down.
    fn killed_before_it_is_noted_it_is_sent_again_under_the_same_name(mut bench: Bench) {
        let server = Played::always(reply(200));
        let agent = bench.agent("main");
        let nudged = bench.nudge(&agent, NudgeKind::Reminder, &["webhook"]);
        bench.close();
        let status = Errand::send(&bench, "couriers::child_dies_after_sending", &server.url());
        assert!(status.signal().is_some(), "it should have died, and ended with {status}");
        assert_eq!(server.seen().len(), 1);
        assert_eq!(nudged.state(bench.mind()), NudgeState::Waiting);
        let settings = hook(&server.url());
        let mind = bench.open_channels(couriers_with_clock(&settings, Path::new("/"), bench.shared_clock()), |_| {});
        assert_eq!(step(&mind).ran, [], "its lease still holds");
        bench.clock().advance(LEASE * 2);
        assert!(matches!(step(&mind).ran[..], [ref ran] if ran.outcome == RunOutcome::Done));
        let names: Vec<String> = server.seen().iter().map(|seen| seen.headers["x-selfsame-nudge"].clone()).collect();
        assert_eq!(names, [nudged.id.to_string(), nudged.id.to_string()]);
        assert_eq!(nudged.state(&mind), NudgeState::Delivered);
    }
}

/// Sent as a child, dies when its webhook has taken the nudge; otherwise there is nothing to do.
#[test]
fn child_dies_after_sending() {
    let Some(errand) = Errand::given() else { return };
    let trap = Trap::die("duty.prepared").armed(1);
    let clock = Arc::new(ManualClock::at(Bench::sqlite().mind_time()));
    let options = StoreOptions { faults: trap.faults(), ..StoreOptions::default() };
    let store = errand.open(options, clock.now()).unwrap();
    let channels = couriers(&hook(&errand.what), Path::new("/"));
    let opening = channels.into_iter().fold(Opening::default().clock(clock), Opening::delivery);
    let mind = opening.over(store, None).unwrap();
    panic!("it should have died: {:?}", step(&mind));
}

/// Each pause is between half and all of twice the one before, up to a quarter of an hour.
#[track_caller]
fn growing(tried: &[Time]) {
    let mut full = Duration::from_secs(2);
    for pair in tried.windows(2) {
        let pause = pair[1].since(pair[0]);
        assert!(full / 2 <= pause + TICKS && pause <= full + TICKS, "{pause:?} of {full:?}");
        full = (full * 2).min(Duration::from_secs(15 * 60));
    }
    assert_eq!(full, Duration::from_secs(15 * 60));
}
