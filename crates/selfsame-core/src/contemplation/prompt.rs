//! Placeholder
#![allow(missing_docs)]
use crate::time::{Time, Zone};
pub const DEFAULT_STYLE: &str = "Think.";
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub id: String,
    pub text: String,
    pub trust: f64,
    pub note: Option<String>,
}
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Withheld {
    pub count: usize,
    pub ids: Vec<String>,
}
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Material {
    pub style: String,
    pub todos: Vec<Entry>,
    pub memories: Vec<Entry>,
    pub lessons: Vec<Entry>,
    pub episodes: Vec<Entry>,
    pub score: Option<String>,
    pub observations: Vec<Entry>,
    pub candidates: Vec<Entry>,
    pub withheld: Withheld,
    pub questions: Vec<String>,
}
pub struct Assembled {
    pub instructions: String,
    pub material: String,
    pub quoted: Vec<String>,
    pub trust: f64,
    pub tokens: usize,
}
pub fn assemble(m: &Material, _now: Time, _zone: &Zone, _budget: usize) -> Assembled {
    let all: Vec<&Entry> = m
        .todos
        .iter()
        .chain(&m.memories)
        .chain(&m.lessons)
        .chain(&m.episodes)
        .chain(&m.observations)
        .chain(&m.candidates)
        .collect();
    Assembled {
        instructions: m.style.clone(),
        material: all.iter().map(|e| format!("{} {}\n", e.id, e.text)).collect(),
        quoted: all.iter().map(|e| e.id.clone()).collect(),
        trust: all.iter().map(|e| e.trust).fold(1.0, f64::min),
        tokens: 0,
    }
}
pub fn review_prompt(c: &[Entry]) -> Assembled {
    assemble(
        &Material { candidates: c.to_vec(), ..Material::default() },
        Time::from_micros(0),
        &Zone::utc(),
        0,
    )
}
