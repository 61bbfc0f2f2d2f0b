//! What a thinker has at hand: tools as far as what it read lets it have them, and a purse. Every use is written down.

use super::overdrawn;
use crate::config::{ThinkerKind, ThinkerSettings};
use crate::error::Result;
use crate::mind::Access;
use crate::ports::{CallOutcome, Desk, Fault, FaultKind, ToolAnswer, ToolCard, ToolClass};
use selfsame_core::contemplation::Purse;
use selfsame_core::contemplation::tool::{Loops, answer_trust, may_use};
use selfsame_core::id::CallId;
use selfsame_core::seal::sha256;
use selfsame_core::time::Time;
use selfsame_store::work::attempts;
use selfsame_store::work::calls::{self, Call};
use selfsame_store::work::items::WorkItem;
use selfsame_store::work::spend::{self, Spend};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A single call may take so long, of what is left.
const LONGEST_CALL: Duration = Duration::from_secs(120);
/// Letters of a tool's name that are kept of one that does not exist.
const NAME_KEPT: usize = 64;

pub(super) struct WorkDesk<'d> {
    access: &'d Access<'d>,
    item: &'d WorkItem,
    cards: Vec<ToolCard>,
    max_calls: u32,
    purse: Purse,
    day: String,
    until: Time,
    state: Mutex<State>,
}

struct State {
    trust: f64,
    calls: u32,
    loops: Loops,
}

impl<'d> WorkDesk<'d> {
    pub(super) fn new(
        access: &'d Access<'d>,
        item: &'d WorkItem,
        settings: &ThinkerSettings,
        trust: f64,
        began_at: Time,
    ) -> Result<WorkDesk<'d>> {
        // A program and a host have tools of their own: for them no server of tools is started.
        let is_model = settings.kind == ThinkerKind::Model;
        let toolbox = access.mind.thinking.toolbox.as_ref().filter(|_| is_model);
        Ok(WorkDesk {
            access,
            item,
            cards: toolbox.map(|toolbox| toolbox.tools(access)).unwrap_or_default(),
            max_calls: settings.max_calls,
            purse: settings.purse(),
            day: access.today()?,
            until: began_at.saturating_add(settings.timeout),
            state: Mutex::new(State { trust, calls: 0, loops: Loops::default() }),
        })
    }

    /// The lowest trust of what was quoted and read so far.
    pub(super) fn trust(&self) -> f64 {
        self.locked().trust
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why this call may not be made, if it may not.
    fn objection(&self, card: Option<&ToolCard>, hash: [u8; 32], arguments: &str) -> Option<String> {
        let mut state = self.locked();
        state.calls += 1;
        let Some(card) = card else {
            return Some("there is no tool of that name".into());
        };
        if state.calls > self.max_calls {
            return Some(format!("more than {} calls: answer with what is known", self.max_calls));
        }
        if let Err(why) = may_use(card.class, state.trust) {
            return Some(why.into());
        }
        if let Err(why) = state.loops.note(&card.name, hash) {
            return Some(why.into());
        }
        match serde_json::from_str::<serde_json::Value>(arguments) {
            Ok(serde_json::Value::Object(_)) => None,
            _ => Some("its arguments are no JSON object".into()),
        }
    }

    fn run(&self, card: &ToolCard, arguments: &str) -> (ToolAnswer, Option<String>) {
        let time = self.time_left().min(LONGEST_CALL);
        let toolbox = self.access.mind.thinking.toolbox.as_ref();
        let answered = match toolbox {
            Some(toolbox) => toolbox.call(self.access, &card.name, arguments, time),
            None => Err("there are no tools here".into()),
        };
        // Whether it worked or not, its words are read now.
        let mut state = self.locked();
        state.trust = state.trust.min(answer_trust(card.class));
        drop(state);
        match answered {
            Ok(text) => (ToolAnswer { text, outcome: CallOutcome::Ran }, None),
            Err(text) => (ToolAnswer { text, outcome: CallOutcome::Failed }, Some("it failed".into())),
        }
    }

    fn write_down(&self, call: &Call) -> Result<()> {
        let (agent, item) = (self.access.agent.id, self.item);
        Ok(self.access.mind.store.background("thinking", &[agent], |writer| {
            calls::insert(writer, agent, call)?;
            attempts::called(writer, agent, item.id, item.attempts)
        })?)
    }
}

impl Desk for WorkDesk<'_> {
    fn tools(&self) -> Vec<ToolCard> {
        let state = self.locked();
        let may = |card: &&ToolCard| state.calls < self.max_calls && may_use(card.class, state.trust).is_ok();
        self.cards.iter().filter(may).cloned().collect()
    }

    fn call(&self, tool: &str, arguments: &str) -> ToolAnswer {
        let mind = self.access.mind;
        let began_at = mind.now();
        let card = self.cards.iter().find(|card| card.name == tool);
        let hash = sha256(&[arguments.as_bytes()]);
        let (mut answer, reason) = match (self.objection(card, hash, arguments), card) {
            (Some(why), _) => {
                (ToolAnswer { text: format!("refused: {why}"), outcome: CallOutcome::Refused }, Some(why))
            }
            (None, Some(card)) => self.run(card, arguments),
            (None, None) => unreachable!("what is no tool was objected to"),
        };
        let ended_at = mind.now();
        let call = Call {
            id: CallId::of(mind.mint.id(began_at)),
            work: self.item.id,
            tool: tool.chars().take(NAME_KEPT).filter(|c| !c.is_control()).collect(),
            class: card.map_or(ToolClass::Foreign, |card| card.class),
            arguments: hash,
            began_at,
            ended_at,
            outcome: answer.outcome,
            reason,
        };
        if let Err(error) = self.write_down(&call) {
            // What is not in the ledger did not happen, as far as the thinker may tell.
            answer = ToolAnswer {
                text: format!("the call could not be written down: {error}"),
                outcome: CallOutcome::Failed,
            };
        }
        answer
    }

    fn spent(&self, tokens: u64) -> std::result::Result<(), Fault> {
        let (agent, item) = (self.access.agent.id, self.item);
        let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
        let total = self.access.mind.store.background("thinking", &[agent], |writer| {
            spend::add(writer, agent, &self.day, Spend { tokens, exchanges: 1, millis: 0 })?;
            attempts::spent(writer, agent, item.id, item.attempts, tokens)?;
            spend::of(writer, agent, &self.day)
        });
        match total {
            Ok(total) => overdrawn(self.purse, total).map_or(Ok(()), Err),
            Err(error) => Err(Fault::new(FaultKind::Failed, error.to_string())),
        }
    }

    fn time_left(&self) -> Duration {
        self.until.since(self.access.mind.now())
    }
}
