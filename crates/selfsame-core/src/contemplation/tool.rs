//! Tools that a thinker may use: how much harm each could do, and who may therefore have it.

use crate::word::words;

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
