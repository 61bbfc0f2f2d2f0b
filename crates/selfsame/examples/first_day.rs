//! A mind inside of another program, without a daemon: what somebody says is kept, a question is answered, something becomes
//! due, and the heart beats under a clock of our own.
//!
//! cargo run -p selfsame --example first_day

use selfsame::clock::ManualClock;
use selfsame::config::Settings;
use selfsame::conversation::{Place, Saying};
use selfsame::memory::Draft;
use selfsame::recall::Question;
use selfsame::time::{Clock as _, Time};
use selfsame::{DataFolder, Opening, Speaker, jobs};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    first_day(&mut |line| println!("{line}"))
}

/// The day, told line by line.
pub fn first_day(tell: &mut dyn FnMut(String)) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    // A program that lives in the present leaves the clock out: `Mind::open(&path)`.
    let clock = Arc::new(ManualClock::at(Time::parse("2027-06-01T08:00:00Z")?));
    let place = DataFolder::create(&folder.path().join("mind"))?;
    let mind = Opening::default().clock(Arc::clone(&clock) as _).open(&place)?;
    mind.ensure_agent("main")?;
    let operator = mind.access("main", Speaker::Operator)?;

    operator.remember(Draft::new("Maya prefers trains to planes"), None)?;
    let kitchen = Place::Channel("kitchen".into());
    operator.conversation_say(&Saying::new(kitchen, "Please remember that I hate airports."), None)?;
    let mut plants = Draft::new("water the tomatoes");
    plants.tags = vec!["cron:daily:09:00".into()];
    operator.remember(plants, None)?;

    for question in ["How does Maya travel?", "What do I hate?", "What about quartz xylophones?"] {
        let answer = operator.recall(&Question::new(question))?;
        match answer.hits.first() {
            Some(hit) => tell(format!("{question} {}", hit.found.content())),
            None => tell(format!("{question} nothing: {}", answer.why_empty.unwrap_or_default())),
        }
    }

    // A look at the heart, which changes nothing: it is eight, and nothing is due.
    let look = operator.heartbeat_peek(None, None)?;
    let reason = look.decision.verdict.reason();
    tell(format!("{} {} statements and no token: {reason}", hour(look.at), look.statements));

    // What a daemon does all day: a step, then sleep until there is something to do. Here the clock is set instead.
    let scheduler = jobs::scheduler(&Settings::default());
    let noon = Time::parse("2027-06-01T12:00:00Z")?;
    let mut beats = 0;
    while clock.now() < noon {
        let began = clock.now();
        let step = scheduler.step(&mind)?;
        beats += step.beats.ticks;
        if step.beats.acts > 0 {
            let nudges = operator.fetch_nudges(None, 10)?.nudges.into_iter().map(|card| card.nudge);
            for nudge in nudges.filter(|nudge| nudge.created_at >= began) {
                tell(format!("{} {}: {}", hour(nudge.created_at), nudge.kind.as_str(), nudge.what));
            }
        }
        clock.set(step.wake_at.unwrap_or(noon).min(noon));
    }
    tell(format!("{} the heart beat {beats} times, and said nothing else", hour(noon)));
    Ok(())
}

/// The hour and the minute of a moment.
fn hour(moment: Time) -> String {
    moment.to_string()[11..16].to_owned()
}
