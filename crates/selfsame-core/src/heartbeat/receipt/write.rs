//! Into JSON.

use crate::heartbeat::decision::{Decision, Seen, StepTrace};
use crate::heartbeat::rules::{Autonomy, LevelRules, Period, PeriodRules, Rules};
use crate::heartbeat::signal::{Finding, Sighting};
use crate::heartbeat::state::{Held, State};
use crate::id::Id;
use crate::seal::hex;
use crate::time::{Time, show_duration};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) fn inputs(rules: &Rules, state: &State, sightings: &[Sighting], now: Time) -> Value {
    json!({
        "rules": self::rules(rules),
        "state": self::state(state, sightings),
        "sightings": list(sightings, sighting),
        "now": time(now),
    })
}

pub(super) fn rules(rules: &Rules) -> Value {
    let periods = Period::ALL.iter().map(|one| (one.as_str().to_owned(), period(rules.of_period(*one))));
    let levels = Autonomy::ALL.iter().zip(&rules.levels);
    let levels = levels.map(|(one, rules)| (one.as_str().to_owned(), level(rules)));
    json!({
        "autonomy": rules.autonomy.as_str(),
        "zone": rules.zone.name(),
        "periods": periods.collect::<Map<_, _>>(),
        "levels": levels.collect::<Map<_, _>>(),
        "max_silence": span(rules.max_silence),
        "conversation": span(rules.conversation),
        "velocity": rules.velocity,
        "critical": span(rules.critical),
        "first_contact": {
            "memories": rules.first_contact.memories,
            "every": span(rules.first_contact.every),
            "most": rules.first_contact.most,
        },
        "responses": {
            "last": rules.responses.last,
            "within": span(rules.responses.within),
            "least": rules.responses.least,
            "ignored_below": rules.responses.ignored_below,
            "ignored_factor": rules.responses.ignored_factor,
            "selective_below": rules.responses.selective_below,
            "selective_factor": rules.responses.selective_factor,
            "answer_within": span(rules.responses.answer_within),
        },
        "pace": {
            "base": span(rules.pace.base),
            "shortest": span(rules.pace.shortest),
            "longest": span(rules.pace.longest),
        },
    })
}

fn period(rules: &PeriodRules) -> Value {
    json!({ "from": rules.from, "least": rules.least.as_str(), "factor": rules.factor })
}

fn level(rules: &LevelRules) -> Value {
    json!({
        "threshold": rules.threshold,
        "low": span(rules.low),
        "normal": span(rules.normal),
        "elevated": span(rules.elevated),
    })
}

/// Of what was surfaced before only what the sightings speak of: nothing else is asked for, and the rest would grow.
fn state(state: &State, sightings: &[Sighting]) -> Value {
    let subjects = |sighting: &Sighting| -> Vec<Id> {
        sighting.listed.iter().map(|finding| sighting.signal.subject(finding)).collect()
    };
    let subjects: BTreeSet<Id> = sightings.iter().flat_map(subjects).collect();
    let surfaced = state.surfaced.iter().filter(|(subject, _)| subjects.contains(subject));
    object([
        ("held", state.held.map(held)),
        ("memories", Some(state.memories.into())),
        ("wrote_at", state.wrote_at.map(time)),
        ("introduced", Some(list(&state.introduced, |at| time(*at)))),
        ("last_message_at", state.last_message_at.map(time)),
        ("host_active_until", state.host_active_until.map(time)),
        ("new_memories", Some(state.new_memories.into())),
        (
            "acted",
            state.acted.map(|acted| json!({ "at": time(acted.at), "fingerprint": hex(&acted.fingerprint) })),
        ),
        ("acted_at", state.acted_at.map(time)),
        ("surfaced", Some(surfaced.map(|(subject, at)| (hex(&subject.bytes()), time(*at))).collect())),
        ("delivered", Some(state.delivered.into())),
        ("answered", Some(state.answered.into())),
    ])
}

fn held(held: Held) -> Value {
    match held {
        Held::Muted => json!({ "how": "muted" }),
        Held::Paused => json!({ "how": "paused" }),
        Held::Snoozed(until) => json!({ "how": "snoozed", "until": time(until) }),
    }
}

fn sighting(sighting: &Sighting) -> Value {
    let signal = &sighting.signal;
    json!({
        "signal": signal.name,
        "tier": signal.tier.as_str(),
        "weight": signal.weight,
        "meaning": signal.meaning,
        "aggregate": signal.aggregate,
        "count": sighting.count,
        "digest": hex(&sighting.digest),
        "listed": list(&sighting.listed, finding),
    })
}

/// Without its label.
fn finding(finding: &Finding) -> Value {
    object([
        ("kind", Some(finding.kind.as_str().into())),
        ("id", Some(hex(&finding.id.bytes()).into())),
        ("topic", finding.topic.map(|topic| hex(&topic.bytes()).into())),
        ("due_at", finding.due_at.map(time)),
        ("status", Some(finding.status.as_str().into())),
    ])
}

pub(super) fn decision(decision: &Decision) -> Value {
    object([
        ("verdict", Some(if decision.verdict.is_act() { "act" } else { "suppress" }.into())),
        ("step", Some(decision.verdict.step().as_str().into())),
        ("reason", Some(decision.verdict.reason().into())),
        ("trace", Some(list(&decision.trace, trace))),
        ("period", Some(decision.period.as_str().into())),
        ("surfaced", Some(list(&decision.surfaced, sighting))),
        ("fingerprint", decision.fingerprint.map(|print| hex(&print).into())),
        ("tier", decision.tier.map(|tier| tier.as_str().into())),
        ("score", Some(decision.score.into())),
        ("cooldown", decision.cooldown.map(span)),
        ("held_until", decision.held_until.map(time)),
    ])
}

fn trace(trace: &StepTrace) -> Value {
    object([
        ("step", Some(trace.step.as_str().into())),
        ("saw", Some(list(&trace.saw, seen))),
        ("dropped", Some(list(&trace.dropped, seen))),
        ("note", Some(trace.note.as_str().into())),
        ("unless", trace.unless.as_deref().map(Value::from)),
    ])
}

fn seen(seen: &Seen) -> Value {
    json!({ "signal": seen.signal, "count": seen.count })
}

fn time(time: Time) -> Value {
    time.to_string().into()
}

fn span(span: Duration) -> Value {
    show_duration(span).into()
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Value) -> Value {
    items.iter().map(one).collect()
}

/// What is absent is left out.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect())
}
