//! Tools that a thinker may use: how much harm each could do, and who may therefore have it.

use crate::word::words;
use std::collections::BTreeMap;

words! {
    /// What a tool can do.
    ToolClass, "tool class":
    /// Looks, and changes nothing.
    Read = "read",
    /// Writes the agent's own memory, diary, to-dos, inbox decisions.
    Write = "write",
    /// Changes who the agent is, what falls due, what is shared, forgotten or delivered.
    Weighty = "weighty",
    /// Not ours: what it does nobody here knows, and what it answers nobody vouches for.
    Foreign = "foreign",
}

words! {
    /// What became of a call.
    CallOutcome, "tool call outcome":
    /// It ran.
    Ran = "ran",
    /// It ran and failed.
    Failed = "failed",
    /// It was not let run.
    Refused = "refused",
}

/// What is believed less is not quoted where nobody watches, and who has read it gets no tools.
pub const QUOTED: f64 = 0.5;
/// Who has read something that is believed less gets no tool that weighs.
pub const TRUSTED: f64 = 0.8;
/// How far what others' tools say is believed.
const FOREIGN: f64 = 0.4;
/// Equal calls in a row, at most.
const EQUAL_IN_A_ROW: u32 = 2;
/// Equal calls in all, at most.
const EQUAL_IN_ALL: u32 = 4;

/// Whether a tool may be used by who has read something of this trust; why not, if not.
pub fn may_use(class: ToolClass, trust: f64) -> Result<(), &'static str> {
    if trust < QUOTED {
        return Err("something was read that nobody vouches for: no tool follows from it");
    }
    if class == ToolClass::Weighty && trust < TRUSTED {
        return Err(
            "this changes too much to follow from what was read: only a principal's own words may ask for it",
        );
    }
    Ok(())
}

/// How far a tool's answer is believed. At work our own show nothing that nobody vouches for, and perhaps what nobody but the
/// agent itself said.
pub fn answer_trust(class: ToolClass) -> f64 {
    if class == ToolClass::Foreign { FOREIGN } else { QUOTED }
}

/// Sees whether a thinker goes round in circles.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    last: Option<(String, [u8; 32])>,
    in_a_row: u32,
    all: BTreeMap<(String, [u8; 32]), u32>,
}

impl Loops {
    /// Notes a call; refuses one that was made too often.
    pub fn note(&mut self, tool: &str, arguments: [u8; 32]) -> Result<(), &'static str> {
        let call = (tool.to_owned(), arguments);
        self.in_a_row = if self.last.as_ref() == Some(&call) { self.in_a_row + 1 } else { 1 };
        self.last = Some(call.clone());
        let in_all = self.all.entry(call).or_default();
        *in_all += 1;
        match self.in_a_row > EQUAL_IN_A_ROW || *in_all > EQUAL_IN_ALL {
            true => Err("the same call was made before, with the same answer: go on with that"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_read_what_nobody_vouches_for_has_no_tools() {
        for class in ToolClass::ALL {
            assert!(may_use(*class, 0.4).is_err(), "{}", class.as_str());
            assert!(may_use(*class, 0.8).is_ok(), "{}", class.as_str());
            assert_eq!(may_use(*class, 0.5).is_ok(), *class != ToolClass::Weighty, "{}", class.as_str());
            assert_eq!(may_use(*class, 0.79).is_ok(), *class != ToolClass::Weighty, "{}", class.as_str());
        }
    }

    #[test]
    fn the_third_equal_call_in_a_row_and_the_fifth_in_all_are_refused() {
        let mut loops = Loops::default();
        let calls: Vec<bool> = (0..3).map(|_| loops.note("recall", [1; 32]).is_ok()).collect();
        assert_eq!(calls, [true, true, false]);
        let mut loops = Loops::default();
        let alternating: Vec<bool> = (0..10).map(|n| loops.note("recall", [n % 2; 32]).is_ok()).collect();
        assert_eq!(alternating, [true, true, true, true, true, true, true, true, false, false]);
        assert!(loops.note("diary", [0; 32]).is_ok(), "another tool is another call");
    }
}
