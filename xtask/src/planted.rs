//! The `planted` command: who tests the tests? Known bugs are planted one by one in a copy of the work tree, and the
//! tests that are there to catch them must fail.
//!
//! The copy stays in the build folder between runs, and its build in the cache folder: a file is only written when it
//! differs, so cargo builds again just what a bug touches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::postgres::Servers;
use crate::{cache, command};

/// A mistake that somebody could make, as a change to one place of one file.
struct Bug {
    name: &'static str,
    /// What goes wrong with it.
    what: &'static str,
    file: &'static str,
    /// Occurs exactly once in the file.
    find: &'static str,
    replace: &'static str,
    /// Those that must see it, at least one of them.
    tests: &'static [Tests],
}

/// Some tests of one package.
struct Tests {
    package: &'static str,
    /// Parts of their names.
    names: &'static [&'static str],
}

const BUGS: &[Bug] = &[
    Bug {
        name: "detail-unmasked",
        what: "a secret in the details of a diary entry is stored as it is",
        file: "crates/selfsame/src/masking.rs",
        find: "DiaryDraft: text, mood, location, detail;",
        replace: "DiaryDraft: text, mood, location;",
        tests: &[Tests { package: "selfsame", names: &["masking::sqlite_no_layer_keeps"] }],
    },
    Bug {
        name: "acknowledged-too-early",
        what: "a write returns before its batch is on disk",
        file: "crates/selfsame-store/src/group_commit.rs",
        find: "let outcome = batch.wait();",
        replace: "let outcome = batch.peek().unwrap_or(Outcome::Committed);",
        tests: &[
            Tests { package: "selfsame-store", names: &["group_commit::"] },
            Tests { package: "selfsame-cli", names: &["nothing_is_acknowledged_before_it_is_on_the_disk"] },
        ],
    },
    Bug {
        name: "statement-without-agent",
        what: "one query finds the rows of every agent",
        file: "crates/selfsame-store/src/memory.rs",
        find: "FROM memory_items WHERE agent_id = $1 AND id = $2\", visible!());",
        replace: "FROM memory_items WHERE (agent_id = $1 OR agent_id <> $1) AND id = $2\", visible!());",
        tests: &[
            Tests { package: "selfsame-store", names: &["isolation::", "statements::"] },
            Tests { package: "selfsame", names: &["another_agents_memory"] },
        ],
    },
    Bug {
        name: "any-agent-in-a-transaction",
        what: "a transaction of one agent may touch the rows of another",
        file: "crates/selfsame-store/src/db.rs",
        find: "(Scope::Agent, Some(agent)) if self.agents.contains(&agent) => {",
        replace: "(Scope::Agent, Some(agent)) => {",
        tests: &[Tests { package: "selfsame-store", names: &["isolation::"] }],
    },
    Bug {
        name: "seasoning-unheard",
        what: "a small model is asked for fresh questions, and the deck is drawn from all the same",
        file: "crates/selfsame/src/contemplation/gather.rs",
        find: "(!questions.is_empty()).then_some(questions)",
        replace: "(questions.len() > 99).then_some(questions)",
        tests: &[Tests {
            package: "selfsame",
            names: &["contemplation::sqlite_a_small_model", "contemplation::sqlite_what_a_small_model"],
        }],
    },
    Bug {
        name: "weighty-tools-at-work",
        what: "who is at a piece of work may change the soul after reading what is not believed",
        file: "crates/selfsame/src/work/pull.rs",
        find: "let Some(Err(why)) = item.trust.map(|trust| may_use(used.class, trust)) else { continue };",
        replace: "let Some(Err(why)) = item.trust.map(|_| may_use(used.class, 1.0)) else { continue };",
        tests: &[Tests {
            package: "selfsame",
            names: &["contemplation_work::sqlite_what_the_agent_reads_meanwhile"],
        }],
    },
    Bug {
        name: "fallbacks-teach",
        what: "lessons are drawn from a reply in which no episode could be read",
        file: "crates/selfsame-core/src/lesson/extract.rs",
        find: "episode.captured.parse != Parse::Fallback && episode.captured.account.kind != EpisodeKind::Rest",
        replace: "EpisodeKind::Rest != episode.captured.account.kind",
        tests: &[
            Tests { package: "selfsame-core", names: &["lesson::"] },
            Tests { package: "selfsame", names: &["lessons::sqlite_"] },
        ],
    },
    Bug {
        name: "link-seen-half",
        what: "what is copied through a neural link is seen before all of it is there",
        file: "crates/selfsame-core/src/link.rs",
        find: "matches!(self, LinkState::Copying | LinkState::Falling)",
        replace: "matches!(self, LinkState::Falling)",
        tests: &[Tests { package: "selfsame", names: &["link::sqlite_killed", "link::sqlite_many"] }],
    },
    Bug {
        name: "link-gives-all-on",
        what: "what came by a link is given on, though its giver did not allow it",
        file: "crates/selfsame-core/src/link.rs",
        find: "(Author::Link, Some(source)) => onward.iter().any(|link| link == source),",
        replace: "(Author::Link, Some(_)) => true,",
        tests: &[Tests {
            package: "selfsame",
            names: &["link::sqlite_what_was_given_on", "link::sqlite_any"],
        }],
    },
    Bug {
        name: "link-still-a-source",
        what: "a link that was taken back goes on speaking for what the receiver knew",
        file: "crates/selfsame/src/knowledge/forget.rs",
        find: "keeping.withdraw(writer, &Withdrawn::Saying(source, origin), \"forgotten\", now)?;",
        replace: "let _ = (&keeping, &origin);",
        tests: &[Tests { package: "selfsame", names: &["link::sqlite_taken_back"] }],
    },
    Bug {
        name: "link-edition-stays",
        what: "another edition of what came by a link passes for the receiver's own word",
        file: "crates/selfsame/src/memory.rs",
        find: "if is_lent(old) && !is_on_its_own {",
        replace: "if is_lent(old) && is_on_its_own {",
        tests: &[Tests { package: "selfsame", names: &["link::sqlite_another_edition"] }],
    },
    Bug {
        name: "link-in-one-piece",
        what: "all that is given through a link is copied in one transaction, and everybody waits for it",
        file: "crates/selfsame/src/link/copy.rs",
        find: "let most = self.settings.link.batch as i64;",
        replace: "let most = i64::MAX;",
        tests: &[Tests { package: "selfsame", names: &["link::sqlite_many"] }],
    },
    Bug {
        name: "half-a-batch-named",
        what: "self-care puts a batch away, and its summary names half of what is in it",
        file: "crates/selfsame/src/self_care/fold.rs",
        find: "rows.iter().map(|row| (SourceKind::Memory, row.id.id())).collect();",
        replace: "rows.iter().skip(1).map(|row| (SourceKind::Memory, row.id.id())).collect();",
        tests: &[
            Tests {
                package: "selfsame",
                names: &["self_care::sqlite_what_was_folded", "self_care::sqlite_killed"],
            },
            Tests { package: "selfsame-cli", names: &["killed::sqlite_self_care"] },
        ],
    },
    Bug {
        name: "pinned-folded",
        what: "self-care folds what somebody wants to keep as it is",
        file: "crates/selfsame-core/src/care/held.rs",
        find: "(memory.life.pinned, Held::Pinned),",
        replace: "(memory.life.pinned && is_monitored, Held::Pinned),",
        tests: &[Tests { package: "selfsame", names: &["self_care::sqlite_what_somebody"] }],
    },
    Bug {
        name: "archive-without-a-table",
        what: "an archive leaves out what came by which link, and says nothing of it",
        file: "crates/selfsame-store/src/baggage.rs",
        find: "    \"links\",\n    \"link_items\",\n",
        replace: "    \"links\",\n    \"import_runs\",\n",
        tests: &[Tests { package: "selfsame", names: &["archive::sqlite_a_full_life"] }],
    },
    Bug {
        name: "imported-twice",
        what: "what an earlier run brought is brought again",
        file: "crates/selfsame/src/import.rs",
        find: "for (key, row) in rows.iter().filter(|(key, _)| !known.contains(key.as_slice())) {",
        replace: "for (key, row) in rows.iter().filter(|(key, _)| !known.contains(&key[1..])) {",
        tests: &[Tests { package: "selfsame", names: &["import::sqlite_"] }],
    },
    Bug {
        name: "episode-outlives-its-memory",
        what: "a memory of a time of thinking is forgotten, and its account stays",
        file: "crates/selfsame/src/forget/trace.rs",
        find: "self.take_all(ItemKind::Episode, told.iter().map(|(one, _)| one.id()), Why::Derived);",
        replace: "let _ = told;",
        tests: &[Tests { package: "selfsame", names: &["forgetting::sqlite_random_lives"] }],
    },
    Bug {
        name: "candidate-outlives-its-memory",
        what: "a memory is forgotten, and what it was made of stays in the inbox",
        file: "crates/selfsame/src/forget/trace.rs",
        find: "for candidate in taken::candidates_of(reader, agent, id.id())? {",
        replace: "for candidate in taken::candidates_of(reader, agent, id.id())?.into_iter().skip(1) {",
        tests: &[Tests { package: "selfsame", names: &["forgetting::sqlite_random_lives"] }],
    },
    Bug {
        name: "vectors-of-later",
        what: "an older reader's near vectors give way to those that came after it began",
        file: "crates/selfsame-store/src/vector_index.rs",
        find: "if score >= best.bar && self.came[place] <= seq {",
        replace: "if score >= best.bar {",
        tests: &[Tests { package: "selfsame-store", names: &["vectors::sqlite"] }],
    },
    Bug {
        name: "vectors-without-a-trace",
        what: "what came and went before anybody asked is taken for never having been",
        file: "crates/selfsame-store/src/vector_index.rs",
        find: "if seen != seq - after {",
        replace: "if seen > seq - after {",
        tests: &[Tests { package: "selfsame-store", names: &["vectors::sqlite"] }],
    },
    Bug {
        name: "vectors-of-two-models",
        what: "the graph is asked for the vectors of every generation",
        file: "crates/selfsame-store/src/dialect.rs",
        find: "write!(out, \"{}\", graph.generation)",
        replace: "write!(out, \"generation\")",
        tests: &[Tests { package: "selfsame-store", names: &["vectors::postgres"] }],
    },
    Bug {
        name: "orphan-postings",
        what: "what is forgotten stays in the index",
        file: "crates/selfsame/src/forget/take.rs",
        find: "postings::remove(writer, agent, kind, id.id(), &words)?;",
        replace: "let _ = (&words, kind);",
        tests: &[Tests { package: "selfsame", names: &["forget::"] }],
    },
    Bug {
        name: "merge-raises-trust",
        what: "what is derived from two sources is believed like the first of them",
        file: "crates/selfsame-core/src/trust.rs",
        find: "trust: self.trust.lower_of(other.trust),",
        replace: "trust: self.trust,",
        tests: &[Tests { package: "selfsame-core", names: &["trust::"] }],
    },
    Bug {
        name: "local-time-in-utc",
        what: "every day at 09:00 means nine in Greenwich",
        file: "crates/selfsame-core/src/time.rs",
        find: ".filter_map(|date| self.daily(date, at))",
        replace: ".filter_map(|date| Zone::utc().daily(date, at))",
        tests: &[Tests { package: "selfsame-core", names: &["daily"] }],
    },
    Bug {
        name: "lost-fencing",
        what: "who slept through the lease of a duty still writes",
        file: "crates/selfsame-store/src/duties.rs",
        find: "SET updated_at = $3 WHERE id = $1 AND token = $2 AND state",
        replace: "SET updated_at = $3 WHERE id = $1 AND $2 >= 0 AND state",
        tests: &[Tests { package: "selfsame-store", names: &["duties::"] }],
    },
    Bug {
        name: "lost-renewal",
        what: "who works longer than a lease is taken for dead",
        file: "crates/selfsame/src/scheduler.rs",
        find: "Pace::Slow => self.keeping_the_lease(mind, duty, || job.prepare(mind, duty)),",
        replace: "Pace::Slow => job.prepare(mind, duty),",
        tests: &[Tests { package: "selfsame", names: &["scheduler::"] }],
    },
    Bug {
        name: "retry-without-end",
        what: "a duty that fails is tried for ever",
        file: "crates/selfsame-core/src/duty/retry.rs",
        find: "if attempts >= self.max_attempts {",
        replace: "if attempts == u32::MAX {",
        tests: &[
            Tests { package: "selfsame-core", names: &["duty::"] },
            Tests { package: "selfsame", names: &["scheduler::"] },
        ],
    },
    Bug {
        name: "slot-from-now",
        what: "a late run shifts the next slot",
        file: "crates/selfsame/src/scheduler.rs",
        find: "let next = rhythm.slot_after(due.slot);",
        replace: "let next = rhythm.slot_after(mind.now().saturating_add(std::time::Duration::from_secs(3600)));",
        tests: &[Tests { package: "selfsame", names: &["scheduler::", "simulation::"] }],
    },
    Bug {
        name: "recall-feeds-back",
        what: "every recall makes a memory firmer, however many a day",
        file: "crates/selfsame-core/src/memory/retention.rs",
        find: "(!counted_today).then(|| Hold {",
        replace: "(counted_today || !counted_today).then(|| Hold {",
        tests: &[Tests { package: "selfsame-core", names: &["retention::"] }],
    },
    Bug {
        name: "twin-of-anybody",
        what: "what one principal says is merged with another's words",
        file: "crates/selfsame/src/remember.rs",
        find: "&& (is_lent(other) || other.provenance.principal_id() == memory.provenance.principal_id())",
        replace: "&& other.provenance.author() == memory.provenance.author()",
        tests: &[Tests { package: "selfsame", names: &["memory_life::sqlite_principals", "differential::"] }],
    },
    Bug {
        name: "open-for-ever",
        what: "a plan that is done still draws activities to itself",
        file: "crates/selfsame/src/life.rs",
        find: "(true, false) => linking::close(writer, after.agent, after.id, &after.content),",
        replace: "(true, false) => Ok(drop(linking::close)),",
        tests: &[Tests { package: "selfsame", names: &["memory_life::sqlite_a_writers_own_word"] }],
    },
    Bug {
        name: "plans-fade",
        what: "an open plan is archived like anything else",
        file: "crates/selfsame-core/src/memory/retention.rs",
        find: "self.pinned || open_plan || scheduled",
        replace: "self.pinned || (open_plan && scheduled) || scheduled",
        tests: &[Tests { package: "selfsame-core", names: &["retention::"] }],
    },
    Bug {
        name: "hole-in-the-events",
        what: "a number is left out of the log",
        file: "crates/selfsame-store/src/events.rs",
        find: "seq: head.seq + 1,",
        replace: "seq: head.seq + 2,",
        tests: &[Tests { package: "selfsame-store", names: &["events::"] }],
    },
    Bug {
        name: "audit-not-walked",
        what: "a changed or removed event is not noticed",
        file: "crates/selfsame/src/verify.rs",
        find: "if hash != stored {",
        replace: "if hash != stored && false {",
        tests: &[Tests { package: "selfsame-store", names: &["events::"] }],
    },
    Bug {
        name: "copies-add-up",
        what: "ten copies of one message weigh ten times",
        file: "crates/selfsame-core/src/knowledge/evidence.rs",
        find: "*weight = weight.max(share);",
        replace: "*weight += share;",
        tests: &[Tests { package: "selfsame", names: &["knowledge::sqlite_two_independent"] }],
    },
    Bug {
        name: "operator-outvoted",
        what: "the operator's word is one among many",
        file: "crates/selfsame-core/src/knowledge/decide.rs",
        find: "Voucher::Operator => return Some(Because::Operator),",
        replace: "Voucher::Operator if replaces => return Some(Because::Operator),",
        tests: &[Tests { package: "selfsame", names: &["knowledge::sqlite_the_operators"] }],
    },
    Bug {
        name: "said-before-it-was-said",
        what: "what is read at once is judged in another order than what is read bit by bit",
        file: "crates/selfsame/src/knowledge/source.rs",
        find: "saying.at <= event.at",
        replace: "saying.at <= event.at || saying.at > event.at",
        tests: &[Tests { package: "selfsame", names: &["knowledge_histories::how_much"] }],
    },
    Bug {
        name: "key-not-checked",
        what: "whoever knows the number of a key needs no secret",
        file: "crates/selfsame/src/key.rs",
        find: "Some(key) if fits && key.revoked_at.is_none()",
        replace: "Some(key) if (fits || !fits) && key.revoked_at.is_none()",
        tests: &[Tests { package: "selfsame-daemon", names: &["http_keys::without_a_good_key"] }],
    },
    Bug {
        name: "key-opens-every-agent",
        what: "a key that is bound to one agent opens the others",
        file: "crates/selfsame-daemon/src/guest.rs",
        find: "Ok(access) if self.agent.is_none_or(|own| own == access.agent().id) => {",
        replace: "Ok(access) if self.agent.is_none_or(|own| own == own) => {",
        tests: &[Tests { package: "selfsame-cli", names: &["isolation::sqlite"] }],
    },
    Bug {
        name: "rate-without-end",
        what: "nobody who asks too often is held back",
        file: "crates/selfsame-daemon/src/http/rates.rs",
        find: "let enough = self.left >= 1.0;",
        replace: "let enough = self.left >= 1.0 || rate.burst > 0.0;",
        tests: &[Tests { package: "selfsame-daemon", names: &["limits::a_key_that_asks"] }],
    },
    Bug {
        name: "one-event-too-far",
        what: "who comes back after a number is not told the event that followed it",
        file: "crates/selfsame-daemon/src/http/events/mod.rs",
        find: "after?.unwrap_or(head)",
        replace: "after?.map_or(head, |after| (after + 1).min(head))",
        tests: &[Tests { package: "selfsame-daemon", names: &["events::who_comes_back"] }],
    },
    Bug {
        name: "any-host",
        what: "a page that names our address under another host is let in",
        file: "crates/selfsame-daemon/src/http/guard.rs",
        find: "if !named(text(header::HOST)) {",
        replace: "if text(header::HOST).is_none() {",
        tests: &[Tests { package: "selfsame-daemon", names: &["http_mcp::only_who"] }],
    },
];

/// Plants the bugs named, or all. Fails if one is not caught, or cannot be planted any more.
pub fn run(wanted: &[String]) -> Result<()> {
    let bugs = choose(wanted)?;
    let copy = Copy::make()?;
    for bug in &bugs {
        copy.check(bug)?;
    }
    let servers = Servers::start()?;
    check_sound(&copy, &servers, &bugs)?;
    let mut missed = Vec::new();
    for bug in &bugs {
        println!("==> {}: {}", bug.name, bug.what);
        let caught_by = copy.with_bug(&servers, bug)?;
        println!("<== {}: {}", bug.name, verdict(&caught_by));
        if caught_by.is_empty() {
            missed.push(bug.name);
        }
    }
    if !missed.is_empty() {
        bail!("not caught: {}", missed.join(", "));
    }
    println!("caught: all {} planted bugs", bugs.len());
    Ok(())
}

/// A test that fails anyway would catch everything.
fn check_sound(copy: &Copy, servers: &Servers, bugs: &[&Bug]) -> Result<()> {
    println!("==> without any bug");
    for bug in bugs {
        let failed = copy.failures(servers, bug)?;
        if !failed.is_empty() {
            bail!("`{}` fails without any bug: mend that first", failed.join("`, `"));
        }
    }
    println!("<== without any bug: every test passes");
    Ok(())
}

fn choose(wanted: &[String]) -> Result<Vec<&'static Bug>> {
    for name in wanted {
        if !BUGS.iter().any(|bug| bug.name == name) {
            let names: Vec<&str> = BUGS.iter().map(|bug| bug.name).collect();
            bail!("there is no planted bug `{name}`; they are: {}", names.join(", "));
        }
    }
    let chosen = BUGS.iter().filter(|bug| wanted.is_empty() || wanted.iter().any(|name| name == bug.name));
    Ok(chosen.collect())
}

fn verdict(failed: &[String]) -> String {
    match failed {
        [] => "NOT CAUGHT".to_owned(),
        [one] => format!("caught by {one}"),
        [first, rest @ ..] => format!("caught by {first} and {} more: {}", rest.len(), rest.join(", ")),
    }
}

/// The work tree once more, with a build folder of its own.
struct Copy {
    folder: PathBuf,
    build: PathBuf,
}

/// How some tests went.
struct Tested {
    passed: usize,
    failed: Vec<String>,
}

impl Copy {
    /// Brings the copy up to date with the work tree: what is tracked, and what is not but could be.
    fn make() -> Result<Self> {
        let copy =
            Self { folder: cache::target()?.join("planted"), build: cache::folder()?.join("planted-build") };
        let paths = work_tree()?;
        for path in &paths {
            write_if_other(&cache::repository().join(path), &copy.folder.join(path))?;
        }
        copy.remove_others(&copy.folder, &paths)?;
        Ok(copy)
    }

    /// Whether the bug can be planted, which a change of the code may have ended.
    fn check(&self, bug: &Bug) -> Result<()> {
        let found = self.read(bug)?.matches(bug.find).count();
        if found != 1 {
            bail!(
                "{}: its text occurs {found} times in {} and should occur once: mend the list",
                bug.name,
                bug.file
            );
        }
        Ok(())
    }

    fn plant(&self, bug: &Bug) -> Result<()> {
        let text = self.read(bug)?.replacen(bug.find, bug.replace, 1);
        self.write(bug, &text)
    }

    /// The file gets a new time of change, so that nothing built with the bug is taken for good.
    fn restore(&self, bug: &Bug) -> Result<()> {
        let text = self.read(bug)?.replacen(bug.replace, bug.find, 1);
        self.write(bug, &text)
    }

    fn read(&self, bug: &Bug) -> Result<String> {
        let path = self.folder.join(bug.file);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    fn write(&self, bug: &Bug, text: &str) -> Result<()> {
        let path = self.folder.join(bug.file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Plants the bug, gives the tests that fail, and takes it out again.
    fn with_bug(&self, servers: &Servers, bug: &Bug) -> Result<Vec<String>> {
        self.plant(bug)?;
        let failed = self.failures(servers, bug);
        self.restore(bug)?;
        failed
    }

    /// The tests of a bug that fail; each line of its list must name some test at all.
    fn failures(&self, servers: &Servers, bug: &Bug) -> Result<Vec<String>> {
        let mut failed = Vec::new();
        for tests in bug.tests {
            let tested = self.run(servers, tests)?;
            if tested.passed + tested.failed.len() == 0 {
                bail!("no test of {} matches {:?}: mend the list", tests.package, tests.names);
            }
            failed.extend(tested.failed);
        }
        Ok(failed)
    }

    /// Builds, which must work, and runs the tests, which need not.
    fn run(&self, servers: &Servers, tests: &Tests) -> Result<Tested> {
        command::run(self.cargo(servers, tests)?.args(["--quiet", "--no-run"]))
            .context("the copy does not compile")?;
        let mut cargo = self.cargo(servers, tests)?;
        let output = cargo.arg("--").args(tests.names).output().context("cannot start cargo")?;
        let said = String::from_utf8_lossy(&output.stdout);
        let tested = outcomes(&said);
        if !output.status.success() && tested.failed.is_empty() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            bail!("the tests of {} ended without saying which failed:\n{said}{complaint}", tests.package);
        }
        Ok(tested)
    }

    fn cargo(&self, servers: &Servers, tests: &Tests) -> Result<Command> {
        let mut cargo = command::cargo(&["test", "--locked", "--test", "it", "--package", tests.package])?;
        cargo
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.build)
            // A bug may leave something unused, which is no fault of the copy.
            .env("RUSTFLAGS", "--allow warnings")
            .envs(servers.environment()?);
        Ok(cargo)
    }

    /// Removes what the work tree no longer has.
    fn remove_others(&self, folder: &Path, keep: &[String]) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                self.remove_others(&path, keep)?;
            } else if !keep.iter().any(|kept| self.folder.join(kept) == path) {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        Ok(())
    }
}

/// The files of the work tree that git knows or would add.
fn work_tree() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(cache::repository());
    let listed = command::output(&mut git)?;
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    Ok(paths.filter(|path| cache::repository().join(path).is_file()).map(str::to_owned).collect())
}

fn write_if_other(from: &Path, to: &Path) -> Result<()> {
    let wanted = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    fs::write(to, wanted).with_context(|| format!("cannot write {}", to.display()))?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    Ok(())
}

/// Reads what the test harness printed.
fn outcomes(said: &str) -> Tested {
    let ended = |how: &str| {
        let lines = said.lines().filter_map(|line| line.strip_prefix("test "));
        let names = lines.filter_map(|line| line.strip_suffix(how).map(str::to_owned));
        names.collect::<Vec<String>>()
    };
    Tested { passed: ended(" ... ok").len(), failed: ended(" ... FAILED") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_can_be_planted_in_the_present_code() {
        for bug in BUGS {
            let text = fs::read_to_string(cache::repository().join(bug.file)).unwrap();
            assert_eq!(text.matches(bug.find).count(), 1, "{}", bug.name);
            assert!(!text.contains(bug.replace), "{} is in the code", bug.name);
        }
    }

    #[test]
    fn names_are_read_off_what_the_harness_prints() {
        let said = "running 3 tests\ntest a::one ... ok\ntest a::two ... FAILED\ntest b - doc ... ok\n\nfailures:\n    a::two\n";
        let tested = outcomes(said);
        assert_eq!((tested.passed, tested.failed), (2, vec!["a::two".to_owned()]));
    }

    #[test]
    fn a_bug_that_nobody_saw_is_shouted_about() {
        assert_eq!(verdict(&[]), "NOT CAUGHT");
        assert_eq!(verdict(&["a::two".to_owned()]), "caught by a::two");
    }
}
