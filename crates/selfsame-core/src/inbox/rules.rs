//! The rules, one function for each type of candidate. Each looks at one sentence and gives the name of what it saw and
//! how sure it is. Precision comes before recall: what a rule misses can be said again, what it invents is believed.

use super::CandidateKind;
use crate::sentence::Sentence;

/// What a rule saw.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) kind: CandidateKind,
    pub(super) cue: &'static str,
    pub(super) confidence: f64,
}

type Cue = (&'static str, f64);
type Rule = fn(&Sentence) -> Option<Cue>;

/// In this order: the first that sees something decides.
const RULES: &[(CandidateKind, Rule)] = &[
    (CandidateKind::Correction, correction),
    (CandidateKind::Question, question),
    (CandidateKind::Directive, directive),
    (CandidateKind::Decision, decision),
    (CandidateKind::Commitment, commitment),
    (CandidateKind::Preference, preference),
    (CandidateKind::Relationship, relationship),
    (CandidateKind::Emotion, emotion),
    (CandidateKind::Identity, identity),
    (CandidateKind::Fact, fact),
];

/// What the sentence is, if it is anything.
pub(super) fn classify(sentence: &Sentence) -> Option<Seen> {
    RULES.iter().find_map(|(kind, rule)| {
        let (cue, confidence) = rule(sentence)?;
        // Who asks states nothing; but what he wants found out is a question.
        (!sentence.asks() || *kind == CandidateKind::Question).then_some(Seen {
            kind: *kind,
            cue,
            confidence,
        })
    })
}

/// Where a clause begins: at the start, after a mark, after a word that joins.
fn clause_starts(sentence: &Sentence) -> impl Iterator<Item = usize> {
    (0..sentence.len()).filter(|at| {
        *at == 0
            || sentence.marks_after(at - 1).contains([',', ':', ';', '—', '(', '-'])
            || matches!(
                sentence.word(at - 1),
                "and"
                    | "but"
                    | "so"
                    | "because"
                    | "honestly"
                    | "ugh"
                    | "well"
                    | "ok"
                    | "okay"
                    | "also"
                    | "actually"
                    | "oh"
                    | "hey"
                    | "hi"
                    | "there"
                    | "hello"
                    | "btw"
                    | "yeah"
                    | "yes"
                    | "please"
                    | "pls"
                    | "just"
                    | "today"
                    | "anyway"
            )
    })
}

/// The place after `start` and after any words of degree or habit.
fn past_adverbs(sentence: &Sentence, mut at: usize) -> usize {
    while sentence.has_at(
        at,
        "really|usually|much|generally|still|absolutely|also|just|truly|definitely|honestly|actually|personally|mostly|quite|rather|so|\
         totally|very|always|both|never|especially|completely|pretty|too|bit|a|little|kind|of|strongly|simply|normally|currently|now|only",
    ) {
        at += 1;
    }
    at
}

// The rules ------------------------------------------------------------------------------------------------------------

fn correction(s: &Sentence) -> Option<Cue> {
    let start = usize::from(s.has_at(0, "sorry|oh|hm|hmm|wait|well|ah|oops"));
    if s.has_at(start, "correction") && s.marks_after(start).contains(':') {
        return Some(("correction", 0.9));
    }
    if s.has_at(start, "that's|thats|this|that|it's|you're wrong|incorrect|false|mistaken")
        || s.has_at(start, "that's|thats|it's not right|correct|true|quite")
        || s.has_at(start, "that is|was not|wrong|incorrect")
        || s.has("got that|it|this wrong")
    {
        return Some(("that's wrong", 0.8));
    }
    if s.has_at(start, "i meant") || s.has_at(start, "i mean") && s.has("not") || s.has("i misspoke") {
        return Some(("i meant", 0.8));
    }
    if s.has_at(start, "no") && s.len() > start + 4 {
        let rest = start + 1 + usize::from(s.has_at(start + 1, "no"));
        let idle = s
            .has_at(rest, "thanks|thank|problem|worries|need|idea|way|more|one|that's|it's|wait|matter|rush")
            && !s.has_at(rest, "it's|that's|wait");
        let calming = s.has_at(rest, "that's|it's fine|ok|okay|all|good|it|alright|great");
        let states = s.has("is|are|was|were|it's|that's|he's|she's|they're|not|runs|has|does|lives|starts");
        let separated = s.marks_after(start).contains([',', '.', '!', '-', '—']) || rest > start + 1;
        return (!idle && !calming && states && separated).then_some(("no, ...", 0.75));
    }
    if s.has_at(start, "actually") && s.len() > start + 3 {
        let stated =
            s.has_at(start + 1, "it's|it|the|my|our|his|her|he|she|he's|she's|they're|we're|there|its|i'm|i");
        let states = s.has("is|are|was|were|it's|he's|she's|they're|we're|not|spelled|i'm|live|work|prefer");
        let idle = s.has_at(start + 1, "it's|its fine|ok|okay|good|great|working")
            || s.has_at(start + 1, "i think|found|see|need|want|don't");
        return (stated && states && !idle).then_some(("actually, ...", 0.75));
    }
    None
}

fn question(s: &Sentence) -> Option<Cue> {
    let looking = "find|figure out";
    if s.has(looking)
        && (s.has_at(0, "can|could|would|will|please|we|i|let's|someone|pls") || s.has_at(0, looking))
        && !s.has("i|we found|figured")
    {
        return Some(("find out", 0.75));
    }
    let asked = s.has_at(0, "can|could|would|will|please|pls");
    if asked
        && (s.has("look|looking into")
            || s.has("look up")
            || s.has("check whether|if|when|how|why|who|what")
            || s.has("research"))
    {
        return Some(("look into", 0.75));
    }
    if s.has_at(0, "i|we wonder") || s.has_at(0, "i'm|we're wondering") {
        return Some(("i wonder", 0.7));
    }
    if s.has_at(0, "i'd|we'd like|love to know")
        || s.has_at(0, "i|we want|need to know")
        || s.has_at(0, "i|we would like to know")
    {
        return Some(("i'd like to know", 0.7));
    }
    None
}

fn directive(s: &Sentence) -> Option<Cue> {
    let mut at = 0;
    while s.has_at(at, "please|pls|ok|okay|so|also|and|hey|oh|well|just|but") {
        at += 1;
    }
    let pleased = s.has("please|pls");
    let enough = s.len() >= at + 3;
    let from_now = clause_starts(s).any(|clause| s.has_at(clause, "from now on"));
    if from_now
        || s.has_at(at, "going forward")
        || s.has_at(at, "in future")
        || s.has_at(at, "in the future")
        || s.has_at(at, "henceforth")
    {
        let own = s.has("i|we will|am|are|plan|want") || s.has("i'll|i'm|we'll|we're");
        return (enough && !own).then_some(("from now on", 0.9));
    }
    if s.has_at(at, "always|never")
        && enough
        && !s.has_at(at + 1, "mind|been|had|was|saw|seen|knew|heard|thought|a|the|again|ever|better|say")
    {
        return Some(("always / never", 0.9));
    }
    if (s.has_at(at, "don't|dont ever") || s.has_at(at, "do not ever")) && enough {
        return Some(("don't ever", 0.9));
    }
    if s.has_at(at, "you should|must|need") && s.has("always|never")
        || s.has_at(at, "make|be sure to|you always|never")
    {
        return Some(("you should always", 0.85));
    }
    if (s.has_at(at, "whenever|anytime i|you")
        || s.has_at(at, "every|each time i|you")
        || s.has_at(at, "any time i|you"))
        && !s.has("i feel|get|am|think|forget")
    {
        return Some(("whenever", 0.85));
    }
    if s.has_at(at, "stop") && s.word(at + 1).ends_with("ing") && enough {
        return Some(("stop", 0.85));
    }
    if s.has_at(at, "no more") && enough && (pleased || s.has("your|you|in|answers|replies")) {
        return Some(("no more", 0.8));
    }
    if s.has_at(at, "call me") && s.is_capital(at + 2) {
        return Some(("call me", 0.85));
    }
    let refuses = s.has_at(at, "don't|dont|avoid") || s.has_at(at, "do not");
    let idle =
        s.has("remember|worry|forget|bother|note|mind|panic|yet|now|hesitate|ask") || s.has("get me wrong");
    (refuses && pleased && enough && !idle).then_some(("please don't", 0.8))
}

fn decision(s: &Sentence) -> Option<Cue> {
    if s.has("decision made") || s.has("made up my|our mind|minds") || s.has("it's|its decided") {
        return Some(("decision made", 0.85));
    }
    if s.has_at(0, "let's|lets go with") && s.len() > 3
        || s.has("we're|i'm going with")
        || s.has("we'll|i'll go with")
    {
        return Some(("go with", 0.8));
    }
    let deciders = "we|i|we've|i've|team|board|committee|finally|have|family|jointly|eventually";
    for verb in [
        "decided",
        "chose",
        "settled on",
        "agreed to|on|that",
        "opted for",
        "picked",
        "went with",
        "voted to|for",
    ] {
        let found = (1..s.len()).any(|at| s.has_at(at, verb) && s.has_at(at - 1, deciders));
        let whose = s.has("we|i|we've|i've|our|team|my");
        if found && whose && s.len() > 3 && !s.has("haven't|hasn't|not") {
            return Some(("decided", 0.85));
        }
    }
    None
}

const DEADLINES: &str = "by|before|until|tomorrow|tonight|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|weekend|month|\
                         payday|january|february|march|april|june|july|august|september|october|november|december|noon|eod|o'clock|year";

fn commitment(s: &Sentence) -> Option<Cue> {
    let dated =
        s.has(DEADLINES) || (1..s.len()).any(|at| s.has_at(at - 1, "at|on") && starts_with_digit(s.word(at)));
    for at in clause_starts(s) {
        if s.has_at(at, "i|we promise|promised|committed|pledged|vowed|swear")
            || s.has_at(at, "i've|we've promised|committed")
        {
            return Some(("i promise", 0.9));
        }
        if s.has_at(at, "i told|promised") && s.has("i would|will")
            || s.has_at(at, "i told") && s.has("i'd|i'll")
        {
            return Some(("i told ... i would", 0.85));
        }
        let future = s.has_at(at, "i'll|we'll")
            || s.has_at(at, "i|we will")
            || s.has_at(at, "i'm|we're going to")
            || s.has_at(at, "i am going to");
        let idle = s.has("bed|honest|see|probably|maybe|perhaps|might|think|never|not|try|back soon|wait");
        if future && dated && !idle {
            return Some(("i will ... by", 0.85));
        }
        let obliged = s.has_at(at, "i|we have|need to")
            || s.has_at(at, "i|we must")
            || s.has_at(at, "i've|we've got to")
            || s.has_at(at, "i|we still need|have");
        if obliged && dated {
            return Some(("i have to ... by", 0.7));
        }
        if s.has_at(at, "i owe") && s.len() > 3 {
            return Some(("i owe", 0.7));
        }
    }
    None
}

fn preference(s: &Sentence) -> Option<Cue> {
    if s.has("my|our favourite|favorite|favourites|favorites") && s.has("is|are|was|has") {
        return Some(("my favourite", 0.9));
    }
    if s.has("not a fan|big of")
        || s.has("a fan of") && s.has("i'm|i|we're")
        || s.has("not into|keen") && s.has("i'm")
    {
        return Some(("a fan of", 0.85));
    }
    if s.has("i'd|we'd rather") || s.has("i'd|we'd prefer") || s.has("i|we would rather|prefer") {
        return Some(("i'd rather", 0.8));
    }
    if s.has("i take|drink|like my coffee|tea") {
        return Some(("i take my", 0.8));
    }
    for at in clause_starts(s).filter(|at| s.has_at(*at, "i|we")) {
        let verb = past_adverbs(s, at + 1);
        if s.has_at(verb, "prefer|dislike|detest|loathe|adore") && s.len() > verb + 1 {
            return Some(("i prefer", 0.9));
        }
        let refusing =
            s.has_at(verb, "can't|cannot stand|bear") || s.has_at(verb, "don't|dont like|enjoy|love");
        if refusing && s.len() > verb + 2 && !is_about_now(s, verb + 2) {
            return Some(("i can't stand", 0.85));
        }
        if s.has_at(verb, "like|love|hate|enjoy") && s.len() > verb + 1 && !is_about_now(s, verb + 1) {
            return Some(("i like", 0.8));
        }
    }
    None
}

/// "I like it!", "I love your idea": praise of what was just said.
fn is_about_now(s: &Sentence, object: usize) -> bool {
    let pointing = s.has_at(object, "it|that|this|these|those|them|you|him|her") && s.len() <= object + 2;
    pointing
        || s.has_at(object, "you|your|this|that|where|how you|the idea|look|sound|new|way")
        || s.has_at(object, "the") && s.len() <= object + 3
}

const KIN: &str = "wife|husband|ex-husband|ex-wife|ex|partner|fiance|fiancé|fiancée|brother|brothers|sister|sisters|sister's|brother's|mother|mom|mum|\
                   father|dad|parents|son|sons|daughter|daughters|kid|kids|child|children|boss|manager|supervisor|girlfriend|boyfriend|\
                   friend|friends|colleague|colleagues|coworker|neighbour|neighbor|uncle|aunt|cousin|nephew|niece|grandmother|grandma|\
                   grandfather|grandpa|grandparents|stepfather|stepmother|stepson|roommate|flatmate|landlord|doctor|dentist|therapist|\
                   lawyer|accountant|lead|mentor|teacher|mother-in-law|father-in-law|brother-in-law|sister-in-law|twin|godfather";

fn relationship(s: &Sentence) -> Option<Cue> {
    if s.has("i'm|we're married|engaged|divorced|related|dating to|from|with")
        || s.has("i'm|we're dating")
        || s.has("i am married|engaged|divorced to|from")
    {
        return Some(("married to", 0.85));
    }
    let kin_at = |at: usize| (at..at + 3).find(|place| s.has_at(*place, KIN));
    for at in 1..s.len() {
        let named = s.has_at(at, "is|was") && s.has_at(at + 1, "my|our");
        if named && kin_at(at + 2).is_some() && s.is_capital(at - 1) {
            return Some(("is my", 0.85));
        }
    }
    for at in clause_starts(s).filter(|at| s.has_at(*at, "my")) {
        let stated = s.has_at(at + 1, KIN) && s.len() >= at + 4;
        let idle = s.has("remind|pinged|wants me|asks|needs me");
        if stated && !idle {
            return Some(("my kin", 0.8));
        }
    }
    if s.has("best|old|close friends since|from") || s.has("i|we have one|two|three|four|a|five|no|twin kids|children|sons|daughters|son|daughter|brothers|sisters|brother|sister") {
        return Some(("we have kids", 0.8));
    }
    None
}

const FEELINGS: &str = "tired|exhausted|happy|sad|anxious|nervous|worried|furious|angry|mad|upset|depressed|down|excited|thrilled|stressed|scared|\
                        afraid|lonely|proud|ashamed|frustrated|overwhelmed|relieved|grateful|hopeful|bored|heartbroken|miserable|glad|jealous|\
                        annoyed|burnt|devastated|disappointed|terrified|anxiety|low|drained|delighted|homesick|restless";

fn emotion(s: &Sentence) -> Option<Cue> {
    for at in clause_starts(s) {
        let feels = [
            ("i'm", 1),
            ("i am", 2),
            ("i feel", 2),
            ("i felt", 2),
            ("i've been feeling", 3),
            ("i've been", 2),
            ("i'm feeling", 2),
            ("feeling", 1),
        ];
        for (words, skip) in feels {
            let adjective = past_adverbs(s, at + skip);
            let idle = s.has_at(adjective, "afraid that|so|not|i|it|this|you")
                || s.has_at(adjective, "glad|happy to")
                || s.has_at(adjective, "down to|with|for");
            if s.has_at(at, words) && s.has_at(adjective, FEELINGS) && !idle {
                return Some(("i feel", 0.75));
            }
        }
        if (s.has_at(at, "it|this|that makes|made me") || s.has_at(at, "makes me")) && s.has(FEELINGS) {
            return Some(("makes me", 0.75));
        }
    }
    None
}

fn identity(s: &Sentence) -> Option<Cue> {
    if s.has("my name|pronouns|surname|nickname|birthday|nationality is|are")
        || s.has("my first|last|full name is")
        || s.has("my name's")
    {
        return Some(("my name is", 0.9));
    }
    for at in clause_starts(s) {
        if s.has_at(at, "i live in|near|on|at|with|alone")
            || s.has_at(at, "i was born")
            || s.has_at(at, "i grew up")
            || s.has_at(at, "i come|am|moved from|to")
            || s.has_at(at, "i'm from|originally")
        {
            return Some(("i live in", 0.85));
        }
        if s.has_at(at, "i work as|at|for|in")
            || s.has_at(at, "i study|studied|teach")
            || s.has_at(at, "i'm on call")
        {
            return Some(("i work as", 0.85));
        }
        if s.has_at(at, "i don't|never eat|drink") || s.has_at(at, "i speak|wear") || s.has_at(at, "i have adhd|diabetes|asthma|dyslexia|epilepsy|autism|migraine|migraines|coeliac|celiac|hayfever|astigmatism|tinnitus") {
            return Some(("i have", 0.85));
        }
        if let Some(cue) = being(s, at) {
            return Some(cue);
        }
    }
    None
}

const BEINGS: &str = "allergic|vegetarian|vegan|diabetic|colour-blind|color-blind|colorblind|left-handed|right-handed|deaf|blind|muslim|jewish|christian|\
                      buddhist|hindu|catholic|atheist|autistic|dyslexic|retired|gay|bisexual|trans|lactose|gluten|german|french|british|american|indian|\
                      polish|italian|spanish|dutch|swedish|japanese|chinese|pregnant|self-employed|intolerant|coeliac|celiac|unemployed";

/// "I'm a nurse", "I am 34 years old", "Hi, I'm Jonas".
fn being(s: &Sentence, at: usize) -> Option<Cue> {
    let after = match () {
        () if s.has_at(at, "i'm") => at + 1,
        () if s.has_at(at, "i am") => at + 2,
        () => return None,
    };
    if s.has_at(after, BEINGS)
        || s.has_at(after + 1, BEINGS) && s.has_at(after, "a|an|also|strictly|severely|mostly")
    {
        return Some(("i am", 0.9));
    }
    if starts_with_digit(s.word(after)) && (s.has_at(after + 1, "years") || s.len() == after + 1) {
        return Some(("i am N years old", 0.9));
    }
    let idle = "bit|little|fan|lot|few|big|huge|great|good|bad|moment|sec|second|couple|complete|total|mess|genius|idiot|fool|wreck|step|week|day|long|\
                firm|believer|minute|tad|single|loss|hurry|strong";
    if s.has_at(after, "a|an") && !s.has_at(after + 1, idle) && s.len() > after + 1 {
        return Some(("i am a", 0.85));
    }
    let greeted = at > 0 && s.has_at(0, "hi|hello|hey|good");
    (greeted && s.is_capital(after)).then_some(("i am Name", 0.85))
}

/// What is, in so many words: with a number, a place or a name that makes it worth keeping.
fn fact(s: &Sentence) -> Option<Cue> {
    if !s.has_at(0, "the|our|my") || s.len() < 5 {
        return None;
    }
    let idle = s.has("always|never|why|question|problem|point|guess|idea|bad|fault|plan|great|nice|wrong|me|you|this|same|thing|should|could|would|if");
    let verb = (2..s.len().min(9)).find(|at| {
        s.has_at(*at, "is|are|was|runs|run|takes|closes|opens|costs|has|have|uses|starts|ends|expires|lies|gets|needs|lives|leaves|arrives|belongs|stands|keeps|weighs|listens")
    })?;
    let concrete = (verb + 1..s.len()).any(|at| {
        starts_with_digit(s.word(at))
            || s.is_capital(at)
            || s.has_at(at, "on|at|in|under|behind|near|next|above|below|inside|about|from|until")
    });
    (!idle && concrete).then_some(("it is so", 0.5))
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}
