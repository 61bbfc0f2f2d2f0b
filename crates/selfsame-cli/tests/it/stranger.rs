//! The first five minutes of somebody who has nothing: no LLM, no server, no network, and a home folder with some programs in it.

use crate::cli::{Daemon, Ran, World, finish};
use std::fs;
use std::process::Command;

/// Runs what follows where there is no network, not even to this machine itself unless somebody brings that up.
fn cut_off() -> Vec<&'static str> {
    match rustix::process::geteuid().is_root() {
        true => vec!["unshare", "--net"],
        false => vec!["unshare", "--net", "--user", "--map-root-user"],
    }
}

/// A machine on which somebody uses Codex and Cursor.
struct Stranger(World);

impl Stranger {
    fn arrives() -> Stranger {
        let world = World::new().with("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        for folder in [".codex", ".cursor"] {
            fs::create_dir_all(world.path("home").join(folder)).unwrap();
        }
        Stranger(world)
    }

    fn types(&self, arguments: &[&str]) -> Ran {
        finish(&mut self.0.command_under(&cut_off(), arguments))
    }

    #[track_caller]
    fn sees(&self, arguments: &[&str], expected: &[&str]) -> String {
        let said = self.types(arguments).succeeds();
        for words in expected {
            assert!(said.contains(words), "{arguments:?} should say {words:?}:\n{said}");
        }
        said
    }

    fn serves(&self) -> Daemon {
        self.0.serve_under(&cut_off(), &[])
    }
}

#[test]
fn the_first_five_minutes_need_nobody_else() {
    // If this is refused nothing below proves anything.
    let mut looks = Command::new(cut_off()[0]);
    let seen = looks.args(&cut_off()[1..]).args(["cat", "/proc/net/dev"]).output().unwrap();
    let interfaces = String::from_utf8(seen.stdout).unwrap();
    let interfaces: Vec<&str> =
        interfaces.lines().skip(2).map(|line| line.split(':').next().unwrap().trim()).collect();
    assert!(
        seen.status.success(),
        "no network of its own, so nothing is proved: {:?}",
        String::from_utf8_lossy(&seen.stderr)
    );
    assert!(
        interfaces.iter().all(|name| ["lo", "sit0", "tunl0", "ip6tnl0"].contains(name)),
        "{interfaces:?}"
    );

    let stranger = Stranger::arrives();
    stranger.types(&["remember", "too early"]).fails(3, "run `selfsame init` first");
    stranger.sees(&[], &["There is no mind yet.", "selfsame init"]);
    stranger.sees(&["init"], &["A mind is made.", "Next: selfsame remember"]);
    let tea = ["remember", "Maya prefers tea over coffee", "--type", "preference"];
    stranger.sees(&tea, &["remembered  mem_"]);
    stranger.sees(
        &["recall", "what does Maya prefer?", "--explain"],
        &["Maya prefers tea over coffee", "said by principal, trust 1", "has the words", "by words alone"],
    );
    stranger.sees(&["recall", "zzz qqq"], &["nothing found: nothing that is stored has any of these words"]);
    stranger.sees(&["know", "why", "Maya/drink"], &["confidence 0.68", "1 for, 0 against"]);
    let coffee = ["remember", "Maya prefers coffee over tea", "--type", "preference"];
    stranger.sees(&coffee, &["at odds with mem_"]);
    let why = stranger.sees(&["know", "why", "Maya/drink"], &["confidence 0.67", "1 for, 1 against"]);
    let sides = why.split_once("\nagainst\n").unwrap();
    assert!(sides.0.contains("coffee over tea") && sides.1.contains("tea over coffee"), "{why}");
    stranger.sees(
        &["heartbeat", "explain", "--at", "tomorrow 09:00"],
        &["at 09:00, in the morning, I would", "Steps:", "0 tokens."],
    );
    let shown = stranger.sees(
        &["connect", "--detect", "--dry-run"],
        &["Codex\n", "Cursor\n", "[mcp_servers.selfsame]", "nothing was changed: this was a dry run"],
    );
    assert!(!shown.contains("Claude"), "{shown}");
    assert!(!stranger.0.path("home/.codex/config.toml").exists());
    stranger.types(&["dashboard"]).fails(6, "`selfsame serve`");
    let daemon = stranger.serves();
    let way = stranger.sees(&["dashboard"], &["open   http://127.0.0.1:", "good once, for 5 minutes"]);
    assert!(way.contains("/dashboard\nenter  "), "{way}");
    stranger.sees(&["doctor"], &["ok    daemon", "ok    restart", "ok    recall", "ok    tick"]);
    assert_eq!(daemon.stop(), 0);
    stranger.sees(&["doctor"], &["ok    restart      the mind was closed and opened again"]);
    stranger.sees(&["recall", "what does Maya prefer?"], &["Maya prefers coffee over tea"]);
}
