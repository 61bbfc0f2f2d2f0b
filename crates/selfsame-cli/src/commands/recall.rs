//! selfsame recall

use crate::output::{Output, Tone, bar, columns, date, flowing, harmless, row, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::recall::{FoundView, HitView, PartView, Recall, RecallReply, RecallRequest};

/// Where the words of an answer begin.
const WORDS: usize = 7;
/// Where the reasons for it begin.
const REASONS: usize = 14;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question, or just words
    query: String,
    /// Answers, at most
    #[arg(long, short = 'n')]
    limit: Option<u32>,
    /// Answers to pass over: where the next page begins
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    offset: u32,
    /// What weighs most: balanced, recent, important, historical, timeline, preferences, identity
    #[arg(long, short)]
    mode: Option<String>,
    /// Only from this layer: memory, message, observation or summary
    #[arg(long = "layer")]
    layers: Vec<String>,
    /// Only about, by or mentioning this entity
    #[arg(long)]
    entity: Option<String>,
    /// Only in the name of this principal
    #[arg(long)]
    principal: Option<String>,
    /// Only memories of this type
    #[arg(long = "type")]
    types: Vec<String>,
    /// Only memories with this label
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// Not before this date or time
    #[arg(long)]
    from: Option<String>,
    /// Not after this date or time
    #[arg(long)]
    until: Option<String>,
    /// Only in this state: active, stale, archived, resolved
    #[arg(long = "state")]
    states: Vec<String>,
    /// Only what is believed at least so far (0 to 1)
    #[arg(long)]
    min_trust: Option<f64>,
    /// Answer from what was known on this date or at this time
    #[arg(long)]
    as_of: Option<String>,
    /// Give the best there is, even where there is likely no answer
    #[arg(long)]
    anyway: bool,
    /// Show why each answer is one
    #[arg(long)]
    explain: bool,
}

impl From<Args> for RecallRequest {
    fn from(args: Args) -> RecallRequest {
        RecallRequest {
            query: args.query,
            limit: args.limit,
            offset: args.offset,
            mode: args.mode,
            layers: args.layers,
            entity: args.entity,
            principal: args.principal,
            types: args.types,
            tags: args.tags,
            from: args.from,
            until: args.until,
            states: args.states,
            min_trust: args.min_trust,
            as_of: args.as_of,
            anyway: args.anyway,
        }
    }
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let explain = args.explain;
    let request = RecallRequest::from(args);
    let reply = resolution.backend().call::<Recall>(&resolution.agent, &request)?;
    output.reply(&reply, |output| words(&reply, explain, output));
    output.left_out(&reply.damaged);
    if let Some(trouble) = &reply.model_trouble {
        output.note(&format!("found by words alone: {trouble}"));
    } else if reply.pending_vectors > 0 {
        let pending = reply.pending_vectors;
        output.note(&format!(
            "the model has not read {pending} texts yet: they are found by their words alone"
        ));
    }
    Ok(())
}

fn words(reply: &RecallReply, explain: bool, output: &Output) -> String {
    if reply.hits.is_empty() {
        let note = reply.note.as_deref().unwrap_or("nothing fits");
        return format!("{}\n", wrapped(&format!("nothing found: {note}"), 0));
    }
    let mut text: String = reply.hits.iter().map(|hit| hit_words(hit, explain, output)).collect();
    if explain {
        let sure = format!("{:.0} % sure that there is an answer", reply.confidence * 100.0);
        text += &format!("{}\n", output.paint(Tone::Faint, &sure));
        let by = match &reply.model {
            Some(model) => format!("by words, and by meaning with {model}"),
            None => "by words alone".to_owned(),
        };
        text += &format!("{}\n", output.paint(Tone::Faint, &by));
    }
    if let Some(offset) = reply.next_offset {
        text += &output.paint(Tone::Faint, &format!("more: --offset {offset}"));
        text.push('\n');
    }
    text
}

fn hit_words(hit: &HitView, explain: bool, output: &Output) -> String {
    let content =
        output.paint(Tone::Strong, wrapped(&harmless(hit.found.content()), WORDS).trim_start_matches(' '));
    let leads = if hit.leads { "first, being sure and current" } else { "" };
    let facts = about(&hit.found);
    let facts = flowing(facts.iter().map(String::as_str).chain([leads]), WORDS);
    let id = flowing([hit.found.id()], WORDS);
    let below = output.paint(Tone::Faint, &format!("{facts}\n{id}"));
    let mut text = format!("{:5.2}  {content}\n{below}\n", hit.score);
    if explain {
        text += &sum(hit);
        text += &output.paint(Tone::Faint, &reasons(hit));
    }
    text
}

/// What it is, from whom, since when.
fn about(found: &FoundView) -> Vec<String> {
    let day = date(found.at()).to_owned();
    let (what, provenance) = match found {
        FoundView::Memory(memory) => (memory.kind.clone(), &memory.provenance),
        FoundView::Message(said) => (format!("message {}", said.message.seq), &said.message.provenance),
        FoundView::Observation(belief) => {
            return vec![harmless(&belief.name), belief.standing(), format!("last said {day}")];
        }
        FoundView::Summary(found) => {
            let (standing, trust) = (found.summary.standing(), found.summary.provenance.trust);
            return vec![format!("{standing}, trust {trust}"), day];
        }
    };
    vec![what, format!("said by {}, trust {}", provenance.author, provenance.trust), day]
}

/// What the score is the sum of: what each part added, what it is, and how strong it is of what it can be.
fn sum(hit: &HitView) -> String {
    let part = |part: &PartView| {
        vec![format!("       +{:.2}", part.added), meaning(&part.part).to_owned(), bar(part.strength)]
    };
    let mut rows: Vec<Vec<String>> = told(hit).iter().map(part).collect();
    let regard = match &hit.found {
        FoundView::Observation(_) => "kind, confidence, freshness",
        _ => "age, importance, retention, trust",
    };
    rows.push(vec![format!("       x{:.2}", hit.factor), regard.into()]);
    columns(&rows)
}

/// Which words it has, what it was made from and which beliefs it speaks for.
fn reasons(hit: &HitView) -> String {
    let words = hit.words.iter().map(|word| match word.times {
        1 => harmless(&word.word),
        times => format!("{} ({times} times)", harmless(&word.word)),
    });
    let words: Vec<String> = words.collect();
    let mut text = String::new();
    if !words.is_empty() {
        text += &row("       has", &words.join(", "), REASONS);
    }
    if let FoundView::Summary(found) = &hit.found {
        let (named, all) = (found.sources.len(), found.summary.source_count);
        let more = if named < all { format!(" and {} more", all - named) } else { String::new() };
        text += &row("       of", &(found.sources.join(", ") + &more), REASONS);
    }
    for observation in &hit.supports {
        text += &row("       for", observation, REASONS);
    }
    text
}

/// The parts as they are told: a memory stands alone, and its words are its passage and its whole conversation too.
fn told(hit: &HitView) -> Vec<PartView> {
    let of_words = |part: &PartView| matches!(part.part.as_str(), "words" | "nearby" | "passage" | "sitting");
    if matches!(hit.layer.as_str(), "message" | "summary") || !hit.why.iter().any(of_words) {
        return hit.why.clone();
    }
    let (words, mut others): (Vec<PartView>, Vec<PartView>) = hit.why.iter().cloned().partition(of_words);
    let strongest = words.iter().map(|part| part.strength).fold(0.0, f64::max);
    let added = words.iter().map(|part| part.added).sum();
    others.insert(0, PartView { part: "words".into(), strength: strongest, added });
    others
}

/// A part in words.
fn meaning(part: &str) -> &str {
    match part {
        "words" => "has the words",
        "coverage" => "covers the question",
        "nearby" => "words here and nearby",
        "passage" => "words in the passage around it",
        "sitting" => "words in the whole conversation",
        "answers" => "follows a question about it",
        "person" => "said by or about who is named",
        "own_words" => "they speak of themselves",
        "day" => "said on, or about, that day",
        "speaks_of_day" => "speaks of that day",
        "moment" => "says when",
        "statement" => "says rather than asks",
        "phrase" => "words together as asked",
        "quoted" => "has the words quoted",
        "meaning" => "means what is asked",
        "meaning_around" => "the texts around it do",
        other => other,
    }
}
