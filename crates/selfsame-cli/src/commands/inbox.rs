//! selfsame inbox

use crate::output::{Output, Tone, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::inbox::{
    CandidateView, CandidatesReply, CaptureRequest, CaptureText, DecisionRequest, ListInbox,
    ListInboxRequest, ReviewInbox, ReviewReply, ReviewRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// File what you say: what you ask to be remembered is, the rest waits for review
    Capture {
        /// The text, as you would say it
        text: String,
        /// Only you may see what comes of it
        #[arg(long)]
        private: bool,
    },
    /// List what waits for a decision, or what was decided
    List {
        /// pending, promoted, merged, rejected or expired [default: pending]
        #[arg(long)]
        status: Option<String>,
        /// Candidates, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show what waits for a decision and how to decide, or let the rules decide
    Review {
        /// Let the rules decide on what they are sure of
        #[arg(long)]
        by_rules: bool,
    },
    /// Make candidates memories
    Promote {
        /// The candidates: can_...
        #[arg(required = true)]
        ids: Vec<String>,
        /// Another type of memory than the hint
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        /// Another importance than the hint, 0 to 1
        #[arg(long)]
        importance: Option<f64>,
    },
    /// Say that a memory says it already
    Merge {
        /// The candidate: can_...
        id: String,
        /// The memory: mem_...
        #[arg(long)]
        into: String,
    },
    /// Leave candidates
    Reject {
        /// The candidates: can_...
        #[arg(required = true)]
        ids: Vec<String>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    let request = match command {
        Command::Capture { text, private } => {
            let reply = backend.call::<CaptureText>(&resolution.agent, &CaptureRequest { text, private })?;
            list(&reply, "nothing in it is worth remembering\n", output);
            return Ok(());
        }
        Command::List { status, limit } => {
            let request = ListInboxRequest { status, limit };
            let reply = backend.call::<ListInbox>(&resolution.agent, &request)?;
            list(&reply, "nothing\n", output);
            return Ok(());
        }
        Command::Review { by_rules } => ReviewRequest { decisions: Vec::new(), by_rules },
        Command::Promote { ids, kind, importance } => decided(
            ids,
            &DecisionRequest { decision: "promote".into(), kind, importance, ..DecisionRequest::default() },
        ),
        Command::Merge { id, into } => decided(
            vec![id],
            &DecisionRequest { decision: "merge".into(), into: Some(into), ..DecisionRequest::default() },
        ),
        Command::Reject { ids, reason } => {
            decided(ids, &DecisionRequest { decision: "reject".into(), reason, ..DecisionRequest::default() })
        }
    };
    let reply = backend.call::<ReviewInbox>(&resolution.agent, &request)?;
    output.reply(&reply, |output| reviewed(&reply, output));
    Ok(())
}

fn decided(ids: Vec<String>, decision: &DecisionRequest) -> ReviewRequest {
    let one = |id: String| DecisionRequest { id, ..decision.clone() };
    ReviewRequest { decisions: ids.into_iter().map(one).collect(), by_rules: false }
}

fn list(reply: &CandidatesReply, nothing: &str, output: &Output) {
    output.reply(reply, |output| match reply.candidates.is_empty() {
        true => nothing.to_owned(),
        false => reply.candidates.iter().map(|candidate| shown(candidate, output)).collect(),
    });
}

fn shown(candidate: &CandidateView, output: &Output) -> String {
    let CandidateView { id, candidate_type, content, status, confidence, expires_at, .. } = candidate;
    let fate = match (&candidate.memory, status.as_str()) {
        (Some(memory), _) => format!("{status}  {memory}"),
        (None, "pending") => format!("{status} until {}", date(expires_at)),
        (None, _) => format!("{status}  {}", harmless(candidate.reason.as_deref().unwrap_or_default())),
    };
    let below = format!("{id}  {candidate_type} {confidence}  {}", fate.trim_end());
    format!("{}\n  {}\n", harmless(content), output.paint(Tone::Faint, &below))
}

fn reviewed(reply: &ReviewReply, output: &Output) -> String {
    if reply.instructions.is_some() {
        let pending: String = reply.pending.iter().map(|candidate| shown(candidate, output)).collect();
        return match pending.is_empty() {
            true => "nothing waits for a decision\n".into(),
            false => {
                format!("{pending}\nDecide: selfsame inbox promote|merge|reject <ID>, or review --by-rules\n")
            }
        };
    }
    let line = |one: &selfsame_daemon::operations::inbox::ReviewedView| {
        let memory = one.candidate.memory.as_deref().unwrap_or_default();
        let line = format!("{}  {}  {memory}", output.paint(Tone::Good, &one.outcome), one.candidate.id);
        format!("{}\n", line.trim_end())
    };
    match reply.reviewed.is_empty() {
        true => "nothing was decided\n".into(),
        false => reply.reviewed.iter().map(line).collect(),
    }
}
