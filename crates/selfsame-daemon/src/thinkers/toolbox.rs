//! The tools that a thinker may be given: our own operations under the names that MCP has for them, and those of the
//! servers that are set up for it. What each can do is said in one table; who may use what and when is the engine's to
//! judge.

use super::McpServer;
use super::foreign::Foreign;
use crate::guest::Guest;
use crate::operations::{Entry, TABLE, Tool};
use selfsame::Access;
use selfsame::config::{Settings, ThinkerSettings, ToolServer};
use selfsame::ports::{PortError, ToolCard, ToolClass, Toolbox};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Every tool of the MCP door: what it can do, or that no thinker is given it. One that is missing here is not given.
///
/// Schemas are paid for in every exchange (all of them are eleven thousand tokens), so it is given what thinking needs: to
/// look things up, to write down, to tidy up. Other names for the same and the administration are left out.
const CLASSES: &[(&str, Option<ToolClass>)] = {
    use ToolClass::{Read, Weighty, Write};
    &[
        ("remember", Some(Write)),
        ("recall", Some(Read)),
        ("observations", Some(Read)),
        ("why", Some(Read)),
        ("feedback", None),
        ("conflicts", None),
        ("retract", None),
        ("memory", Some(Read)),
        ("memory_list", None),
        ("memory_edit", None),
        ("memory_pin", None),
        ("forget", Some(Weighty)),
        ("add_to_longterm_memory", None),
        ("memory_resolve", Some(Write)),
        ("remove_from_longterm_memory", None),
        ("retrieve", None),
        ("inbox_list", None),
        ("inbox_review", Some(Write)),
        ("monitor_add", None),
        ("monitor_list", None),
        ("monitor_checked", None),
        ("monitor_end", None),
        ("reflection_add", None),
        ("reflection_list", None),
        ("lesson_add", None),
        ("lesson_list", Some(Read)),
        // Which lessons helped is said in the episode, and by people.
        ("lesson_judge", None),
        ("entity_add", None),
        ("entity_list", None),
        ("entity_show", Some(Read)),
        ("entity_alias", None),
        ("entity_profile", Some(Write)),
        ("entity_merge", None),
        // What is said in a conversation is said by those who talk, and not by whoever thinks about it.
        ("conversation_open", None),
        ("conversation_say", None),
        ("conversation_show", Some(Read)),
        ("conversation_list", None),
        ("conversation_active", None),
        ("conversation_close", None),
        ("conversation_exchange", None),
        // What is shared between agents is decided where somebody watches.
        ("neural_link_request_memory", None),
        ("neural_link_share_memory", None),
        ("neural_link_revoke", None),
        ("link_list", None),
        ("audit", None),
        ("assign_relationship", Some(Write)),
        ("relationship_list", None),
        ("relationship_show", Some(Read)),
        ("add_to_soul", Some(Weighty)),
        ("soul", Some(Read)),
        ("remove_from_soul", Some(Weighty)),
        ("write_diary", Some(Write)),
        ("search_diary_for_keywords", Some(Read)),
        ("show_diary_entries_from_day", Some(Read)),
        ("list_diary", None),
        ("add_todo", Some(Write)),
        ("list_todo", Some(Read)),
        ("update_todo", Some(Write)),
        ("complete_todo", Some(Write)),
        ("tasks", None),
        ("add_to_calendar", Some(Weighty)),
        ("check_calendar", Some(Read)),
        ("remove_from_calendar", Some(Weighty)),
        ("context", None),
        // Whoever fetches nudges has told them, and whoever answers one is the principal.
        ("nudges", None),
        ("nudge_list", None),
        ("nudge_answer", None),
        ("nudge_dismiss", None),
        ("heartbeat_status", None),
        ("heartbeat_tick", None),
        ("heartbeat_peek", None),
        ("heartbeat_explain", None),
        // Work is handed to whoever comes for it, and whoever is asked to think is at it already.
        ("work", None),
        ("episode_list", Some(Read)),
        ("receipt_list", None),
        ("receipt_show", None),
        // Whoever thinks is asked for summaries; when that is, and where, the agent says itself.
        ("self_care", None),
        ("summary_list", Some(Read)),
        ("agent_move", None),
    ]
};

/// Of those that no thinker is given: what changes who knows, keeps or is told something.
const WEIGHTY_AT_THE_DOOR: [&str; 8] = [
    "remove_from_longterm_memory",
    "retract",
    "conversation_exchange",
    "neural_link_request_memory",
    "neural_link_share_memory",
    "neural_link_revoke",
    "monitor_add",
    "agent_move",
];

/// What a tool of the MCP door can do, also one that no thinker is given: an agent that has tools of its own calls it there.
pub(crate) fn class_at_the_door(name: &str, tool: Tool) -> ToolClass {
    match class(name) {
        Some(class) => class,
        None if tool.read_only => ToolClass::Read,
        None if WEIGHTY_AT_THE_DOOR.contains(&name) => ToolClass::Weighty,
        None => ToolClass::Write,
    }
}

/// Our own tools and those of others.
#[derive(Default)]
pub struct HouseTools {
    /// Of agents that have no servers of their own.
    of_all: Vec<Arc<Foreign>>,
    of_agents: BTreeMap<String, Vec<Arc<Foreign>>>,
}

impl HouseTools {
    /// With the tools of the servers that the settings name, for everybody and for single agents. They are started when
    /// somebody looks what there is; one that several agents have runs once.
    pub fn new(settings: &Settings) -> Result<HouseTools, PortError> {
        let mut known: Vec<(McpServer, Arc<Foreign>)> = Vec::new();
        let mut servers_of = |thinker: &ThinkerSettings| -> Result<Vec<Arc<Foreign>>, PortError> {
            let named = thinker.servers.iter();
            named.map(|(name, server)| found_or_made(&mut known, name, server)).collect()
        };
        let of_all = servers_of(&settings.thinker)?;
        let own = settings.agents.iter().map(|(name, own)| Ok((name.clone(), servers_of(&own.thinker)?)));
        Ok(HouseTools { of_all, of_agents: own.collect::<Result<_, PortError>>()? })
    }

    fn servers_of(&self, access: &Access<'_>) -> &[Arc<Foreign>] {
        self.of_agents.get(&access.agent().name).unwrap_or(&self.of_all)
    }
}

fn found_or_made(
    known: &mut Vec<(McpServer, Arc<Foreign>)>,
    name: &str,
    server: &ToolServer,
) -> Result<Arc<Foreign>, PortError> {
    let meant = McpServer { name: name.to_owned(), server: server.clone() };
    if let Some((_, running)) = known.iter().find(|(other, _)| *other == meant) {
        return Ok(Arc::clone(running));
    }
    let new = Arc::new(Foreign::new(&meant)?);
    known.push((meant, Arc::clone(&new)));
    Ok(new)
}

impl Toolbox for HouseTools {
    fn tools(&self, access: &Access<'_>) -> Vec<ToolCard> {
        let house = TABLE.iter().filter_map(|entry| Some(card(entry, class(entry.name)?)));
        house.chain(self.servers_of(access).iter().flat_map(|foreign| foreign.tools())).collect()
    }

    fn is_ours(&self, tool: &str) -> bool {
        Entry::find(tool).is_some_and(|entry| entry.tool.is_some())
    }

    fn call(
        &self,
        access: &Access<'_>,
        tool: &str,
        arguments: &str,
        time: Duration,
    ) -> Result<String, String> {
        let arguments = match serde_json::from_str(arguments) {
            Ok(Value::Object(fields)) => fields,
            _ => return Err("the arguments must be a JSON object".into()),
        };
        if let Some(entry) = Entry::find(tool).filter(|entry| class(entry.name).is_some()) {
            return run(access, entry, Value::Object(arguments));
        }
        match self.servers_of(access).iter().find_map(|foreign| Some((foreign, foreign.own_name(tool)?))) {
            Some((foreign, own)) => foreign.call(own, arguments, time),
            None => Err(format!("there is no tool {tool:?}")),
        }
    }
}

fn class(tool: &str) -> Option<ToolClass> {
    CLASSES.iter().find(|(name, _)| *name == tool).and_then(|(_, class)| *class)
}

fn card(entry: &Entry, class: ToolClass) -> ToolCard {
    ToolCard {
        name: entry.name.to_owned(),
        description: entry.summary.to_owned(),
        schema: Value::from(entry.request_schema()).to_string(),
        class,
    }
}

/// As the agent itself at work that nobody watches, and only of this agent's.
fn run(access: &Access<'_>, entry: &Entry, arguments: Value) -> Result<String, String> {
    let agent = access.agent();
    let guest = Guest::unattended(agent.id);
    let answer = entry.call(access.mind(), &guest, &agent.name, None, arguments);
    answer.map(|answer| answer.text).map_err(|failure| format!("{} ({})", failure.detail, failure.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_of_the_door_has_one_line_and_no_line_is_of_another() {
        let of_the_door: Vec<&str> =
            TABLE.iter().filter(|entry| entry.tool.is_some()).map(|entry| entry.name).collect();
        let classed: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
        for name in &of_the_door {
            let lines = classed.iter().filter(|classed| *classed == name).count();
            assert_eq!(lines, 1, "{name} has {lines} lines");
        }
        for name in classed {
            assert!(of_the_door.contains(&name), "{name} is no tool");
        }
    }

    #[test]
    fn what_is_not_offered_is_ours_all_the_same() {
        let tools = HouseTools::default();
        assert!(tools.is_ours("recall") && tools.is_ours("work"), "a claim of either can be checked");
        assert!(
            !tools.is_ours("web_search") && !tools.is_ours("key_create"),
            "no thinker could have used these"
        );
    }

    #[test]
    fn what_weighs_at_the_door_is_a_tool_that_does_something() {
        for name in WEIGHTY_AT_THE_DOOR {
            let tool = Entry::find(name).and_then(|entry| entry.tool).expect("it is a tool");
            assert!(!tool.read_only && class(name).is_none(), "{name}");
        }
    }

    #[test]
    fn what_only_looks_is_said_to_only_look() {
        for entry in TABLE.iter().filter(|entry| class(entry.name).is_some()) {
            let looks = entry.tool.is_some_and(|tool| tool.read_only);
            assert_eq!(class(entry.name) == Some(ToolClass::Read), looks, "{}", entry.name);
        }
    }
}
