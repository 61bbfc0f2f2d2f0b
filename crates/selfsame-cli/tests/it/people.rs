//! A person at the terminal, among people: whom the agent knows, what was said, how it stands to them.

use crate::cli::World;
use insta::assert_snapshot;

/// The first id of that kind in what was printed.
fn id(text: &str, prefix: &str) -> String {
    let word = text.split(|c: char| c.is_whitespace() || c == '"').find(|word| word.starts_with(prefix));
    word.unwrap_or_else(|| panic!("no {prefix} in {text}")).to_owned()
}

#[test]
fn whom_the_agent_knows() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["entity", "add", "Maya Lin", "--alias", "Maya"]), @"added  ent_ID");
    assert_snapshot!(world.run(&["entity", "add", "Berlin", "--kind", "plaice"]), @r#"
    [stderr]
    error: "plaice" is no kind of entity (did you mean "place"?); known are person, organization, project, tool, place, agent
    [exit code 2]
    "#);
    let other = id(&world.run(&["entity", "add", "maya"]).succeeds(), "ent_");
    assert_snapshot!(world.run(&["entity", "show", "maya"]), @r#"
    [stderr]
    error: "maya" could be ent_ID (Maya Lin, person), ent_ID (maya, person): name it by its id
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["entity", "merge", &other, "maya lin", "--dry-run"]), @"would merge  ent_ID");
    assert_snapshot!(world.run(&["entity", "merge", &other, "maya lin"]), @"merged  ent_ID");
    world.run(&["entity", "profile", "maya", "Keeps bees."]).succeeds();
    assert_snapshot!(world.run(&["entity", "show", &other]), @"
    Maya Lin
    id        ent_ID
    kind      person
    also      Maya
    formerly  ent_ID
    since     DATE
    named     in 0 memories, 0 messages
    profile   Keeps bees.
    ");
    assert_snapshot!(world.run(&["entity", "list"]), @"
    ent_ID  person  operator
    ent_ID  person  Maya Lin  Maya
    ");
    assert_snapshot!(world.run(&["entity", "show", "Zoe"]), @r#"
    [stderr]
    error: there is no entity "Zoe": `selfsame entity list` shows them, `selfsame entity add` makes one
    [exit code 3]
    "#);
}

#[test]
fn whom_the_agent_serves() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["principal", "add", "ben", "--zone", "Asia/Tokyo"]), @"added  pri_ID");
    assert_snapshot!(world.run(&["principal", "set", "ben", "--name", "Benjamin"]), @"changed  pri_ID");
    assert_snapshot!(world.run(&["principal", "list"]), @"
    pri_ID  Benjamin  principal  Asia/Tokyo
    pri_ID  operator  operator   UTC
    ");
    assert_snapshot!(world.run(&["--as", "agent", "principal", "add", "eve"]), @"
    [stderr]
    error: only the operator says whom the agent serves
    [exit code 5]
    ");
    assert_snapshot!(world.run(&["key", "create", "phone", "--speaks-as", "principal", "--principal", "Benjamin"]), @"
    ssk_KEY
    key_ID  keep it now: it is not stored and not shown again
    ");
}

#[test]
fn to_talk_and_to_relate() {
    let world = World::with_mind();
    let said = world.run(&["conversation", "say", "Good morning", "--channel", "terminal"]);
    assert_snapshot!(said, @"said  msg_ID  number 1 of cnv_ID");
    let conversation = id(&said.succeeds(), "cnv_");
    assert_snapshot!(world.run(&["--as", "agent", "conversation", "say", "Hello", "--channel", "terminal"]), @"said  msg_ID  number 2 of cnv_ID");
    assert_snapshot!(world.run(&["conversation", "say", "42", "--channel", "terminal", "--role", "tool"]), @"
    [stderr]
    error: you may not file a message as tool: you speak for yourself, so leave the role out (user); only a host's key names roles
    [exit code 5]
    ");
    assert_snapshot!(world.run(&["conversation", "show", &conversation]), @"
    1  operator   Good morning
    2  assistant  Hello
    ");
    assert_snapshot!(world.run(&["conversation", "list"]), @"cnv_ID  open  2 messages  DATE TIME  terminal");
    assert_snapshot!(world.run(&["relate", "set", "operator", "ally", "--because", "kind"]), @"
    [stderr]
    error: only the agent itself says how it stands to others: speak as the agent (`selfsame --as agent`, or a key that speaks as agent)
    [exit code 5]
    ");
    let set = [
        "--as",
        "agent",
        "relate",
        "set",
        "operator",
        "ally",
        "--trust",
        "0.6",
        "--tone",
        "warm",
        "--because",
        "kind",
    ];
    assert_snapshot!(world.run(&set), @"assigned  ent_ID  chg_ID");
    assert_snapshot!(world.run(&["relate", "list"]), @"operator  ally  trust 0.6  warm  1 conversation  met DATE");
    assert_snapshot!(world.run(&["relate", "show", "operator"]), @"
    operator
    entity   ent_ID
    type     ally
    trust    0.6
    tone     warm
    because  kind
    met      DATE, 1 conversation

    DATE  neutral 0              by system  first met
    DATE  neutral 0 -> ally 0.6  by agent   kind
    ");
    assert_snapshot!(world.run(&["conversation", "close", &conversation]), @"closed  cnv_ID");
    assert_snapshot!(world.run(&["conversation", "say", "Wait", "--conversation", &conversation]), @"
    [stderr]
    error: conversation cnv_ID is closed: open it again first (`selfsame conversation open --reopen`)
    [exit code 2]
    ");
    world.run(&["agent", "create", "second"]).succeeds();
    assert_snapshot!(world.run(&["--as", "agent", "conversation", "exchange", "second", "Hello, second"]), @"
    said  msg_ID  number 1 of cnv_ID
    heard  msg_ID  number 1 of cnv_ID
    ");
    assert_snapshot!(world.run(&["--agent", "second", "relate", "list"]), @"main  neutral  trust 0    0 conversations  met DATE");
}
