//! Slots: the questions that claims answer. Common ones are known from the start; an agent's own list grows from there.

use crate::text::terms;
use crate::word::words;
use std::collections::BTreeSet;

/// The slot of a preference that names no question: values coexist in it.
pub const PREFERENCE: &str = "preference";

/// The slot of what somebody likes to be without: values coexist in it too.
pub const DISLIKE: &str = "dislike";

/// How much of two names must be the same words for the later to join the earlier.
const JOINS: f64 = 0.6;

words! {
    /// What sort of question a slot is.
    Nature, "nature of a question":
    /// What somebody likes, and what they work with.
    Taste = "taste",
    /// Who somebody is to somebody.
    Relation = "relation",
    /// Anything else that is so.
    Fact = "fact",
}

/// A slot that is known from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seeded {
    /// Its name.
    pub name: &'static str,
    /// Other names of the same question.
    pub synonyms: &'static [&'static str],
    /// Whether values coexist in it.
    pub many: bool,
    /// What sort of question it is.
    pub nature: Nature,
}

const fn one(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    Seeded { name, synonyms, many: false, nature: Nature::Fact }
}

const fn many(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    Seeded { name, synonyms, many: true, nature: Nature::Fact }
}

/// The same of taste, or of a relation.
const fn of(nature: Nature, slot: Seeded) -> Seeded {
    Seeded { nature, ..slot }
}

const fn taste(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    of(Nature::Taste, one(name, synonyms))
}

const fn kin(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    of(Nature::Relation, one(name, synonyms))
}

const fn kin_many(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    of(Nature::Relation, many(name, synonyms))
}

/// The slots that are known from the start.
pub static SEEDED: &[Seeded] = &[
    one("employer", &["job", "workplace", "company"]),
    taste("database", &["db", "datastore"]),
    one("residence", &["home", "city", "address"]),
    of(Nature::Taste, many(PREFERENCE, &["preferences", "likes"])),
    of(Nature::Taste, many(DISLIKE, &["dislikes", "aversion"])),
    of(Nature::Taste, many("uses", &["tools_used", "dependency"])),
    of(Nature::Taste, many("tendency", &["tendencies", "habit"])),
    taste("response_style", &["answer_style", "reply_style", "communication_style"]),
    taste("editor", &["ide", "code_editor", "text_editor"]),
    taste("language", &["programming_language", "stack_language"]),
    taste("framework", &["web_framework", "site_generator"]),
    taste("operating_system", &["os", "distro", "distribution"]),
    taste("shell", &["command_shell"]),
    taste("terminal", &["terminal_emulator"]),
    taste("browser", &["web_browser"]),
    taste("hosting", &["cloud", "cloud_provider", "host_provider", "hosting_provider"]),
    taste("container", &["container_runtime", "container_engine"]),
    taste("orchestrator", &["container_orchestrator"]),
    taste("ci", &["ci_system", "build_server"]),
    taste("package_manager", &[]),
    taste("version_control", &["vcs"]),
    taste("message_queue", &["message_broker"]),
    taste("web_server", &["reverse_proxy"]),
    taste("issue_tracker", &["bug_tracker"]),
    taste("notes_app", &["note_taking_app"]),
    taste("theme", &["colour_scheme", "color_scheme", "appearance"]),
    taste("colour", &["color"]),
    taste("drink", &["beverage"]),
    taste("food", &["dish", "meal"]),
    taste("units", &["unit_system", "measurement_system"]),
    taste("contact_channel", &["messenger", "communication_channel"]),
    taste("keyboard_layout", &["keyboard"]),
    one("name", &["first_name", "full_name"]),
    one("role", &["job_title", "occupation", "profession", "position"]),
    one("team", &["department", "squad"]),
    one("birthday", &["date_of_birth", "birthdate"]),
    one("age", &[]),
    one("hometown", &["birthplace"]),
    one("nationality", &["citizenship"]),
    one("timezone", &["time_zone"]),
    one("pronouns", &[]),
    one("email", &["email_address", "mail_address"]),
    one("phone_number", &["mobile_number"]),
    one("working_hours", &["office_hours", "work_hours"]),
    one("diet", &["eating_habits"]),
    many("allergy", &["allergies", "intolerance"]),
    many("hobby", &["hobbies", "pastime", "sport", "instrument"]),
    many("spoken_language", &["mother_tongue", "native_language"]),
    many("pet", &["dog", "cat", "puppy", "kitten"]),
    kin("partner", &["wife", "husband", "spouse", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance"]),
    kin("business_partner", &["cofounder", "co-founder"]),
    kin("boss", &["manager", "supervisor", "line_manager"]),
    kin("mother", &["mom", "mum"]),
    kin("father", &["dad"]),
    kin("mentor", &[]),
    kin("assistant", &["secretary"]),
    kin("doctor", &["physician"]),
    kin("dentist", &[]),
    kin("therapist", &[]),
    kin("lawyer", &["solicitor", "attorney"]),
    kin("accountant", &[]),
    kin("landlord", &["landlady"]),
    kin("best_friend", &[]),
    kin_many("brother", &["brothers"]),
    kin_many("sister", &["sisters"]),
    kin_many("child", &["son", "daughter", "kid", "children"]),
    kin_many("parent", &["parents"]),
    kin_many("friend", &["friends"]),
    kin_many("colleague", &["coworker", "co-worker", "teammate"]),
    kin_many("neighbour", &["neighbor"]),
    kin_many("cousin", &[]),
    kin_many("uncle", &[]),
    kin_many("aunt", &[]),
    kin_many("client", &["customer"]),
    kin_many("roommate", &["flatmate", "housemate"]),
    one("phase", &["stage", "project_status"]),
    one(
        "launch_target",
        &["launch", "launch_date", "release", "release_date", "release_target", "rollout", "go-live"],
    ),
    one("deadline", &["due_date", "due", "submission_date"]),
    one("commits", &["commit_count"]),
    one("budget", &[]),
    one("owner", &["maintainer", "product_owner"]),
    one("license", &["licence"]),
    one("repository", &["repo"]),
    one("version", &["release_version", "current_version"]),
    one("price", &["cost", "fee", "rate"]),
    one("status", &["state", "health"]),
    one("mode", &[]),
    one("port", &["listening_port"]),
    one("throughput", &["volume", "message_rate", "load"]),
    one("response_time", &["latency", "average_response_time", "average_latency"]),
    one("error_rate", &["failure_rate"]),
    one("uptime", &["availability"]),
    one("platform", &["runtime"]),
    one("model", &["language_model"]),
    one("schedule", &["interval", "frequency"]),
    one("url", &["endpoint", "domain", "website"]),
    one("recall_bias", &["recall_skew", "memory_recall_bias"]),
];

/// The slot of that name or synonym.
pub fn seeded(name: &str) -> Option<&'static Seeded> {
    SEEDED.iter().find(|slot| slot.name == name || slot.synonyms.contains(&name))
}

/// A slot of an agent's own list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its place in the list.
    pub ordinal: i64,
    /// Its name.
    pub name: String,
    /// The slot that it turned out to be.
    pub joins: Option<String>,
    /// Whether values coexist in it.
    pub many: bool,
}

/// A question that an agent knows of, by all its names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registered {
    /// Its name.
    pub name: String,
    /// Other names of the same question.
    pub synonyms: Vec<String>,
    /// Whether values coexist in it.
    pub many: bool,
    /// What sort of question it is.
    pub nature: Nature,
    /// Whether it came up in what this agent was told; else it is known from the start.
    pub is_own: bool,
}

/// Every question: those that are known from the start, then an agent's own in the order in which they came up. A name that
/// joined another is one of its synonyms.
pub fn registry(own: &[Slot]) -> Vec<Registered> {
    let seeded = SEEDED.iter().map(|slot| Registered {
        name: slot.name.to_owned(),
        synonyms: slot.synonyms.iter().map(|name| (*name).to_owned()).collect(),
        many: slot.many,
        nature: slot.nature,
        is_own: false,
    });
    let joined = |name: &str| {
        own.iter().filter(|slot| slot.joins.as_deref() == Some(name)).map(|slot| slot.name.clone()).collect()
    };
    let own = own.iter().filter(|slot| slot.joins.is_none()).map(|slot| Registered {
        name: slot.name.clone(),
        synonyms: joined(&slot.name),
        many: slot.many,
        nature: Nature::Fact,
        is_own: true,
    });
    seeded.chain(own).collect()
}

/// Questions that are asked of any thing, whatever it is called. What one begins with says what sort of answer it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// A number with a unit: how much.
    Measure,
    /// How many.
    Count,
    /// When.
    Date,
    /// Something that was done.
    Done,
    /// Something that was never done.
    Never,
}

impl Family {
    const ALL: [Family; 5] = [Family::Measure, Family::Count, Family::Date, Family::Done, Family::Never];

    const fn prefix(self) -> &'static str {
        match self {
            Family::Measure => "measure_",
            Family::Count => "count_",
            Family::Date => "date_",
            Family::Done => "done_",
            Family::Never => "never_",
        }
    }

    /// The family of a slot, and the name of the thing in it.
    fn of(slot: &str) -> (Option<Family>, &str) {
        let found =
            Family::ALL.into_iter().find_map(|family| Some((family, slot.strip_prefix(family.prefix())?)));
        found.map_or((None, slot), |(family, thing)| (Some(family), thing))
    }
}

/// The slot of a thing.
pub fn in_family(family: Family, thing: &str) -> String {
    format!("{}{thing}", family.prefix())
}

/// The slot that a new name joins: the one with the most words in common, of equally near ones the first. None: it is new.
/// How much, how many and when are three questions, even of one thing.
pub fn joined<'s>(name: &str, known: &'s [Slot]) -> Option<&'s Slot> {
    let (family, thing) = Family::of(name);
    let asked = name_words(thing);
    let mut best: Option<(f64, &Slot)> = None;
    for slot in known.iter().filter(|slot| slot.joins.is_none()) {
        let (known_family, known_thing) = Family::of(&slot.name);
        let nearness = match (family, known_family) {
            (Some(Family::Done), Some(Family::Never)) => covered(&name_words(known_thing), &asked),
            (Some(Family::Never), Some(Family::Done)) => covered(&asked, &name_words(known_thing)),
            _ if family != known_family => 0.0,
            (Some(Family::Done | Family::Never), _) => f64::from(u8::from(asked == name_words(known_thing))),
            _ => overlap(&asked, &name_words(known_thing)),
        };
        let nearer = |(most, first): (f64, &Slot)| {
            nearness > most || (nearness >= most && slot.ordinal < first.ordinal)
        };
        if nearness >= JOINS && best.is_none_or(nearer) {
            best = Some((nearness, slot));
        }
    }
    best.map(|(_, slot)| slot)
}

/// Who never did something never did it in any special way: 1 if all words of what was never done are among those of the
/// deed, and what is not among them is left open.
fn covered(never: &BTreeSet<String>, deed: &BTreeSet<String>) -> f64 {
    if !never.is_empty() && never.is_subset(deed) { 0.6 + 0.4 * overlap(never, deed) } else { 0.0 }
}

/// The analysed words of a slot's name.
pub fn name_words(name: &str) -> BTreeSet<String> {
    name.split(['_', '-', ' ']).flat_map(terms).collect()
}

/// How much two sets of words have in common, 0 to 1.
pub fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}
