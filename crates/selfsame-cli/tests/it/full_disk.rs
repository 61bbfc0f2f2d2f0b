//! No space left: a clear word, nothing damaged, and on it goes when there is space again.

use crate::cli::{World, finish, strace, wait_until};
use crate::model::model_folder;
use std::fs;
use std::path::PathBuf;

const PATH: (&str, &str) = ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");

#[test]
fn a_command_without_space_says_so_and_damages_nothing() {
    let world = World::with_mind();
    world.remember("stored while there was space");
    let strace = strace();
    let mut seen = 0;
    // The disk is full from the n-th write on: each n is another place to fail in.
    for first in [1, 2, 3, 5, 8, 13] {
        let inject = format!("inject=pwrite64:error=ENOSPC:when={first}+");
        let wrapper = [&strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", &inject];
        let ran = finish(&mut world.command_under(&wrapper, &["remember", "one too many"]));
        if ran.code == 0 {
            continue;
        }
        ran.fails(7, "the disk is full");
        seen += 1;
        world.run(&["verify"]).succeeds();
    }
    assert!(seen >= 3, "only {seen} runs met the full disk");
    let recalled = world.run(&["recall", "stored while there was space"]).succeeds();
    assert!(recalled.contains("stored while there was space"), "{recalled}");
}

/// What makes a small file system of the data folder, seen by one process alone, which runs what follows.
fn on_small_disk(script: &str) -> Vec<&str> {
    let mut wrapper = vec!["unshare", "--mount"];
    if !rustix::process::geteuid().is_root() {
        wrapper.extend(["--user", "--map-root-user"]);
    }
    wrapper.extend(["sh", "-c", script, "sh"]);
    wrapper
}

#[test]
fn a_model_that_does_not_fit_leaves_nothing_behind() {
    let world = World::new().with(PATH.0, PATH.1);
    fs::create_dir(world.data()).unwrap();
    let folder = model_folder();
    // Then there is space: what failed must not be in the way.
    let script = "mount -t tmpfs -o size=4m,mode=700 none \"$SELFSAME_DATA\" && { \"$@\"; echo \"[exit code $?]\"; \
        ls -A \"$SELFSAME_DATA/models\"; mount -o remount,size=60m \"$SELFSAME_DATA\"; exec \"$@\"; }";
    let install = ["model", "install", folder.to_str().unwrap()];
    let ran = finish(&mut world.command_under(&on_small_disk(script), &install));
    assert!(ran.err.contains("the disk is full"), "{}", ran.err);
    assert!(ran.out.starts_with("[exit code 7]\n.lock\ninstalled  all-MiniLM-L6-v2@"), "{}", ran.out);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// A small file system that is seen by the daemon alone and goes with it; we reach it through the daemon's own root.
struct Small<'w> {
    world: &'w World,
    daemon: crate::cli::Daemon,
}

impl<'w> Small<'w> {
    fn serve(world: &'w World) -> Small<'w> {
        fs::create_dir(world.data()).unwrap();
        let mount = "mount -t tmpfs -o size=4m,mode=700 none \"$SELFSAME_DATA\" && exec \"$@\"";
        let daemon = world.serve_hidden(&on_small_disk(mount), &["--set", "server.workers=2"]);
        Small { world, daemon }
    }

    fn filler(&self) -> PathBuf {
        let root = format!("/proc/{}/root", self.daemon.pid());
        let data = self.world.data();
        PathBuf::from(root).join(data.strip_prefix("/").unwrap()).join("filler")
    }

    /// Takes all the space there is.
    fn fill(&self) {
        let mut size = 4 << 20;
        let mut bytes = Vec::new();
        while size >= 512 {
            bytes.resize(bytes.len() + size, 0);
            if fs::write(self.filler(), &bytes).is_err() {
                bytes.truncate(bytes.len() - size);
            }
            size /= 2;
        }
    }
}

#[test]
fn a_daemon_without_space_refuses_writes_reads_on_and_resumes() {
    let world = World::new().with(PATH.0, PATH.1);
    let small = Small::serve(&world);
    let recall = |words: &str| {
        let body = serde_json::json!({ "query": words }).to_string();
        small.daemon.post("/v1/agents/main/recall", &body)
    };
    assert_eq!(small.daemon.remember("stored while there was space").0, 200);

    small.fill();
    let refused = wait_until("the space is used up", || {
        let (status, body) = small.daemon.remember(&"no room for this ".repeat(500));
        (status != 200).then_some((status, body))
    });
    assert_eq!(refused.0, 507, "{}", refused.1);
    assert!(refused.1.contains("\"code\":\"disk_full\""), "{}", refused.1);
    assert!(refused.1.contains("free some space"), "{}", refused.1);
    let (status, body) = recall("stored while there was space");
    assert_eq!(status, 200, "reads go on: {body}");
    assert!(body.contains("stored while there was space"), "{body}");

    fs::remove_file(small.filler()).unwrap();
    let (status, body) = small.daemon.remember("stored when there was space again");
    assert_eq!(status, 200, "{body}");
    assert!(recall("space again").1.contains("stored when there was space again"));
    let (status, body) = small.daemon.post("/v1/verify", "{}");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"ok\":true"), "{body}");
    assert_eq!(small.daemon.stop(), 0);
}
