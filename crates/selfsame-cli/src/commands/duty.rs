//! selfsame duty

use crate::output::{Output, Tone, columns, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::duty::{
    CancelDuty, DutyReply, DutyRequest, DutyView, ListDuties, RequeueDuty,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List what is done in the background, with what is late or dead
    List,
    /// Give a dead or cancelled duty another chance, from now
    Requeue {
        /// The duty: dut_...
        id: String,
    },
    /// Stop a duty; requeue brings it back
    Cancel {
        /// The duty: dut_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    match command {
        Command::List => {
            let reply = backend.call::<ListDuties>("", &NoRequest {})?;
            output.reply(&reply, |_| columns(&reply.duties.iter().map(row).collect::<Vec<_>>()));
        }
        Command::Requeue { id } => say(&backend.call::<RequeueDuty>("", &DutyRequest { id })?, output),
        Command::Cancel { id } => say(&backend.call::<CancelDuty>("", &DutyRequest { id })?, output),
    }
    Ok(())
}

fn say(reply: &DutyReply, output: &Output) {
    output.reply(reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &reply.outcome), reply.id));
}

fn row(duty: &DutyView) -> Vec<String> {
    let state = if duty.health == "late" { format!("{} (late)", duty.state) } else { duty.state.clone() };
    let next = duty.next_at.get(..16).unwrap_or(&duty.next_at).replace('T', " ");
    vec![
        duty.id.clone(),
        duty.kind.clone(),
        duty.rhythm.clone(),
        state,
        format!("next {next}"),
        format!("done {}", duty.done),
        duty.last_error.as_deref().map(harmless).unwrap_or_default(),
    ]
}
