//! selfsame status, and selfsame alone

use super::connect::wiring;
use crate::output::{Output, Tone, counted, local_minute, row, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::http::dashboard;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::heartbeat::{HeartRequest, HeartbeatStatus};
use selfsame_daemon::operations::status::{
    AgentStatus, BeliefStatus, DutyStatus, GetStatus, ModelStatus, StatusReply,
};
use serde::Serialize;

/// Where values begin in the overview.
const VALUES: usize = 11;
/// And in the status.
const FACTS: usize = 10;

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    let daemon = backend.daemon_url();
    let reply = backend.call::<GetStatus>("", &NoRequest {})?;
    output.reply(&reply, |output| words(&reply, resolution, daemon.as_deref(), output));
    Ok(())
}

/// Where you stand, in ten lines.
#[derive(Serialize)]
struct Overview {
    version: String,
    agent: String,
    memories: u64,
    beliefs: u64,
    /// Beliefs with another answer beside them that is not settled.
    contested: u64,
    /// When it is looked next whether anything is worth saying, by the clock of who is spoken to, and why then.
    #[serde(skip_serializing_if = "Option::is_none")]
    heartbeat: Option<(String, String)>,
    /// Where the daemon listens.
    #[serde(skip_serializing_if = "Option::is_none")]
    daemon: Option<String>,
    /// Where a browser finds the dashboard.
    #[serde(skip_serializing_if = "Option::is_none")]
    dashboard: Option<String>,
    /// The programs that are connected.
    clients: Vec<&'static str>,
    data: String,
    /// What to do next, and why.
    next: (&'static str, &'static str),
}

/// Without a command: where you stand, or how to begin.
pub(crate) fn overview(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    let reply = match backend.call::<GetStatus>("", &NoRequest {}) {
        Err(failure) if failure.status == 404 => {
            output.print(
                "There is no mind yet.\n\n  selfsame init     make one\n  selfsame --help   see what it can do\n",
            );
            return Ok(());
        }
        reply => reply?,
    };
    let heart = backend.call::<HeartbeatStatus>(&resolution.agent, &HeartRequest::default()).ok();
    let heartbeat = heart.and_then(|heart| {
        Some((local_minute(&heart.next_at?, &heart.principal.zone), heart.next_why.unwrap_or_default()))
    });
    let agent = reply.agents.iter().find(|agent| agent.name == resolution.agent);
    let clients = wiring(resolution).map(|wiring| wiring.connected()).unwrap_or_default();
    let beliefs = agent.map(|agent| agent.beliefs);
    let overview = Overview {
        next: next_step(agent, &clients),
        version: reply.version.clone(),
        agent: resolution.agent.clone(),
        memories: agent.map_or(0, |agent| agent.memories),
        beliefs: beliefs.map_or(0, |beliefs| beliefs.active + beliefs.stale),
        contested: beliefs.map_or(0, |beliefs| beliefs.contested),
        heartbeat,
        daemon: backend.daemon_address(),
        dashboard: backend.daemon_url().map(|url| dashboard::link(&url)),
        clients,
        data: resolution.home.data.display().to_string(),
    };
    output.reply(&overview, |output| overview_words(&overview, output));
    Ok(())
}

/// The one thing that is worth most now.
fn next_step(agent: Option<&AgentStatus>, clients: &[&str]) -> (&'static str, &'static str) {
    match agent {
        None => ("selfsame agent list", "there is no agent of this name"),
        Some(agent) if agent.memories == 0 => ("selfsame remember \"...\"", "nothing is remembered yet"),
        Some(agent) if agent.hearts.is_some_and(|hearts| hearts.failing > 0) => {
            ("selfsame heartbeat status", "a heart fails")
        }
        Some(agent) if agent.beliefs.contested > 0 => ("selfsame know conflicts", "something is contested"),
        Some(_) if clients.is_empty() => {
            ("selfsame connect --detect --dry-run", "no program is connected yet")
        }
        Some(_) => ("selfsame recall \"...\"", "ask it something"),
    }
}

fn overview_words(overview: &Overview, output: &Output) -> String {
    let Overview { version, agent, memories, beliefs, contested, .. } = overview;
    let believed = match (beliefs, contested) {
        (0, _) => "none yet".to_owned(),
        (_, 0) => format!("{beliefs}, none contested"),
        _ => format!("{beliefs}, {}", output.paint(Tone::Bad, &format!("{contested} contested"))),
    };
    let beats = match &overview.heartbeat {
        // How the pause came about is told by `heartbeat status`.
        Some((at, why)) => match why.split([':', ';']).next() {
            Some(why) if !why.is_empty() => format!("looks next {at}, {why}"),
            _ => format!("looks next {at}"),
        },
        None => "has not begun".to_owned(),
    };
    let (daemon, dashboard) = match (&overview.daemon, &overview.dashboard) {
        (Some(address), Some(link)) => {
            (format!("running at {address}"), format!("{link} (`selfsame dashboard` gives a code)"))
        }
        _ => ("not running".to_owned(), "`selfsame serve` opens it".to_owned()),
    };
    let clients = if overview.clients.is_empty() { "none".into() } else { overview.clients.join(", ") };
    let (command, why) = overview.next;
    let title = output.paint(Tone::Strong, &format!("selfsame {version}"));
    let next = format!("{}  {}", output.paint(Tone::Good, command), output.paint(Tone::Faint, why));
    let rows = [
        ("agent", agent.clone()),
        ("memories", memories.to_string()),
        ("beliefs", believed),
        ("heartbeat", beats),
        ("daemon", daemon),
        ("dashboard", dashboard),
        ("clients", clients),
        ("data", overview.data.clone()),
        ("next", next),
    ];
    let row = |(name, words): &(&str, String)| row(&output.paint(Tone::Faint, name), words, VALUES);
    format!("{title}\n{}", rows.iter().map(row).collect::<String>())
}

/// Memories, and beliefs where there are any.
fn has(agent: &AgentStatus) -> String {
    let mut memories = counted(agent.memories, "memory", "memories");
    if agent.summaries > 0 {
        memories += &format!(", {}", counted(agent.summaries, "summary", "summaries"));
    }
    let BeliefStatus { active, stale, contested } = agent.beliefs;
    if active + stale == 0 {
        return memories;
    }
    let mut beliefs = counted(active + stale, "belief", "beliefs");
    if stale > 0 {
        beliefs += &format!(", {stale} stale");
    }
    if contested > 0 {
        beliefs += &format!(", {contested} contested (`selfsame know conflicts`)");
    }
    format!("{memories}, {beliefs}")
}

fn duties(counts: DutyStatus) -> String {
    match counts {
        DutyStatus { all, late: 0, dead: 0 } => format!("{all}, all on time"),
        DutyStatus { all, late, dead } => {
            format!("{all}, of which {late} late and {dead} dead (`selfsame duty list`)")
        }
    }
}

fn vectors(model: &ModelStatus) -> String {
    let mut text = format!("{}, {} MB in memory", model.vectors, model.bytes.div_ceil(1_000_000));
    if model.pending > 0 {
        text += &format!(", {} to be made (`selfsame model embed` makes them now)", model.pending);
    }
    if model.behind > 0 {
        let agents = counted(model.behind, "agent", "agents");
        text += &format!("; {agents} still with those of another model");
    }
    text
}

fn words(reply: &StatusReply, resolution: &Resolution, daemon: Option<&str>, output: &Output) -> String {
    let running = match daemon {
        Some(url) => format!("running at {url}"),
        None => "not running (`selfsame serve` starts it)".into(),
    };
    // Broken first and painted then: a colour does not run over the edge.
    let bad = |words: &str| output.paint(Tone::Bad, wrapped(words, FACTS).trim_start());
    let mut rows = vec![
        ("data", resolution.home.data.display().to_string()),
        ("database", format!("{}, schema {}", reply.database, reply.schema)),
        ("daemon", running),
        ("recall", reply.recall.clone()),
    ];
    if let Some(model) = &reply.model {
        rows.push(("model", model.name.clone()));
        rows.push(("vectors", vectors(model)));
        if let Some(trouble) = &model.trouble {
            rows.push(("trouble", bad(trouble)));
        }
    }
    rows.push(("duties", duties(reply.duties)));
    if let Some(seconds) = reply.clock_skew_seconds {
        let skew = format!("{seconds} s from the database server's, which is used: set this machine's clock");
        rows.push(("clock", bad(&skew)));
    }
    for agent in &reply.agents {
        let own = if agent.name == resolution.agent { " (yours)" } else { "" };
        rows.push(("agent", format!("{}{own}, {}", agent.name, has(agent))));
        if let Some(hearts) = &agent.hearts {
            rows.push(("", bad(&hearts.words())));
        }
        if let Some(thinking) = &agent.thinking {
            rows.push(("", bad(&thinking.words())));
        }
    }
    let title = output.paint(Tone::Strong, &format!("selfsame {}", reply.version));
    let row = |(name, words): &(&str, String)| row(&output.paint(Tone::Faint, name), words, FACTS);
    format!("{title}\n{}", rows.iter().map(row).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use selfsame_daemon::operations::status::HeartStatus;

    fn standing() -> Overview {
        Overview {
            version: "1.2.3".into(),
            agent: "main".into(),
            memories: 12,
            beliefs: 7,
            contested: 2,
            heartbeat: Some((
                "2026-11-18 09:01".into(),
                "the usual pace: 5m, x 0.5 in the morning, x 0.7 with many new memories; a pause of 1m45s"
                    .into(),
            )),
            daemon: Some("127.0.0.1:4177".into()),
            dashboard: Some("http://127.0.0.1:4177/dashboard".into()),
            clients: vec!["claude-code", "codex"],
            data: "/home/maya/.local/share/selfsame".into(),
            next: ("selfsame know conflicts", "something is contested"),
        }
    }

    #[test]
    fn ten_lines_that_fit_a_narrow_terminal() {
        assert_snapshot!(overview_words(&standing(), &Output::plain()), @r"
        selfsame 1.2.3
        agent      main
        memories   12
        beliefs    7, 2 contested
        heartbeat  looks next 2026-11-18 09:01, the usual pace
        daemon     running at 127.0.0.1:4177
        dashboard  http://127.0.0.1:4177/dashboard (`selfsame dashboard` gives a code)
        clients    claude-code, codex
        data       /home/maya/.local/share/selfsame
        next       selfsame know conflicts  something is contested
        ");
        let coloured = overview_words(&standing(), &Output::coloured()).replace('\x1b', "^");
        assert!(coloured.starts_with("^[1mselfsame 1.2.3^[0m\n"), "{coloured}");
        assert!(coloured.contains("7, ^[31m2 contested^[0m\n"), "{coloured}");
        assert!(
            coloured.ends_with("^[32mselfsame know conflicts^[0m  ^[2msomething is contested^[0m\n"),
            "{coloured}"
        );
    }

    #[test]
    fn the_next_step_is_what_is_worth_most() {
        let agent = |memories, contested, failing| AgentStatus {
            name: "main".into(),
            memories,
            summaries: 0,
            beliefs: BeliefStatus { active: contested, stale: 0, contested },
            hearts: Some(HeartStatus { failing, missed: 0 }),
            thinking: None,
        };
        for (agent, clients, command) in [
            (None, &[] as &[&str], "selfsame agent list"),
            (Some(agent(0, 0, 0)), &[], "selfsame remember \"...\""),
            (Some(agent(3, 1, 1)), &[], "selfsame heartbeat status"),
            (Some(agent(3, 1, 0)), &[], "selfsame know conflicts"),
            (Some(agent(3, 0, 0)), &[], "selfsame connect --detect --dry-run"),
            (Some(agent(3, 0, 0)), &["codex"], "selfsame recall \"...\""),
        ] {
            assert_eq!(next_step(agent.as_ref(), clients).0, command);
        }
    }
}
