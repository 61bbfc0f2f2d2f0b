//! The words that the rules know, by what they do in a sentence.

use super::verb::{Tense, Verb};
use crate::knowledge::vocabulary::Vocabulary;

static HEDGES: Vocabulary = Vocabulary::of(
    "if would might maybe perhaps could should shall probably possibly unless whether wish hope hopes hoping \
     wonder wondering guess guesses think thinks believe believes suspect suspects doubt doubts assume seems \
     seem apparently allegedly supposedly reportedly almost nearly i'd we'd he'd she'd they'd you'd will \
     won't i'll we'll he'll she'll they'll it'll plans planning considering imagine suppose pretend \
     hypothetically rumour rumor rumours rumors ought must wants want wanted dreamed dreamt let's",
);

/// Words after which nothing in the sentence is stated as being so.
pub(super) fn is_hedge(word: &str) -> bool {
    HEDGES.contains(word)
}

static ADVERBS: Vocabulary = Vocabulary::of(
    "really usually generally still absolutely also just truly definitely honestly actually personally mostly \
     always strongly simply normally currently now typically often already recently finally clearly much very \
     officially both primarily mainly consistently quite since greatly",
);

/// Words of degree, habit and time that stand between a subject and its verb.
pub(super) fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(word)
}

static OPENERS: Vocabulary = Vocabulary::of(
    "and but so also well ok okay yes yeah no oh hey hi hello btw fyi thanks actually honestly anyway \
     currently now today lately recently remember note that update correction because however",
);

/// Words that open a sentence and say nothing of what follows.
pub(super) fn is_opener(word: &str) -> bool {
    OPENERS.contains(word)
}

static NOBODIES: Vocabulary = Vocabulary::of(
    "it it's this that that's these those he he's she she's they they're you your you're everyone everybody \
     everything nobody nothing none someone somebody something anyone anybody anything most many some all few \
     each every not who whoever what what's which when where why how there there's here here's his her hers \
     their its people him them me us one another other others nor neither either as while before after once \
     since until although though both please let yesterday tomorrow a an any let's such whatever work things \
     life whichever then in on at by for from with",
);

/// Words that stand for somebody or something that only the sentences around can tell, or for nobody in particular.
pub(super) fn is_nobody(word: &str) -> bool {
    NOBODIES.contains(word)
}

static COMMON_NOUNS: Vocabulary = Vocabulary::of(
    "production development staging testing support marketing sales dinner lunch breakfast school traffic \
     weather time money success music food water management engineering security finance deployment training \
     research communication documentation performance growth demand rent mail news politics history science \
     art religion business software hardware technology information data memory progress quality",
);

/// Things without a name: they have a capital all the same when they begin a sentence.
pub(super) fn is_common(word: &str) -> bool {
    COMMON_NOUNS.contains(word)
}

static POINTERS: Vocabulary = Vocabulary::of(
    "it this that these those them him her you your me us what how where when who whom why there something \
     anything nothing everything someone everyone so too neither either one both more less or and not very \
     all its their some none which as",
);

/// Words that no object begins with: they point at something else, or ask.
pub(super) fn is_pointer(word: &str) -> bool {
    word.is_empty() || POINTERS.contains(word)
}

static OBJECT_ENDS: Vocabulary = Vocabulary::of(
    "because when whenever while although though but so until which who now currently nowadays today lately \
     again too anymore instead rather over than for last everywhere exclusively only not and or any these \
     this as since anyway already every whereas that",
);

/// Words that end any object.
pub(super) fn ends_object(word: &str) -> bool {
    OBJECT_ENDS.contains(word)
}

/// A form of the verb "to be" in the present.
pub(super) fn is_being(word: &str) -> bool {
    matches!(word, "is" | "am" | "are")
}

static FUNCTION_WORDS: Vocabulary = Vocabulary::of(
    "skew lean tend was were has have had do does did can not never no of for in on at with to from and or who that which",
);

/// What ends the words of a subject.
pub(super) fn ends_subject(word: &str) -> bool {
    is_being(word)
        || is_adverb(word)
        || word.is_empty()
        || FUNCTION_WORDS.contains(word)
        || Verb::of(word).is_some_and(|(_, tense)| tense != Tense::Base)
}

static TRADES: Vocabulary = Vocabulary::of(
    "engineer developer designer nurse doctor teacher lawyer accountant manager writer editor programmer \
     architect analyst scientist researcher professor student consultant director founder ceo cto cfo admin \
     administrator sysadmin baker chef cook pilot carpenter electrician plumber photographer journalist \
     translator librarian musician painter physicist chemist biologist dentist therapist psychologist \
     pharmacist vet surgeon technician mechanic freelancer gardener farmer driver actor lecturer historian \
     mathematician statistician paramedic firefighter intern contractor barista recruiter",
);

/// What somebody's work is called.
pub(super) fn is_trade(word: &str) -> bool {
    TRADES.contains(word)
}

static INSTITUTIONS: Vocabulary = Vocabulary::of(
    "library university hospital bank school museum government ministry council company startup agency clinic \
     bakery newspaper army police city college institute embassy airline pharmacy brewery",
);

/// Houses that people work for, if not by a name.
pub(super) fn is_institution(word: &str) -> bool {
    INSTITUTIONS.contains(word)
}

static PROJECT_NOUNS: Vocabulary = Vocabulary::of(
    "project app site website repo repository product startup codebase game prototype mvp redesign rewrite \
     book thesis course campaign migration newsletter podcast portal shop library package",
);

/// What people work on.
pub(super) fn is_project_noun(word: &str) -> bool {
    PROJECT_NOUNS.contains(word)
}

/// Nouns that only say that it is a project, and are no part of its name.
pub(super) fn is_bare_project_noun(word: &str) -> bool {
    matches!(word, "project" | "repo" | "repository" | "codebase")
}

static TOOL_NOUNS: Vocabulary = Vocabulary::of(
    "collector watcher poller mailer notifier logger tracker relay hub controller engine registry wiki loader \
     generator converter uploader processor handler consumer producer checker linter formatter bot server service api channel daemon gateway pipeline cluster runner script job database db cache queue \
     worker scheduler integration endpoint proxy firewall router dashboard backend frontend crawler scraper \
     indexer webhook tool cli plugin extension printer nas vm container instance node machine host monitor \
     stack system importer exporter parser compiler build deployment environment store connector bridge \
     client laptop workstation listener broker balancer index backup sensor thermostat heater camera inbox \
     feed model",
);

/// What people work with.
pub(super) fn is_tool_noun(word: &str) -> bool {
    TOOL_NOUNS.contains(word)
}

/// What an organization's name ends with.
pub(super) fn is_house_noun(word: &str) -> bool {
    matches!(
        word,
        "inc" | "gmbh" | "ltd" | "corp" | "llc" | "ag" | "team" | "university" | "company" | "bank" | "group"
    )
}

static HOUSES: Vocabulary = Vocabulary::of(
    "google microsoft amazon apple meta facebook netflix ibm oracle intel siemens bosch sap nvidia tesla \
     samsung sony adobe salesforce spotify uber airbnb stripe github gitlab cisco dell hp accenture deloitte",
);

/// Whether everybody knows that people work there and nobody lives there.
pub(super) fn is_known_house(word: &str) -> bool {
    HOUSES.contains(word) || is_house_noun(word)
}

/// Nouns that hang on a project: "the Falcon launch".
pub(super) fn is_milestone(word: &str) -> bool {
    matches!(word, "launch" | "deadline" | "release" | "rollout" | "budget" | "go-live")
}

/// The phase that begins here, by its number of words; whether only projects have it.
pub(super) fn phase(words: [&str; 3]) -> Option<(usize, bool)> {
    match words {
        ["active", "development", _] | ["private" | "public" | "closed" | "open", "beta", _] => {
            Some((2, true))
        }
        ["maintenance", "mode", _] | ["early" | "active", "access" | "planning", _] => Some((2, true)),
        ["on", "hold", _] | ["feature", "freeze", _] | ["code", "freeze", _] => Some((2, true)),
        [
            "development" | "beta" | "alpha" | "production" | "maintenance" | "pre-production"
            | "prototyping",
            ..,
        ] => Some((1, true)),
        ["paused" | "shelved" | "archived" | "discontinued" | "cancelled" | "canceled", ..] => {
            Some((1, true))
        }
        [
            "live" | "done" | "finished" | "complete" | "completed" | "launched" | "shipped" | "stalled"
            | "frozen" | "blocked" | "planning" | "testing" | "staging" | "design" | "review" | "abandoned"
            | "deprecated",
            ..,
        ] => Some((1, false)),
        _ => None,
    }
}

static CONDITIONS: Vocabulary = Vocabulary::of(
    "down up offline online disabled enabled running stopped healthy unhealthy degraded deprecated broken \
     operational",
);

/// How a tool is.
pub(super) fn is_condition(word: &str) -> bool {
    CONDITIONS.contains(word)
}

static DATE_WORDS: Vocabulary = Vocabulary::of(
    "january february march april may june july august september october november december jan feb mar apr \
     jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer \
     autumn fall winter early mid late end next week month year quarter tomorrow of the christmas easter",
);

/// Words that dates are made of.
pub(super) fn is_date_word(word: &str) -> bool {
    let digits = word.trim_start_matches('q').starts_with(|c: char| c.is_ascii_digit());
    digits || DATE_WORDS.contains(word)
}

/// Words about a number that leave it as it is.
pub(super) fn is_about(word: &str) -> bool {
    matches!(word, "about" | "approximately" | "around" | "roughly" | "some" | "nearly" | "circa" | "approx")
}
