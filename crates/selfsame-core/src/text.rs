//! stub until the analyser lands
pub const ANALYSER_VERSION: i64 = 1;
pub struct TermCounts { pub counts: std::collections::BTreeMap<String, u32>, pub len: u32 }
pub fn terms(t: &str) -> Vec<String> { t.split_whitespace().map(str::to_lowercase).collect() }
pub fn count_terms(t: &str) -> TermCounts { let mut counts=std::collections::BTreeMap::new(); let mut len=0; for x in terms(t){*counts.entry(x).or_insert(0)+=1;len+=1} TermCounts{counts,len} }
#[derive(Debug,Clone,PartialEq,Eq,thiserror::Error)] pub enum TextProblem { #[error("empty")] Empty }
impl TextProblem { pub const fn code(&self)->&'static str {"empty_text"} }
pub fn check_text(t: &str, _m: usize) -> Result<(), TextProblem> { if t.trim().is_empty() {Err(TextProblem::Empty)} else {Ok(())} }
