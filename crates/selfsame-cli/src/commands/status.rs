//! selfsame status, and selfsame alone

use crate::output::{Output, Tone, columns, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::status::{
    AgentStatus, BeliefStatus, DutyStatus, GetStatus, ModelStatus, StatusReply,
};

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    let daemon = backend.daemon_address();
    let reply = backend.call::<GetStatus>("", &NoRequest {})?;
    output.reply(&reply, |output| words(&reply, resolution, daemon.as_deref(), output));
    Ok(())
}

/// Without a command: where you stand, or how to begin.
pub(crate) fn overview(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    match run(resolution, output) {
        Err(failure) if failure.status == 404 => {
            output.print(
                "There is no mind yet.\n\n  selfsame init     make one\n  selfsame --help   see what it can do\n",
            );
            Ok(())
        }
        other => other,
    }
}

/// Memories, and beliefs where there are any.
fn has(agent: &AgentStatus) -> String {
    let memories = counted(agent.memories, "memory", "memories");
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
        Some(address) => format!("running at http://{address}"),
        None => "not running (`selfsame serve` starts it)".into(),
    };
    let mut rows = vec![
        vec!["data".into(), resolution.home.data.display().to_string()],
        vec!["database".into(), format!("{}, schema {}", reply.database, reply.schema)],
        vec!["daemon".into(), running],
        vec!["recall".into(), reply.recall.clone()],
    ];
    if let Some(model) = &reply.model {
        rows.push(vec!["model".into(), model.name.clone()]);
        rows.push(vec!["vectors".into(), vectors(model)]);
        if let Some(trouble) = &model.trouble {
            rows.push(vec!["trouble".into(), output.paint(Tone::Bad, trouble)]);
        }
    }
    rows.push(vec!["duties".into(), duties(reply.duties)]);
    if let Some(seconds) = reply.clock_skew_seconds {
        let skew = format!("{seconds} s from the database server's, which is used: set this machine's clock");
        rows.push(vec!["clock".into(), output.paint(Tone::Bad, &skew)]);
    }
    for agent in &reply.agents {
        let own = if agent.name == resolution.agent { " (yours)" } else { "" };
        rows.push(vec!["agent".into(), format!("{}{own}, {}", agent.name, has(agent))]);
        if let Some(hearts) = &agent.hearts {
            rows.push(vec!["".into(), output.paint(Tone::Bad, &hearts.words())]);
        }
    }
    format!("{}\n{}", output.paint(Tone::Strong, &format!("selfsame {}", reply.version)), columns(&rows))
}
