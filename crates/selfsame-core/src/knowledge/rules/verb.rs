//! The verbs that the rules know.

/// What a verb says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    Prefer,
    Like,
    Dislike,
    Consume,
    Respond,
    Live,
    Work,
    Join,
    Move,
    Switch,
    Use,
    Run,
    Listen,
    Stop,
    Target,
    Launch,
    Process,
    Grow,
    Come,
    Skew,
    Tend,
    Speak,
    Play,
    Cost,
    Be,
    Was,
    Bear,
    Have,
}

/// The form in which it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tense {
    /// "prefer": of the first person, or after "do".
    Base,
    /// "prefers".
    Third,
    /// "moved": of anybody.
    Past,
    /// "targeting": of anybody.
    Ing,
}

impl Verb {
    /// The verb that this word is.
    pub(super) fn of(word: &str) -> Option<(Verb, Tense)> {
        use Tense::{Base, Ing, Past, Third};
        Some(match word {
            "prefer" | "favour" | "favor" => (Verb::Prefer, Base),
            "prefers" | "favours" | "favors" => (Verb::Prefer, Third),
            "like" | "love" | "enjoy" | "adore" => (Verb::Like, Base),
            "likes" | "loves" | "enjoys" | "adores" => (Verb::Like, Third),
            "hate" | "dislike" | "detest" | "loathe" => (Verb::Dislike, Base),
            "hates" | "dislikes" | "detests" | "loathes" => (Verb::Dislike, Third),
            "stand" | "bear" => (Verb::Bear, Base),
            "drink" | "eat" => (Verb::Consume, Base),
            "drinks" | "eats" => (Verb::Consume, Third),
            "respond" => (Verb::Respond, Base),
            "responds" => (Verb::Respond, Third),
            "live" | "reside" => (Verb::Live, Base),
            "lives" | "resides" => (Verb::Live, Third),
            "work" => (Verb::Work, Base),
            "works" => (Verb::Work, Third),
            "joined" => (Verb::Join, Past),
            "moved" | "relocated" | "slipped" | "pushed" | "shifted" | "postponed" => (Verb::Move, Past),
            "switched" | "migrated" | "changed" => (Verb::Switch, Past),
            "use" => (Verb::Use, Base),
            "uses" => (Verb::Use, Third),
            "using" => (Verb::Use, Ing),
            "run" => (Verb::Run, Base),
            "runs" => (Verb::Run, Third),
            "running" => (Verb::Run, Ing),
            "listen" => (Verb::Listen, Base),
            "listens" => (Verb::Listen, Third),
            "stopped" | "quit" | "dropped" | "abandoned" => (Verb::Stop, Past),
            "target" => (Verb::Target, Base),
            "targets" => (Verb::Target, Third),
            "targeting" => (Verb::Target, Ing),
            "launches" => (Verb::Launch, Third),
            "launching" => (Verb::Launch, Ing),
            "process" | "handle" | "serve" => (Verb::Process, Base),
            "processes" | "handles" | "serves" => (Verb::Process, Third),
            "grown" | "grew" => (Verb::Grow, Past),
            "came" => (Verb::Come, Past),
            "skew" | "lean" => (Verb::Skew, Base),
            "skews" | "leans" => (Verb::Skew, Third),
            "tend" => (Verb::Tend, Base),
            "tends" => (Verb::Tend, Third),
            "speak" => (Verb::Speak, Base),
            "speaks" => (Verb::Speak, Third),
            "play" => (Verb::Play, Base),
            "plays" => (Verb::Play, Third),
            "costs" => (Verb::Cost, Third),
            "am" | "are" => (Verb::Be, Base),
            "is" => (Verb::Be, Third),
            "was" | "been" => (Verb::Was, Past),
            "have" => (Verb::Have, Base),
            "has" => (Verb::Have, Third),
            _ => return None,
        })
    }
}
