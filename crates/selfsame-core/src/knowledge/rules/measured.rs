//! Numbers and dates that change: what they are of, and what they are now. "My response time has improved to 250 ms",
//! "I've read 12 of 20 chapters", "the new deadline of April 5". What is wanted or planned is not reached.

use super::clause::{Answer, reading};
use super::deed;
use super::lexicon::is_adverb;
use super::line::Line;
use super::part::Part;
use super::quantity::{self, Quantity, Sort};
use super::subject::Subject;
use super::thing::{Owner, Thing};
use crate::knowledge::claim::{About, Reading, Says};
use crate::knowledge::slot::{self, Family, Nature, seeded};
use crate::knowledge::vocabulary::Vocabulary;
use std::ops::Range;

/// What a long sentence says of quantities.
pub(super) fn read(line: &Line, parts: &[Part], found: &mut Vec<Reading>) {
    let mut spoken_of = SpokenOf::default();
    for (place, part) in parts.iter().enumerate() {
        for at in part.words.clone() {
            let form = Form { part, at, floor: floor(parts, place) };
            if let Some(now) = form.goes_on(&spoken_of).or_else(|| form.read()).filter(Now::is_telling) {
                now.tell(line, part, found);
            }
            spoken_of.note(&form);
        }
    }
}

/// What a later part may go on about without naming it.
#[derive(Default)]
struct SpokenOf {
    /// What was said to change: "the load has dropped, now averaging 5%".
    changing: Option<Thing>,
    /// What was aimed at: "I aim for 90% coverage, and I've reached 65%".
    aimed_at: Option<Thing>,
}

impl SpokenOf {
    fn note(&mut self, form: &Form) {
        if let Some(thing) = form.changes() {
            self.changing = Some(thing);
        }
        if let Some(thing) = form.aims_at() {
            self.aimed_at = Some(thing);
        }
    }
}

/// Where what a part is about may begin: "..., which" is about the part before.
fn floor(parts: &[Part], place: usize) -> usize {
    let part = &parts[place];
    let earlier = matches!(part.line.word(part.words.start), "which" | "now") && place > 0;
    parts[place - usize::from(earlier)].words.start
}

/// Something and its quantity.
struct Now {
    thing: Thing,
    quantity: Quantity,
    from: Option<Quantity>,
}

impl Now {
    /// Whether it says which: of "the meeting" only the sentences around know which one it is.
    fn is_telling(&self) -> bool {
        let event =
            self.quantity.sort == Sort::Date && !matches!(self.thing.head.as_str(), "deadline" | "date");
        !event || self.thing.owner == Owner::Speaker || self.thing.words.len() > 1
    }

    fn tell(&self, line: &Line, part: &Part, found: &mut Vec<Reading>) {
        let name = self.thing.name();
        let slot = match seeded(&name).filter(|slot| slot.nature == Nature::Fact && !slot.many) {
            Some(slot) => slot.name.to_owned(),
            None => slot::in_family(self.family(), &name),
        };
        let value = line.written(self.words(&self.quantity));
        let replaces = self.from.as_ref().map(|from| line.written(self.words(from)));
        let sentence = line.written(self.thing.start.min(part.words.start)..part.words.end);
        let answer = Answer { slot: &slot, value, says: Says::Holds, replaces };
        found.push(Reading { sentence: sentence.to_owned(), ..reading(line, &speaker(), &answer) });
        found.extend(deed::behind_result(line, &self.thing, sentence));
    }

    /// The words of the value; what is counted is one of them unless it is what the question asks for.
    fn words(&self, quantity: &Quantity) -> Range<usize> {
        let asked = quantity.sort == Sort::Count
            && self.thing.is_plural()
            && self.quantity.of.start < self.thing.start;
        quantity.value.start..if asked || quantity.of.is_empty() {
            quantity.value.end
        } else {
            quantity.of.end
        }
    }

    fn family(&self) -> Family {
        match self.quantity.sort {
            Sort::Date => Family::Date,
            Sort::Measure => Family::Measure,
            Sort::Count | Sort::Bare if self.thing.is_plural() => Family::Count,
            Sort::Count | Sort::Bare => Family::Measure,
        }
    }
}

/// Who says it.
pub(super) fn speaker() -> Subject {
    Subject { about: About::Speaker, first_person: true, marked: true, attribute: None, next: 0 }
}

static CHANGED: Vocabulary = Vocabulary::of(
    "improved increased decreased dropped fallen fell grown grew risen rose climbed jumped declined shrunk \
     shrank gone went moved shifted slipped been reduced extended adjusted rescheduled pushed postponed raised \
     lowered cut changed updated bumped brought boosted expanded shortened delayed doubled scaled revised \
     upgraded trimmed upped halved",
);

/// Verbs whose object is the new value.
fn reaches(word: &str) -> bool {
    matches!(word, "reached" | "hit" | "reaches" | "averages" | "totals" | "exceeds")
}

/// One look at a word of a part.
struct Form<'p, 'c, 't> {
    part: &'p Part<'c, 't>,
    at: usize,
    floor: usize,
}

impl Form<'_, '_, '_> {
    fn word(&self, at: usize) -> &str {
        self.part.word(at)
    }

    fn line(&self) -> &Line<'_> {
        self.part.line
    }

    fn read(&self) -> Option<Now> {
        let plain = || self.part.is_plain_until(self.at);
        match self.word(self.at) {
            "of" => self.of_quantity(),
            "on" | "for" if plain() => self.dated(),
            "now" if plain() => self.put_in().or_else(|| self.habit()),
            "managed" if plain() => self.managed(),
            "is" | "are" if plain() => self.being(),
            "have" if plain() => self.having(),
            "has" | "includes" | "contains" if plain() => self.holding(),
            "with" if plain() => self.with_result(),
            word if reaches(word) && plain() => self.reached(),
            word if CHANGED.contains(word) && plain() => self.changed(),
            word if is_done(word) && plain() => self.done(),
            _ => None,
        }
    }

    /// "..., now averaging 250 ms": of what the part before says that it changed.
    fn goes_on(&self, spoken_of: &SpokenOf) -> Option<Now> {
        if self.word(self.at) == "reached" && self.is_own_deed() && self.part.is_plain_until(self.at) {
            let quantity = self.quantity(self.at + 1).filter(|quantity| quantity.of.is_empty())?;
            return Some(Now { thing: spoken_of.aimed_at.clone()?, quantity, from: None });
        }
        let verb =
            matches!(self.word(self.at), "averaging" | "reaching" | "hitting" | "totalling" | "totaling");
        let first = (self.part.start()..self.at).all(|at| is_adverb(self.word(at)));
        let quantity = self.quantity(self.at + 1).filter(|_| verb && first && self.part.told)?;
        Some(Now { thing: spoken_of.changing.clone()?, quantity, from: None })
    }

    /// "to achieve 100% test coverage on my module".
    fn aims_at(&self) -> Option<Thing> {
        let aim =
            matches!(self.word(self.at), "achieve" | "achieving" | "reach" | "reaching" | "aiming" | "aim");
        let at = self.at + 1 + usize::from(self.word(self.at + 1) == "for");
        let quantity = self.quantity(at).filter(|quantity| aim && quantity.sort == Sort::Measure)?;
        Thing::with_place(self.line(), quantity.end(), self.part.words.end)
    }

    /// What changed, whether or not it is said to what.
    fn changes(&self) -> Option<Thing> {
        let changed = CHANGED.contains(self.word(self.at)) && self.part.is_plain_until(self.at);
        changed.then(|| self.subject()).flatten().filter(|_| !self.is_own_deed())
    }

    /// Where the helping words before the verb begin; none if they turn it around or put it in the past of the past.
    fn helped_from(&self) -> Option<usize> {
        let mut at = self.at;
        while at > self.part.words.start {
            match self.word(at - 1) {
                "not" | "never" | "had" | "to" | "be" | "being" => return None,
                "has" | "have" | "been" | "is" | "are" | "was" | "were" => {}
                word if is_adverb(word) || is_turn(word) => {}
                _ => break,
            }
            at -= 1;
        }
        Some(at)
    }

    /// Whether it is something that the speaker did.
    fn is_own_deed(&self) -> bool {
        self.helped_from().is_some_and(|from| from > 0 && is_first_person(self.word(from - 1)))
    }

    /// What the verb is said of.
    fn subject(&self) -> Option<Thing> {
        let from = self.helped_from()?;
        let which = matches!(self.line().word(from.wrapping_sub(1)), "which" | "that");
        let end = from - usize::from(which);
        Thing::before(self.line(), self.floor, end).filter(|thing| self.is_ours(thing))
    }

    /// Whether it is the speaker's to tell: what was read or heard somewhere is not.
    fn is_ours(&self, thing: &Thing) -> bool {
        thing.owner == Owner::Speaker || !self.line().words().any(is_hearsay)
    }

    fn quantity(&self, at: usize) -> Option<Quantity> {
        let at = if self.word(at) == "a" && self.word(at + 1) == "total" { at + 3 } else { at };
        Quantity::at(self.line(), at).filter(|quantity| quantity.value.end <= self.part.words.end)
    }

    /// The new value, and the old one if it is told: "from 70% to 90%", "to 90% from 70%", "down to 90%".
    fn ends(&self, at: usize) -> Option<(Quantity, Option<Quantity>)> {
        let at = self.past_turns(at);
        match self.word(at) {
            "to" => self.quantity(at + 1).map(|to| {
                let from = (self.word(to.end()) == "from").then(|| self.quantity(to.end() + 1)).flatten();
                (to, from)
            }),
            "from" => {
                let from = self.quantity(at + 1)?;
                let to = (self.word(from.end()) == "to").then(|| self.quantity(from.end() + 1))??;
                Some((to, Some(from)))
            }
            "by" => self.ends(self.quantity(at + 1)?.end()),
            _ => None,
        }
    }

    fn past_turns(&self, mut at: usize) -> usize {
        while is_turn(self.word(at)) || is_adverb(self.word(at)) {
            at += 1;
        }
        at
    }

    /// "has improved to Q"; of the speaker's own deed "increased X to Q".
    fn changed(&self) -> Option<Now> {
        if self.is_own_deed() {
            return self.made(self.at);
        }
        let thing = self.subject()?;
        let (quantity, from) = self.ends(self.at + 1)?;
        Some(self.about_topic(Now { thing, quantity, from }))
    }

    /// The same of what follows the number: "my score rose to 90% on fractions".
    fn about_topic(&self, mut now: Now) -> Now {
        now.thing.words.extend(self.topic(now.quantity.end()));
        now
    }

    /// What the speaker brought to a new value, from the verb on.
    fn made(&self, verb: usize) -> Option<Now> {
        let stop = (verb + 1..self.part.words.end)
            .find(|at| matches!(self.word(*at), "to" | "from" | "by") && self.ends(*at).is_some())?;
        let end = (verb + 1..stop).rev().find(|at| !is_turn(self.word(*at)))? + 1;
        let thing = Thing::from(self.line(), verb + 1, end).filter(|thing| !thing.is_any)?;
        let (quantity, from) = self.ends(stop)?;
        Some(self.about_topic(Now { thing, quantity, from }))
    }

    /// "I managed to cut my screen time to 2 hours": who managed did.
    fn managed(&self) -> Option<Now> {
        let verb = self.at + 2;
        let did = self.word(self.at + 1) == "to" && is_changing(self.word(verb)) && self.is_own_deed();
        did.then(|| self.made(verb)).flatten()
    }

    /// "my budget, now $4,500, ...".
    fn put_in(&self) -> Option<Now> {
        let at = self.past_turns(self.at + 1);
        let quantity = self.quantity(at + usize::from(self.word(at) == "at"))?;
        let thing = Thing::before(self.line(), self.floor, self.part.words.start)?;
        let put_in = self.at == self.part.words.start && self.at > 0 && self.line().ends_at(self.at - 1);
        let known = thing.owner == Owner::Speaker && is_measured(&thing.head);
        (put_in && known).then_some(Now { thing, quantity, from: None })
    }

    /// "I now write 800 words a day", "I'm now working three days a week".
    fn habit(&self) -> Option<Now> {
        let am = usize::from(matches!(self.word(self.at.wrapping_sub(1)), "am" | "are"));
        let own = is_first_person(self.word(self.at.wrapping_sub(1 + am)));
        let quantity = self.quantity(self.at + 2).filter(|_| own)?;
        let each = quantity.value.clone().any(|at| matches!(self.word(at), "per" | "a" | "each" | "every"));
        let thing = Thing::from(self.line(), self.at + 1, self.at + 2)?;
        (each && quantity.sort == Sort::Measure).then_some(Now { thing, quantity, from: None })
    }

    /// "I have a meeting with Tom on May 3", "I've booked my flight for May 3", "my exam on Friday".
    fn dated(&self) -> Option<Now> {
        let quantity = self.quantity(self.at + 1).filter(|quantity| quantity.sort == Sort::Date)?;
        let arranged = usize::from(is_arranged(self.word(self.at.wrapping_sub(1))));
        let thing = Thing::before(self.line(), self.part.words.start, self.at - arranged)?;
        let before = thing.start.wrapping_sub(1);
        let had = matches!(self.word(before), "have" | "got") || is_arranged(self.word(before));
        let ours = thing.owner == Owner::Speaker || had && self.is_first_person_before(before);
        (ours && is_dated(&thing.head)).then_some(Now { thing, quantity, from: None })
    }

    fn is_first_person_before(&self, at: usize) -> bool {
        let own = |at: &usize| !matches!(self.word(*at), "have" | "got") && !is_adverb(self.word(*at));
        (self.part.words.start..at).rfind(own).is_some_and(|at| is_first_person(self.word(at)))
    }

    /// "has now reached Q".
    fn reached(&self) -> Option<Now> {
        let quantity = self.quantity(self.at + 1)?;
        let thing = self.subject().filter(|_| !self.is_own_deed())?;
        Some(Now { thing, quantity, from: None })
    }

    /// "is now Q", "is set for DATE".
    fn being(&self) -> Option<Now> {
        let mut at = self.past_turns(self.at + 1);
        let current = (self.at + 1..at).any(|at| matches!(self.word(at), "now" | "currently"));
        let set = matches!(self.word(at), "set" | "scheduled" | "due" | "planned");
        at += usize::from(set);
        at += usize::from(matches!(self.word(at), "for" | "on" | "at" | "in"));
        let thing = self.subject()?;
        let quantity = self.quantity(at)?;
        let known = match quantity.sort {
            Sort::Date => is_dated(&thing.head),
            _ => !set && is_measured(&thing.head),
        };
        let certain = known || (current && thing.owner == Owner::Speaker);
        let ends = quantity.end() >= self.part.words.end || !self.word(quantity.end()).ends_with('s');
        (certain && ends && !thing.is_any).then_some(Now { thing, quantity, from: None })
    }

    /// "I now have 10 cards", "I have a total of 10 cards".
    fn having(&self) -> Option<Now> {
        let total = self.word(self.at + 1) == "a" && self.word(self.at + 2) == "total";
        let from = self.helped_from()?;
        let now = (self.part.words.start..self.at)
            .chain(self.at + 1..self.at + 2)
            .any(|at| matches!(self.word(at), "now" | "currently"));
        let at = self.past_turns(self.at + 1);
        let quantity = self.quantity(at).filter(|_| is_first_person(self.word(from.wrapping_sub(1))))?;
        (total || now).then(|| self.counted(quantity))?
    }

    /// "the gallery now has 10 cards".
    fn holding(&self) -> Option<Now> {
        let now = |at: &usize| matches!(self.word(*at), "now" | "currently");
        let from = self.helped_from()?;
        let at = self.past_turns(self.at + 1);
        let holder = self.subject().filter(|_| (from..at).any(|at| now(&at)))?;
        let mut held = self.counted(self.quantity(at)?)?;
        held.thing.words.splice(0..0, holder.words);
        Some(held)
    }

    /// "I've completed 15 puzzles with 95% accuracy".
    fn with_result(&self) -> Option<Now> {
        let verb = (self.part.words.start..self.at).rev().find(|at| is_done(self.word(*at)))?;
        let of = Form { at: verb, ..*self }.quantity_done()?.of;
        let of = Thing::from(self.line(), of.start, of.end)?.words;
        let quantity = self.quantity(self.at + 1)?;
        let mut thing = Thing::from(self.line(), quantity.end(), quantity.end() + 1)?;
        let known = quantity.sort == Sort::Measure && is_measured(&thing.head);
        thing.words.extend(of);
        known.then_some(Now { thing: Thing { start: usize::MAX, ..thing }, quantity, from: None })
    }

    /// So many of what the quantity itself names.
    fn counted(&self, quantity: Quantity) -> Option<Now> {
        let mut thing = Thing::from(self.line(), quantity.of.start, quantity.of.end)
            .filter(|_| quantity.sort == Sort::Count)?;
        thing.words.extend(self.topic(quantity.end()));
        if thing.words.len() == 1 && is_vague(&thing.head) {
            return None;
        }
        Some(Now { thing: Thing { start: usize::MAX, ..thing }, quantity, from: None })
    }

    /// What follows "on" and is no day: "8 problems on medians".
    fn topic(&self, at: usize) -> Vec<String> {
        let at = at + usize::from(matches!(self.word(at), "correct" | "right" | "points"));
        let of = matches!(self.word(at), "on" | "about") && quantity::date(self.line(), at + 1).is_none();
        let thing = of.then(|| Thing::from(self.line(), at + 1, self.part.words.end)).flatten();
        thing.map_or_else(Vec::new, |thing| thing.words)
    }

    /// "I've completed 12 of 20 modules", "I've spent 3 hours on probability".
    fn done(&self) -> Option<Now> {
        let quantity = self.quantity_done()?;
        match (self.word(self.at), quantity.sort) {
            ("spent", Sort::Measure) => self.spent(quantity),
            (_, Sort::Count) => self.counted(quantity),
            _ => None,
        }
    }

    /// How much or how many the speaker has done by now. What they did one day is no sum.
    fn quantity_done(&self) -> Option<Quantity> {
        let from = self.helped_from().filter(|from| *from > 0)?;
        let lately = (from..self.at)
            .any(|at| matches!(self.word(at), "have" | "now" | "already" | "recently" | "finally"));
        let own = is_first_person(self.word(from - 1)) && lately;
        own.then(|| self.quantity(self.at + 1)).flatten()
    }

    /// "3 hours on probability", "3 hours studying probability".
    fn spent(&self, quantity: Quantity) -> Option<Now> {
        let at = quantity.end();
        let on = matches!(self.word(at), "on" | "in" | "for") || self.word(at).ends_with("ing");
        let mut thing = Thing::from(self.line(), at + 1, self.part.words.end).filter(|_| on)?;
        thing.words.insert(0, "time".to_owned());
        thing.words.insert(1, "spent".to_owned());
        Some(Now { thing: Thing { start: usize::MAX, ..thing }, quantity, from: None })
    }

    /// "my budget of $500", "a deadline of April 1 for the first sprint".
    fn of_quantity(&self) -> Option<Now> {
        let quantity = self.quantity(self.at + 1)?;
        let mut thing = Thing::before(self.line(), self.part.words.start, self.at)?;
        let head = match quantity.sort {
            Sort::Date => is_dated(&thing.head),
            _ => is_measured(&thing.head),
        };
        if !head || !self.is_had(&thing) {
            return None;
        }
        if self.line().word(quantity.end()) == "for"
            && let Some(more) = Thing::from(self.line(), quantity.end() + 1, self.line().len())
        {
            thing.words.extend(more.words);
        }
        Some(self.about_topic(Now { thing, quantity, from: None }))
    }

    /// Whether a thing is there: it is the speaker's, or the new one, or they have it. One that is only wished for is not.
    fn is_had(&self, thing: &Thing) -> bool {
        let before = self.line().word(thing.start.wrapping_sub(1));
        let new = (thing.start..self.at)
            .any(|at| matches!(self.word(at), "new" | "current" | "updated" | "revised"));
        let told = self.part.is_plain_until(thing.start);
        match thing.is_any && !new {
            true => told && matches!(before, "have" | "has" | "got"),
            false if thing.is_any => told,
            false => self.part.told && (thing.owner == Owner::Speaker || new && self.is_ours(thing)),
        }
    }
}

fn is_first_person(word: &str) -> bool {
    matches!(word, "i" | "we")
}

static TURNS: Vocabulary = Vocabulary::of(
    "further slightly steadily gradually significantly even down up back again all only around currently \
     dramatically considerably together successfully so far",
);

/// Words that say which way, and how far.
fn is_turn(word: &str) -> bool {
    TURNS.contains(word)
}

fn is_hearsay(word: &str) -> bool {
    matches!(
        word,
        "heard" | "read" | "saw" | "news" | "article" | "report" | "example" | "scenario" | "exercise"
    )
}

static MEASURED: Vocabulary = Vocabulary::of(
    "budget quota target goal limit score rate time latency coverage accuracy salary rent price cost fee \
     income speed weight height distance duration capacity count uptime balance savings size rating grade \
     average load usage percentage progress allowance mileage pace wage bonus debt mortgage revenue margin \
     attendance headcount age temperature streak gpa estimate offer deposit turnout length payment bill loan \
     minimum maximum threshold allocation contribution donation grant stipend premium total",
);

fn is_measured(word: &str) -> bool {
    MEASURED.contains(word)
}

static DATED: Vocabulary = Vocabulary::of(
    "deadline date meeting appointment interview exam launch release call presentation review wedding flight \
     trip party session demo submission delivery conference workshop move surgery hearing rehearsal",
);

fn is_dated(word: &str) -> bool {
    DATED.contains(word)
}

/// Verbs of which the sum so far is told. Who added two has not two.
static DONE: Vocabulary = Vocabulary::of(
    "completed finished solved read written published reviewed visited attended submitted fixed merged closed \
     collected earned learned learnt memorized practiced practised watched sold spent implemented \
     built tested applied interviewed",
);

fn is_done(word: &str) -> bool {
    DONE.contains(word)
}

static CHANGING: Vocabulary = Vocabulary::of(
    "increase reduce improve cut raise lower bring get extend shorten boost decrease drop grow expand trim move \
     reschedule push postpone negotiate",
);

fn is_changing(word: &str) -> bool {
    CHANGING.contains(word)
}

fn is_arranged(word: &str) -> bool {
    matches!(word, "scheduled" | "booked" | "arranged" | "planned" | "set" | "confirmed" | "rescheduled")
}

/// Words that say nothing of what is counted.
fn is_vague(word: &str) -> bool {
    matches!(
        word,
        "problems"
            | "questions"
            | "things"
            | "items"
            | "tasks"
            | "times"
            | "examples"
            | "exercises"
            | "steps"
    )
}
