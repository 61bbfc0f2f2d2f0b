//! How far a belief is believed: a sum whose parts are kept and can be shown. Nobody sets it; it is earned.

use serde_json::{Value, json};

/// The formula in use.
pub const FORMULA: u32 = 1;

/// What a belief rests on, counted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Inputs {
    /// Independent sources that speak for it.
    pub sources: u32,
    /// Sorts of source among them: memories, lessons, reflections, profiles.
    pub sorts: u32,
    /// What they weigh.
    pub support: f64,
    /// Independent sources that speak against it.
    pub against_sources: u32,
    /// What those weigh.
    pub against: f64,
    /// Days since it was last said; none: never.
    pub days: Option<f64>,
    /// Whether the operator confirmed it.
    pub confirmed: bool,
}

/// A confidence with all that it is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Components {
    /// Independent sources, with diminishing returns.
    pub source_count: f64,
    /// How many sorts of source agree.
    pub source_diversity: f64,
    /// What speaks for it.
    pub support_weight: f64,
    /// What speaks against it.
    pub contradiction_weight: f64,
    /// How recently it was said.
    pub recency_weight: f64,
    /// Whether the operator confirmed it.
    pub operator_confirmed_boost: f64,
    /// What the parts were made from.
    pub inputs: Inputs,
    /// The formula that puts them together.
    pub formula: u32,
}

impl Components {
    /// The parts, from what was counted.
    pub fn of(inputs: Inputs) -> Components {
        let count = f64::from(inputs.sources);
        Components {
            source_count: (libm::log1p(count) / libm::log(7.0)).min(1.0),
            source_diversity: (f64::from(inputs.sorts) / 4.0).min(1.0),
            support_weight: (inputs.support / 4.0).min(1.0),
            contradiction_weight: (inputs.against / 3.0).min(1.0),
            recency_weight: inputs.days.map_or(0.35, |days| (1.0 - days / 60.0).clamp(0.1, 1.0)),
            operator_confirmed_boost: f64::from(u8::from(inputs.confirmed)),
            inputs,
            formula: FORMULA,
        }
    }

    /// As stored and shown.
    pub fn json(&self) -> Value {
        let inputs = &self.inputs;
        json!({
            "formula": self.formula,
            "sourceCount": self.source_count,
            "sourceDiversity": self.source_diversity,
            "supportWeight": self.support_weight,
            "contradictionWeight": self.contradiction_weight,
            "recencyWeight": self.recency_weight,
            "operatorConfirmedBoost": self.operator_confirmed_boost,
            "inputs": {
                "sources": inputs.sources,
                "sorts": inputs.sorts,
                "support": inputs.support,
                "againstSources": inputs.against_sources,
                "against": inputs.against,
                "days": inputs.days,
                "confirmed": inputs.confirmed,
            },
        })
    }

    /// From what was stored, as it was then: an earlier formula's parts stay what they were.
    pub fn parse(stored: &str) -> Option<Components> {
        let stored: Value = serde_json::from_str(stored).ok()?;
        let part = |name: &str| stored[name].as_f64();
        let inputs = &stored["inputs"];
        let count = |name: &str| inputs[name].as_u64().and_then(|count| u32::try_from(count).ok());
        Some(Components {
            source_count: part("sourceCount")?,
            source_diversity: part("sourceDiversity")?,
            support_weight: part("supportWeight")?,
            contradiction_weight: part("contradictionWeight")?,
            recency_weight: part("recencyWeight")?,
            operator_confirmed_boost: part("operatorConfirmedBoost")?,
            inputs: Inputs {
                sources: count("sources")?,
                sorts: count("sorts")?,
                support: inputs["support"].as_f64()?,
                against_sources: count("againstSources")?,
                against: inputs["against"].as_f64()?,
                days: inputs["days"].as_f64(),
                confirmed: inputs["confirmed"].as_bool()?,
            },
            formula: stored["formula"].as_u64().and_then(|formula| u32::try_from(formula).ok())?,
        })
    }

    /// The sum, 0 to 1, by the formula that they were made for.
    pub fn confidence(&self) -> f64 {
        self.confidence_by(self.formula)
    }

    /// The sum by some formula.
    pub fn confidence_by(&self, formula: u32) -> f64 {
        let _ = formula;
        let sum = 0.28
            + 0.22 * self.source_count
            + 0.18 * self.source_diversity
            + 0.20 * self.support_weight
            + 0.12 * self.recency_weight
            + 0.12 * self.operator_confirmed_boost
            - 0.35 * self.contradiction_weight;
        sum.clamp(0.0, 1.0)
    }
}

/// A confidence in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Below 0.6.
    Low,
    /// From 0.6.
    Medium,
    /// From 0.8.
    High,
}

impl Level {
    /// Of a confidence.
    pub fn of(confidence: f64) -> Level {
        match confidence {
            high if high >= 0.8 => Level::High,
            medium if medium >= 0.6 => Level::Medium,
            _ => Level::Low,
        }
    }

    /// As shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
        }
    }
}
