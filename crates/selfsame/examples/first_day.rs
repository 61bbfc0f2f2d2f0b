//! A mind inside of another program, without a daemon: what somebody says is kept, a question is answered, something becomes
//! due, and the heart beats under a clock of our own.
//!
//! cargo run -p selfsame --example first_day

use selfsame::conversation::{Place, Saying};
use selfsame::memory::Draft;
use selfsame::recall::Question;
use selfsame::{Mind, Speaker};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mind = Mind::open(&folder.path().join("mind"))?;
    mind.ensure_agent("main")?;
    let operator = mind.access("main", Speaker::Operator)?;

    operator.remember(Draft::new("Maya prefers trains to planes"), None)?;
    let kitchen = Place::Channel("kitchen".into());
    operator.conversation_say(&Saying::new(kitchen, "Please remember that I hate airports."), None)?;

    for question in ["How does Maya travel?", "What do I hate?", "What about quartz xylophones?"] {
        let answer = operator.recall(&Question::new(question))?;
        match answer.hits.first() {
            Some(hit) => println!("{question} {}", hit.found.content()),
            None => println!("{question} nothing: {}", answer.why_empty.unwrap_or_default()),
        }
    }

    let tick = operator.heartbeat_tick(None)?;
    println!(
        "the heart beat with {} statements and 0 tokens: {}",
        tick.statements,
        tick.decision.verdict.reason()
    );
    Ok(())
}
