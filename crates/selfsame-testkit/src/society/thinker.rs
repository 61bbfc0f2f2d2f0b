//! What thinks for the village: no model, but a script that knows how each one's day went, and dice of its own.

use super::cast::{VILLAGE, Villager};
use crate::seeded::Dice;
use selfsame::ports::{Desk, Fault, FaultKind, Prompt, Thinker, Thinkers, Thought, WorkKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an exchange costs, in tokens: of no weight here.
const COST: u64 = 400;

/// How somebody feels, in the words that are kept of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Feeling {
    /// In a word.
    pub word: &'static str,
    /// Bad to good, -2 to 2.
    pub valence: f64,
    /// Calm to stirred, 0 to 1.
    pub arousal: f64,
    /// With how much strength.
    pub energy: &'static str,
}

/// From a quarrel to a good day.
pub const FEELINGS: [Feeling; 6] = [
    Feeling { word: "hurt", valence: -1.3, arousal: 0.7, energy: "low" },
    Feeling { word: "uneasy", valence: -0.5, arousal: 0.5, energy: "medium" },
    Feeling { word: "quiet", valence: 0.2, arousal: 0.1, energy: "low" },
    Feeling { word: "curious", valence: 0.6, arousal: 0.4, energy: "medium" },
    Feeling { word: "warm", valence: 1.1, arousal: 0.4, energy: "medium" },
    Feeling { word: "elated", valence: 1.7, arousal: 0.8, energy: "high" },
];

/// What the script knows of somebody.
#[derive(Clone, Debug)]
struct Inner {
    dice: Dice,
    feeling: Feeling,
    /// Whom it met last.
    met: Option<&'static str>,
    thoughts: u32,
}

/// The script, shared by the world that tells it what happened and the minds that are asked.
#[derive(Debug)]
pub struct Muse {
    inner: Mutex<BTreeMap<&'static str, Inner>>,
    /// Whose secret stood before whose thinker: there must be none.
    crossed: Mutex<Vec<String>>,
}

impl Muse {
    /// A script for these, with dice of this seed.
    pub fn new(villagers: &[Villager], seed: u64) -> Muse {
        let inner = |(at, villager): (usize, &Villager)| {
            let dice = Dice::new(seed ^ (at as u64 + 1).wrapping_mul(0x5851_f42d_4c95_7f2d));
            (villager.name, Inner { dice, feeling: FEELINGS[2], met: None, thoughts: 0 })
        };
        let inner = villagers.iter().enumerate().map(inner).collect();
        Muse { inner: Mutex::new(inner), crossed: Mutex::default() }
    }

    /// Somebody met somebody, and felt so.
    pub fn felt(&self, who: &'static str, whom: &'static str, feeling: Feeling) {
        if let Some(inner) = locked(&self.inner).get_mut(who) {
            (inner.met, inner.feeling) = (Some(whom), feeling);
        }
    }

    /// How somebody feels.
    pub fn feeling(&self, who: &str) -> Feeling {
        locked(&self.inner).get(who).map_or(FEELINGS[2], |inner| inner.feeling)
    }

    /// What of one mind was shown to another, and is nobody else's to know.
    pub fn crossed(&self) -> Vec<String> {
        locked(&self.crossed).clone()
    }

    fn watch(&self, name: &str, prompt: &Prompt) {
        let others = VILLAGE.iter().filter(|villager| villager.name != name);
        for other in others.filter(|other| prompt.material.contains(other.secret)) {
            locked(&self.crossed).push(format!("{name} was shown what {} tells nobody", other.name));
        }
    }

    fn reply(&self, villager: &Villager, work: WorkKind, prompt: &Prompt) -> String {
        let mut all = locked(&self.inner);
        let Some(inner) = all.get_mut(villager.name) else { return String::new() };
        match work {
            WorkKind::Contemplate => {
                format!("{}\n{}", episode(villager, inner), verdicts(&prompt.material))
            }
            WorkKind::ReviewInbox => verdicts(&prompt.material),
            WorkKind::ExtractLessons => lessons(villager, inner, &prompt.material),
            WorkKind::Summarize => summary(villager, inner),
            WorkKind::PhraseClaim => "[PHRASES_JSON][][/PHRASES_JSON]".into(),
            WorkKind::PhraseNudge => "[NUDGES_JSON][][/NUDGES_JSON]".into(),
        }
    }
}

/// The script, as a mind is given it.
pub struct Muses(pub Arc<Muse>);

impl Thinkers for Muses {
    fn thinker(&self, agent: &str, work: WorkKind) -> Result<Arc<dyn Thinker>, Fault> {
        let found = VILLAGE.iter().find(|villager| villager.name == agent);
        let villager = *found.ok_or_else(|| Fault::new(FaultKind::Misconfigured, "nobody of the village"))?;
        Ok(Arc::new(OneMind { villager, work, muse: Arc::clone(&self.0) }))
    }
}

/// The script, asked for somebody and something.
struct OneMind {
    villager: Villager,
    work: WorkKind,
    muse: Arc<Muse>,
}

impl Thinker for OneMind {
    fn name(&self) -> &str {
        "model"
    }

    fn model(&self) -> Option<&str> {
        Some("a script")
    }

    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault> {
        self.muse.watch(self.villager.name, prompt);
        let text = self.muse.reply(&self.villager, self.work, prompt);
        desk.spent_at_last(COST)?;
        Ok(Thought { text, model: None })
    }
}

fn episode(villager: &Villager, inner: &mut Inner) -> String {
    inner.thoughts += 1;
    let Feeling { word, valence, arousal, energy } = inner.feeling;
    let whom = inner.met.unwrap_or("nobody");
    let thought = match (inner.met, inner.dice.below(6)) {
        (Some(_), 0) => format!("{whom} asked what I would do if I did not do this. I have no answer yet."),
        (Some(_), 1) => format!("I keep hearing how {whom} said it, more than what was said."),
        (Some(_), 2) => format!("It may be that {whom} needs less advice and more company."),
        (_, 3) => format!("{}: and still I did not live by it today.", villager.value),
        (_, 4) => {
            format!("What I dread is {}. Said aloud it is smaller.", villager.fear.trim_start_matches("to "))
        }
        _ => format!("Day {} of looking, and the village is not yet used up.", inner.thoughts),
    };
    let lesson = match inner.dice.percent(40) {
        true => r#","lesson":"Listen to the end before answering.""#,
        false => "",
    };
    let kind = if inner.dice.percent(12) { "rest" } else { "contemplation" };
    // A feeling wears off.
    inner.feeling = if valence < 0.0 { FEELINGS[2] } else { FEELINGS[3] };
    format!(
        r#"[EPISODE_JSON]{{"type":"{kind}","trigger":"a quiet hour","observations":["{thought}"],"actions_taken":[],
"tools_used":[],"outcome":{{"result":"noticed","summary":"{thought}"}},"success":true,
"mood":{{"state":"{word}","energy":"{energy}"}},"valence":{valence},"arousal":{arousal},
"identity_links":[{{"name":"{}","strength":0.7}}]{lesson}}}[/EPISODE_JSON]"#,
        villager.trade
    )
}

/// What is preferred or wanted is worth keeping; the rest is not.
fn verdicts(material: &str) -> String {
    let verdict = |line: &str| {
        let id = ids(line, "can_").next()?;
        let keep = line.contains("remember") || line.contains("prefer");
        let decision = if keep { "promote" } else { "reject" };
        Some(format!(r#"{{"id":"{id}","decision":"{decision}"}}"#))
    };
    let verdicts: Vec<String> = material.lines().filter_map(verdict).collect();
    format!("[INBOX_JSON][{}][/INBOX_JSON]", verdicts.join(","))
}

/// Of two episodes or more there may be something to learn.
fn lessons(villager: &Villager, inner: &mut Inner, material: &str) -> String {
    let shown: Vec<&str> = ids(material, "epi_").take(2).collect();
    let [one, other] = shown[..] else { return "[LESSONS_JSON][][/LESSONS_JSON]".into() };
    let lesson = match inner.dice.below(3) {
        0 => format!("Who {} should ask before the work begins, not after.", villager.trade),
        1 => "A walk to the cape settles more than a second talk.".to_owned(),
        _ => "What is said in the morning is kept longer than what is said at night.".to_owned(),
    };
    format!(
        r#"[LESSONS_JSON][{{"type":"discovery","context":"in the village","action":"looked back","outcome":"seen",
"lesson":"{lesson}","tags":["village"],"tools":[],"episodes":["{one}","{other}"]}}][/LESSONS_JSON]"#
    )
}

fn summary(villager: &Villager, inner: &Inner) -> String {
    let met = inner.met.map_or_else(String::new, |met| format!(" {met} was there more than once."));
    format!(
        "Themes: {}, the village\nDays at {} went by, mostly {}.{met} The counting of gulls, boats and buckets goes on.\n\
         Word by word:\n",
        villager.trade, villager.home, inner.feeling.word
    )
}

/// The words of a text that begin so, as ids do.
fn ids<'t>(text: &'t str, begin: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(move |word| word.starts_with(begin))
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
