//! Out of JSON.

use super::Inputs;
use super::node::{BadReceipt, Node};
use crate::heartbeat::decision::{Decision, Seen, StepName, StepTrace, Verdict};
use crate::heartbeat::rules::{
    Autonomy, FirstContact, LevelRules, Pace, Period, PeriodRules, Responses, Rules,
};
use crate::heartbeat::signal::{Finding, RefKind, Sighting, Signal, Tier};
use crate::heartbeat::state::{Acted, Held, State};
use crate::id::Id;
use crate::time::{Time, Zone};
use std::collections::BTreeMap;

type Read<T> = Result<T, BadReceipt>;

pub(super) fn inputs(node: &Node<'_>) -> Read<Inputs> {
    Ok(Inputs {
        rules: rules(&node.field("rules")?)?,
        state: state(&node.field("state")?)?,
        sightings: node.list("sightings", sighting)?,
        now: node.field("now")?.time()?,
    })
}

fn rules(node: &Node<'_>) -> Read<Rules> {
    let (periods, levels) = (node.field("periods")?, node.field("levels")?);
    let period_of = |one: Period| period(&periods.field(one.as_str())?);
    let level_of = |one: Autonomy| level(&levels.field(one.as_str())?);
    let zone = node.field("zone")?;
    Ok(Rules {
        autonomy: node.field("autonomy")?.word(Autonomy::parse)?,
        zone: Zone::parse(zone.text()?).map_err(|_| zone.wrong("zone that is known here"))?,
        periods: [
            period_of(Period::Quiet)?,
            period_of(Period::Morning)?,
            period_of(Period::Working)?,
            period_of(Period::Evening)?,
            period_of(Period::LateNight)?,
        ],
        levels: [level_of(Autonomy::Observe)?, level_of(Autonomy::Suggest)?, level_of(Autonomy::Act)?],
        max_silence: node.field("max_silence")?.span()?,
        conversation: node.field("conversation")?.span()?,
        velocity: node.field("velocity")?.whole()?,
        critical: node.field("critical")?.span()?,
        first_contact: first_contact(&node.field("first_contact")?)?,
        responses: responses(&node.field("responses")?)?,
        pace: pace(&node.field("pace")?)?,
    })
}

fn period(node: &Node<'_>) -> Read<PeriodRules> {
    Ok(PeriodRules {
        from: node.field("from")?.whole()?,
        least: node.field("least")?.word(Tier::parse)?,
        factor: node.field("factor")?.real()?,
    })
}

fn level(node: &Node<'_>) -> Read<LevelRules> {
    Ok(LevelRules {
        threshold: node.field("threshold")?.whole()?,
        low: node.field("low")?.span()?,
        normal: node.field("normal")?.span()?,
        elevated: node.field("elevated")?.span()?,
    })
}

fn first_contact(node: &Node<'_>) -> Read<FirstContact> {
    Ok(FirstContact {
        memories: node.field("memories")?.whole()?,
        every: node.field("every")?.span()?,
        most: node.field("most")?.whole()?,
    })
}

fn responses(node: &Node<'_>) -> Read<Responses> {
    Ok(Responses {
        last: node.field("last")?.whole()?,
        within: node.field("within")?.span()?,
        least: node.field("least")?.whole()?,
        ignored_below: node.field("ignored_below")?.real()?,
        ignored_factor: node.field("ignored_factor")?.real()?,
        selective_below: node.field("selective_below")?.real()?,
        selective_factor: node.field("selective_factor")?.real()?,
        answer_within: node.field("answer_within")?.span()?,
    })
}

fn pace(node: &Node<'_>) -> Read<Pace> {
    Ok(Pace {
        base: node.field("base")?.span()?,
        shortest: node.field("shortest")?.span()?,
        longest: node.field("longest")?.span()?,
    })
}

fn state(node: &Node<'_>) -> Read<State> {
    Ok(State {
        held: node.optional("held", held)?,
        memories: node.field("memories")?.whole()?,
        wrote_at: node.optional("wrote_at", Node::time)?,
        introduced: node.list("introduced", Node::time)?,
        last_message_at: node.optional("last_message_at", Node::time)?,
        host_active_until: node.optional("host_active_until", Node::time)?,
        new_memories: node.field("new_memories")?.whole()?,
        acted: node.optional("acted", acted)?,
        acted_at: node.optional("acted_at", Node::time)?,
        surfaced: surfaced(node)?,
        delivered: node.field("delivered")?.whole()?,
        answered: node.field("answered")?.whole()?,
    })
}

fn held(node: &Node<'_>) -> Read<Held> {
    match node.field("how")?.text()? {
        "muted" => Ok(Held::Muted),
        "paused" => Ok(Held::Paused),
        "snoozed" => Ok(Held::Snoozed(node.field("until")?.time()?)),
        _ => Err(node.wrong("way to be held")),
    }
}

fn acted(node: &Node<'_>) -> Read<Acted> {
    Ok(Acted { at: node.field("at")?.time()?, fingerprint: node.field("fingerprint")?.hash()? })
}

fn surfaced(node: &Node<'_>) -> Read<BTreeMap<Id, Time>> {
    let entry = |(key, at): (&str, Node<'_>)| Ok((Id::from_bytes(at.bytes_of(key)?), at.time()?));
    node.entries("surfaced")?.into_iter().map(entry).collect()
}

fn sighting(node: &Node<'_>) -> Read<Sighting> {
    Ok(Sighting {
        signal: Signal {
            name: node.field("signal")?.text()?.to_owned(),
            tier: node.field("tier")?.word(Tier::parse)?,
            weight: node.field("weight")?.whole()?,
            meaning: node.field("meaning")?.text()?.to_owned(),
            aggregate: node.field("aggregate")?.flag()?,
        },
        count: node.field("count")?.whole()?,
        digest: node.field("digest")?.hash()?,
        listed: node.list("listed", finding)?,
    })
}

fn finding(node: &Node<'_>) -> Read<Finding> {
    Ok(Finding {
        kind: node.field("kind")?.word(RefKind::parse)?,
        id: node.field("id")?.id()?,
        topic: node.optional("topic", Node::id)?,
        label: String::new(),
        due_at: node.optional("due_at", Node::time)?,
        status: node.field("status")?.text()?.to_owned(),
    })
}

pub(super) fn decision(node: &Node<'_>) -> Read<Decision> {
    Ok(Decision {
        verdict: verdict(node)?,
        trace: node.list("trace", trace)?,
        period: node.field("period")?.word(Period::parse)?,
        surfaced: node.list("surfaced", sighting)?,
        fingerprint: node.optional("fingerprint", Node::hash)?,
        tier: node.optional("tier", |node| node.word(Tier::parse))?,
        score: node.field("score")?.whole()?,
        cooldown: node.optional("cooldown", Node::span)?,
        held_until: node.optional("held_until", Node::time)?,
    })
}

fn verdict(node: &Node<'_>) -> Read<Verdict> {
    let step = node.field("step")?.word(StepName::parse)?;
    let reason = node.field("reason")?.text()?.to_owned();
    let verdict = node.field("verdict")?;
    match verdict.text()? {
        "act" => Ok(Verdict::Act { step, reason }),
        "suppress" => Ok(Verdict::Suppress { step, reason }),
        _ => Err(verdict.wrong("verdict")),
    }
}

fn trace(node: &Node<'_>) -> Read<StepTrace> {
    Ok(StepTrace {
        step: node.field("step")?.word(StepName::parse)?,
        saw: node.list("saw", seen)?,
        dropped: node.list("dropped", seen)?,
        note: node.field("note")?.text()?.to_owned(),
        unless: node.optional("unless", |node| node.text().map(str::to_owned))?,
    })
}

fn seen(node: &Node<'_>) -> Read<Seen> {
    Ok(Seen { signal: node.field("signal")?.text()?.to_owned(), count: node.field("count")?.whole()? })
}
