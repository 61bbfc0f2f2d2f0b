//! The help of the program and of every command: what people read first.

use crate::cli::World;
use insta::assert_snapshot;

fn help(arguments: &[&str]) -> String {
    let world = World::new();
    let ran = world.run(&[arguments, &["--help"]].concat());
    assert_eq!(ran.err, "");
    ran.succeeds()
}

/// Without the options that every command has, which the program's own help shows.
fn own_help(arguments: &[&str]) -> String {
    let text = help(arguments);
    let (own, everywhere) = text.split_once("\nEverywhere:\n").expect("every command takes the same options");
    assert!(everywhere.contains("--data <DIR>") && everywhere.contains("--json"), "{everywhere}");
    own.to_owned()
}

#[test]
fn of_the_program() {
    assert_snapshot!(help(&[]), @r#"
    The inner life of an AI agent: memory that lasts, beliefs with evidence, a heartbeat that costs no
    tokens

    Usage: selfsame [OPTIONS] [COMMAND]

    Commands:
      init          Make a mind: data folder, key, first agent
      serve         Run the daemon: HTTP on loopback, a socket for this machine's commands
      connect       Connect the programs that agents run in: Claude Code, Codex, Cursor and others
      dashboard     Show the way to the dashboard: a link, and a code that is good once
      remember      Store one fact
      recall        Find what answers a question, or nothing
      context       What to have in mind before the next word, within a budget of tokens
      memory        Look at memories, pin, resolve or edit them
      forget        Forget for good, with all that was made from it; show the proof
      soul          What the agent is at heart: add, remove, list
      diary         The agent's diary: write, search, read
      todo          What is to be done
      calendar      What takes place when
      schedule      What will be brought up, and when
      conversation  What was said, to whom and by whom
      entity        Whom and what the agent knows
      relate        How the agent stands to whom it has met
      inbox         What was said and may be worth remembering
      link          Memory that one agent gives another
      monitor       Memories that want to be looked after
      know          What the agent believes, and why
      heartbeat     When the agent speaks up unasked, and why it is silent
      nudge         What the agent has to say unasked
      contemplate   Time to think, and when it comes
      episodes      What times of thinking brought
      work          Thinking that waits for the agent itself, and what became of the rest
      lessons       What was learned from what was done
      reflections   What past periods meant
      selfcare      Fold what is old into summaries: the agent's own act
      summaries     What was folded, and into what
      status        Where the mind stands
      doctor        Prove that the mind works: store, restart, find, forget, look around
      verify        Check everything stored: structure, seals, index
      backup        Make a verified copy of the database, now
      restore       Put a backup in the place of the database, which is kept beside it
      export        Pack an agent, or all, into one archive; or as Markdown to read
      import        Read in an archive, or what another system wrote, as candidates for the inbox
      move          Move the whole house to another folder or a PostgreSQL server
      audit         The junk meter: what is kept that helps nobody
      events        What happened to an agent, in order and without holes
      duty          Manage background duties
      model         Manage the models that give texts a meaning
      config        Manage settings
      agent         Manage agents
      principal     Manage whom the agent serves
      key           Manage keys to the daemon
      mcp           Serve MCP on standard input and output, for an agent's host
      hook          Tell of a session, for the program that an agent runs in
      service       Run the daemon at every login
      uninstall     Undo what was written outside of the data folder; the mind stays
      completions   Print what completes commands in a shell
      man           Print the manual page
      bench         Measure on data of your own or of a known benchmark
      help          Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Everywhere:
          --data <DIR>       The data folder [env: SELFSAME_DATA; default: the platform's usual place]
          --agent <NAME>     Which agent [env: SELFSAME_AGENT; default: the one made by init]
          --as <VOICE>       In whose name: the agent's operator, or the agent itself [default:
                             operator]
          --db <URL>         PostgreSQL instead of the file: postgres://role:password@host/database
                             [env: SELFSAME_DB]
          --db-owner <URL>   The role that owns the tables, to make or migrate them [env:
                             SELFSAME_DB_OWNER]
          --config <FILE>    The settings file [env: SELFSAME_CONFIG; default: selfsame.toml in the data
                             folder]
          --set <KEY=VALUE>  One setting, such as server.workers=4; may be repeated
          --json             Print JSON, for programs

    First steps:
      selfsame init                        make a mind
      selfsame remember "Maya likes tea"   store a fact
      selfsame recall "what does Maya like"
      selfsame serve                       run the daemon

    Exit codes: 0 done, 1 failed inside, 2 wrong usage or input, 3 not there, 4 collides with what is
    there,
      5 not allowed, 6 busy or out of reach (try again), 7 no space or outcome unknown, 8 damaged or
      unusable data,
      10 nothing to wake the agent for (`heartbeat gate`)
    "#);
}

#[test]
fn short_is_the_same() {
    let world = World::new();
    assert_eq!(world.run(&["-h"]).succeeds(), help(&[]));
    assert_eq!(world.run(&["help"]).succeeds(), help(&[]));
}

#[test]
fn the_version_is_told() {
    let world = World::new();
    let expected = format!("selfsame {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.run(&["--version"]).succeeds(), expected);
}

#[test]
fn of_init() {
    assert_snapshot!(own_help(&["init"]), @"
    Make a mind: data folder, key, first agent

    Usage: selfsame init [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_serve() {
    assert_snapshot!(own_help(&["serve"]), @"
    Run the daemon: HTTP on loopback, a socket for this machine's commands

    Usage: selfsame serve [OPTIONS]

    Options:
          --address <IP:PORT>  Where to listen [default: server.address, 127.0.0.1:4177]; port 0 takes a
                               free one
          --insecure           Listen beyond this machine without TLS, knowing that keys and memories
                               cross the network in the clear
      -h, --help               Print help
    ");
}

#[test]
fn of_dashboard() {
    assert_snapshot!(own_help(&["dashboard"]), @"
    Show the way to the dashboard: a link, and a code that is good once

    Usage: selfsame dashboard [OPTIONS]

    Options:
          --close  End every visit instead: whoever is in has to enter a new code
      -h, --help   Print help
    ");
}

#[test]
fn of_remember() {
    assert_snapshot!(own_help(&["remember"]), @"
    Store one fact

    Usage: selfsame remember [OPTIONS] <CONTENT>

    Arguments:
      <CONTENT>  The fact, in words that will still make sense in a year; `-` reads it from standard
                 input

    Options:
          --type <TYPE>              identity, preference, relationship, knowledge, skill, event, plan,
                                     question, context, episode, ephemeral, activity
          --importance <IMPORTANCE>  0 to 1 [default: 0.5]
          --tag <TAG>                A label; may be repeated
          --valence <VALENCE>        What it felt like: -2 (terrible) to 2 (wonderful)
          --arousal <AROUSAL>        How strongly: 0 (calm) to 1
          --feeling <FEELING>        The feeling in a word
          --goal <ID>                The plan that it serves: mem_...
          --answers <ID>             The question that it answers: mem_...
          --resolves <ID>            The plan, activity or question that is done with it: mem_...
          --entity <ENTITY>          Whom or what it is about: ent_...
          --expires-at <TIME>        A deadline, such as 2026-12-24T18:00:00Z
          --pinned                   Exempt it from decay
          --private                  Only you may see it
          --source <SOURCE>          Where it came from: a message, a file
          --about <NAME>             Of whom or what it says something: a name, `self` or `world`
          --slot <SLOT>              The question that it answers, such as database or employer
          --value <VALUE>            The answer
          --kind <KIND>              operator_preference, project_state, tooling_state,
                                     relationship_fact, self_model or world_fact
          --not                      It is not so
          --replaces <VALUE>         The answer that it takes the place of
      -h, --help                     Print help
    ");
}

#[test]
fn of_context() {
    assert_snapshot!(own_help(&["context"]), @"
    What to have in mind before the next word, within a budget of tokens

    Usage: selfsame context [OPTIONS] [QUERY]

    Arguments:
      [QUERY]  What it is about; without it, what matters most

    Options:
          --principal <NAME>  Who is present
          --budget <TOKENS>   Tokens, at most [default: context.budget_tokens]
          --explain           Show what each section has of its share, and what did not fit, instead of
                              the text
      -h, --help              Print help
    ");
}

#[test]
fn of_recall() {
    assert_snapshot!(own_help(&["recall"]), @"
    Find what answers a question, or nothing

    Usage: selfsame recall [OPTIONS] <QUERY>

    Arguments:
      <QUERY>  The question, or just words

    Options:
      -n, --limit <LIMIT>          Answers, at most
          --offset <OFFSET>        Answers to pass over: where the next page begins
      -m, --mode <MODE>            What weighs most: balanced, recent, important, historical, timeline,
                                   preferences, identity
          --layer <LAYERS>         Only from this layer: memory, message, observation or summary
          --entity <ENTITY>        Only about, by or mentioning this entity
          --principal <PRINCIPAL>  Only in the name of this principal
          --type <TYPES>           Only memories of this type
          --tag <TAGS>             Only memories with this label
          --from <FROM>            Not before this date or time
          --until <UNTIL>          Not after this date or time
          --state <STATES>         Only in this state: active, stale, archived, resolved
          --min-trust <MIN_TRUST>  Only what is believed at least so far (0 to 1)
          --as-of <AS_OF>          Answer from what was known on this date or at this time
          --anyway                 Give the best there is, even where there is likely no answer
          --explain                Show why each answer is one
      -h, --help                   Print help
    ");
}

#[test]
fn of_memory() {
    assert_snapshot!(own_help(&["memory"]), @"
    Look at memories, pin, resolve or edit them

    Usage: selfsame memory [OPTIONS] <COMMAND>

    Commands:
      list     List memories, the newest first
      show     Show one memory: how firmly it is held, its history, who else said it
      edit     Store a next edition; the old one stays readable
      pin      Keep a memory from fading
      unpin    Let it fade again
      resolve  A plan, an activity or a question is done
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["memory", "list"]), @"
    List memories, the newest first

    Usage: selfsame memory list [OPTIONS]

    Options:
          --type <TYPE>      Of this type
          --state <STATE>    In this state: active, stale, archived or resolved [default: active and
                             stale]
          --tag <TAG>        With this label
          --entity <ENTITY>  About this entity: ent_...
      -n, --limit <LIMIT>    How many, at most
      -h, --help             Print help
    ");
    assert_snapshot!(own_help(&["memory", "edit"]), @"
    Store a next edition; the old one stays readable

    Usage: selfsame memory edit [OPTIONS] <ID> [CONTENT]

    Arguments:
      <ID>       mem_...
      [CONTENT]  The new words

    Options:
          --type <TYPE>              Another type
          --importance <IMPORTANCE>  0 to 1
          --tag <TAG>                A label, instead of the old ones; may be repeated
      -h, --help                     Print help
    ");
}

#[test]
fn of_forget() {
    assert_snapshot!(own_help(&["forget"]), @"
    Forget for good, with all that was made from it; show the proof

    Usage: selfsame forget [OPTIONS] <ID|--entity <NAME>|--source <SOURCE>|--query <WORDS>|--whole-agent|--list|--proof <ERASURE>|--check <TEXT>>

    Arguments:
      [ID]  One thing: mem_..., or the id of a message, conversation, diary entry, to-do, and so on

    Options:
          --entity <NAME>    Somebody or something, with all that speaks of them
          --source <SOURCE>  Whatever came by this message, conversation, file or run
          --query <WORDS>    Whatever has all these words; look with --dry-run first
          --whole-agent      The whole agent; look with --dry-run first
          --list             List what was forgotten when, by counts; the newest first
          --proof <ERASURE>  Show the proof of an earlier act: era_...
          --check <TEXT>     Look where a text still is
          --dry-run          Only show what would go
          --token <TOKEN>    Exactly what a dry run showed: its token
          --everywhere       Also memories that say the same on their own
      -h, --help             Print help
    ");
}

#[test]
fn of_status() {
    assert_snapshot!(own_help(&["status"]), @"
    Where the mind stands

    Usage: selfsame status [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_doctor() {
    assert_snapshot!(own_help(&["doctor"]), @"
    Prove that the mind works: store, restart, find, forget, look around

    Usage: selfsame doctor [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_verify() {
    assert_snapshot!(own_help(&["verify"]), @"
    Check everything stored: structure, seals, index

    Usage: selfsame verify [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_config() {
    assert_snapshot!(own_help(&["config"]), @"
    Manage settings

    Usage: selfsame config [OPTIONS] <COMMAND>

    Commands:
      show  Show every setting, and where its value came from
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["config", "show"]), @"
    Show every setting, and where its value came from

    Usage: selfsame config show [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_agent() {
    assert_snapshot!(own_help(&["agent"]), @"
    Manage agents

    Usage: selfsame agent [OPTIONS] <COMMAND>

    Commands:
      create  Make an agent
      list    List the agents
      show    Show one agent: whom it serves, how much it remembers
      set     Say whether an agent is one of the family, or where it lives
      move    Go to a place, as the agent in use
      edit    Edit how an agent is to contemplate, its CONTEMPLATION.md, in your editor
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["agent", "create"]), @"
    Make an agent

    Usage: selfsame agent create [OPTIONS] <NAME>

    Arguments:
      <NAME>  Its name: letters, digits, -, _ and

    Options:
          --zone <ZONE>  IANA zone of its days, such as Europe/Berlin
          --family       One of the family: it thinks as often as contemplation.family_every says
      -h, --help         Print help
    ");
    assert_snapshot!(own_help(&["agent", "list"]), @"
    List the agents

    Usage: selfsame agent list [OPTIONS]

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["agent", "show"]), @"
    Show one agent: whom it serves, how much it remembers

    Usage: selfsame agent show [OPTIONS] [NAME]

    Arguments:
      [NAME]  Its name or id [default: the agent in use]

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["agent", "set"]), @r#"
    Say whether an agent is one of the family, or where it lives

    Usage: selfsame agent set [OPTIONS] [NAME]

    Arguments:
      [NAME]  Its name or id [default: the agent in use]

    Options:
          --family <true|false>  One of the family thinks as often as contemplation.family_every says
                                 [possible values: true, false]
          --home <PLACE>         Where it lives; elsewhere it does not take care of itself. "" is
                                 nowhere
      -h, --help                 Print help
    "#);
    assert_snapshot!(own_help(&["agent", "edit"]), @"
    Edit how an agent is to contemplate, its CONTEMPLATION.md, in your editor

    Usage: selfsame agent edit [OPTIONS] [NAME]

    Arguments:
      [NAME]  Its name or id [default: the agent in use]

    Options:
          --file <FILE>  Take the text from a file instead; `-` is standard input
      -h, --help         Print help
    ");
}

#[test]
fn of_key() {
    assert_snapshot!(own_help(&["key"]), @"
    Manage keys to the daemon

    Usage: selfsame key [OPTIONS] <COMMAND>

    Commands:
      create  Make a key; it is shown this once
      list    List the keys, without their secrets
      revoke  Revoke a key, at once and for good
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["key", "create"]), @"
    Make a key; it is shown this once

    Usage: selfsame key create [OPTIONS] <NAME>

    Arguments:
      <NAME>  What it is for

    Options:
          --speaks-as <VOICE>      In whose name it speaks: operator, principal, agent, host [default:
                                   operator]
          --scope <SCOPE>          What it may do: read, write, admin; may be repeated [default: read
                                   and write]
          --principal <PRINCIPAL>  Which principal (pri_... or its name), for principal and host
                                   [default: the operator]
          --all-agents             Open every agent, not only the one in use
      -h, --help                   Print help
    ");
    assert_snapshot!(own_help(&["key", "list"]), @"
    List the keys, without their secrets

    Usage: selfsame key list [OPTIONS]

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["key", "revoke"]), @"
    Revoke a key, at once and for good

    Usage: selfsame key revoke [OPTIONS] <ID>

    Arguments:
      <ID>  The key: key_...

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_mcp() {
    assert_snapshot!(own_help(&["mcp"]), @"
    Serve MCP on standard input and output, for an agent's host

    Usage: selfsame mcp [OPTIONS]

    Options:
          --profile <PROFILE>
              How many tools the model is shown

              Possible values:
              - core: The few that an agent needs every day
              - mind: Every tool of the mind
              
              [default: core]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_bench() {
    assert_snapshot!(own_help(&["bench"]), @"
    Measure on data of your own or of a known benchmark

    Usage: selfsame bench [OPTIONS] <COMMAND>

    Commands:
      recall     Measure how well recall finds, on data in a known format
      knowledge  Measure what is believed: contradictions and updates that are found, and what
                 confidence means
      help       Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    // Its --data is one of its own.
    let text = help(&["bench", "recall"]);
    let (own, everywhere) = text.split_once("\nEverywhere:\n").unwrap();
    assert!(!everywhere.contains("--data") && everywhere.contains("--json"), "{everywhere}");
    assert_snapshot!(own, @r#"
    Measure how well recall finds, on data in a known format

    The folder has locomo.json (LoCoMo), folders with chat.json and probing_questions.json (BEAM), or
    memories.jsonl ({"id", "text", "at"?, "speaker"?, "conversation"?}) with questions.jsonl
    ({"question", "evidence": [ids], "type"?}). Every conversation is filed into a mind of its own in a
    temporary folder; yours is not touched.

    Usage: selfsame bench recall [OPTIONS] --data <DIR>

    Options:
          --data <DIR>
              The folder with the data to measure on

          --conversation <N>
              Only this conversation: 1 is the first

          --questions <N>
              Questions of each conversation, at most: for a quick look

          --model <DIR>
              Compare meaning too, with the model in this folder; without it, by words alone

          --no-captions
              Leave image captions out of the turns (LoCoMo)

          --cross-validate
              Learn weights, and measure each conversation with those learned from the others

          --dump <FILE>
              Write every question with its evidence and what was found to this file, as JSON Lines

      -h, --help
              Print help (see a summary with '-h')
    "#);
    let text = help(&["bench", "knowledge"]);
    let (own, everywhere) = text.split_once("\nEverywhere:\n").unwrap();
    assert!(!everywhere.contains("--data"), "{everywhere}");
    assert_snapshot!(own, @"
    Measure what is believed: contradictions and updates that are found, and what confidence means

    The folder has folders with chat.json and probing_questions.json (BEAM), whose labels say which
    messages are at odds. Beside them, histories are made up whose truth is known: sources of known
    reliability, truths that change, a liar, copies. Each is lived through in a mind of its own in a
    temporary folder; yours is not touched.

    Usage: selfsame bench knowledge [OPTIONS] --data <DIR>

    Options:
          --data <DIR>
              The folder with the chats to measure on

          --as-principal
              File the chats as another principal's, whose word does not outrank evidence

          --histories <N>
              Made-up histories to live through: every second is of the test half
              
              [default: 24]

          --dump <FILE>
              Write every flagged pair, and every belief that was looked at, to this file, as JSON Lines

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_events() {
    assert_snapshot!(own_help(&["events"]), @"
    What happened to an agent, in order and without holes

    Usage: selfsame events [OPTIONS]

    Options:
          --after <AFTER>  Begin after this number
      -n, --limit <LIMIT>  Events, at most
      -h, --help           Print help
    ");
}

#[test]
fn of_duty() {
    assert_snapshot!(own_help(&["duty"]), @"
    Manage background duties

    Usage: selfsame duty [OPTIONS] <COMMAND>

    Commands:
      list     List what is done in the background, with what is late or dead
      requeue  Give a dead or cancelled duty another chance, from now
      cancel   Stop a duty; requeue brings it back
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["duty", "list"]), @"
    List what is done in the background, with what is late or dead

    Usage: selfsame duty list [OPTIONS]

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["duty", "requeue"]), @"
    Give a dead or cancelled duty another chance, from now

    Usage: selfsame duty requeue [OPTIONS] <ID>

    Arguments:
      <ID>  The duty: dut_...

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["duty", "cancel"]), @"
    Stop a duty; requeue brings it back

    Usage: selfsame duty cancel [OPTIONS] <ID>

    Arguments:
      <ID>  The duty: dut_...

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_backup() {
    assert_snapshot!(own_help(&["backup"]), @"
    Make a verified copy of the database, now

    Usage: selfsame backup [OPTIONS]

    Options:
          --purge  Then remove older copies that still have what was forgotten since
      -h, --help   Print help
    ");
}

#[test]
fn of_restore() {
    assert_snapshot!(own_help(&["restore"]), @"
    Put a backup in the place of the database, which is kept beside it

    Usage: selfsame restore [OPTIONS] <BACKUP>

    Arguments:
      <BACKUP>  The backup: a .db file with its manifest beside it

    Options:
          --accept-resurrection  Although the ledger of what was forgotten is missing or damaged: what
                                 was forgotten since may come back
          --dry-run              Only check the backup
      -h, --help                 Print help
    ");
}

#[test]
fn of_entity() {
    assert_snapshot!(own_help(&["entity"]), @"
    Whom and what the agent knows

    Usage: selfsame entity [OPTIONS] <COMMAND>

    Commands:
      add      Make an entity
      list     List whom and what the agent knows
      show     Show one entity
      alias    Give an entity another name
      profile  Say who or what an entity is
      merge    Make two entities one; this cannot be undone
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["entity", "add"]), @"
    Make an entity

    Usage: selfsame entity add [OPTIONS] <NAME>

    Arguments:
      <NAME>  Its first name

    Options:
          --kind <KIND>    person, organization, project, tool, place, agent [default: person]
          --alias <ALIAS>  Another name; may be repeated
      -h, --help           Print help
    ");
    assert_snapshot!(own_help(&["entity", "merge"]), @"
    Make two entities one; this cannot be undone

    Usage: selfsame entity merge [OPTIONS] <FROM> <INTO>

    Arguments:
      <FROM>  The one that goes on as a name of the other
      <INTO>  The one that stays

    Options:
          --dry-run  Only look whether it can be done
      -h, --help     Print help
    ");
}

#[test]
fn of_conversation() {
    assert_snapshot!(own_help(&["conversation"]), @"
    What was said, to whom and by whom

    Usage: selfsame conversation [OPTIONS] <COMMAND>

    Commands:
      open      Open a conversation, or find the one of that channel
      say       Say something
      list      List conversations, the newest first
      show      Show what was said
      active    Say that a run is on, or over
      close     Close a conversation
      exchange  Say something to another agent; only the agent itself may (--as agent)
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["conversation", "open"]), @"
    Open a conversation, or find the one of that channel

    Usage: selfsame conversation open [OPTIONS]

    Options:
          --channel <CHANNEL>      Your own name for it
          --conversation <ID>      One that is there: cnv_...
          --title <TITLE>          What it is about
          --with <WHO>             With whom: a principal or an entity, by id or name
          --active-for <DURATION>  A run is on for so long: 15m, 2h; at most 24h
          --reopen                 If it is closed, open it again
      -h, --help                   Print help
    ");
    assert_snapshot!(own_help(&["conversation", "say"]), @"
    Say something

    Usage: selfsame conversation say [OPTIONS] <CONTENT>

    Arguments:
      <CONTENT>  The words; `-` reads them from standard input

    Options:
          --conversation <ID>  Where: cnv_...
          --channel <CHANNEL>  Where, by your own name for it; a new one is opened
          --role <ROLE>        system, for the operator; others follow from who speaks
          --at <TIME>          When it was said, if that was earlier
          --private            Only you may see it
      -h, --help               Print help
    ");
}

#[test]
fn of_relate() {
    assert_snapshot!(own_help(&["relate"]), @"
    How the agent stands to whom it has met

    Usage: selfsame relate [OPTIONS] <COMMAND>

    Commands:
      set   Say how the agent stands to somebody; only the agent itself may (--as agent)
      list  List how the agent stands to everybody whom it has met
      show  Show how the agent stands to somebody, and how that came to be
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["relate", "set"]), @"
    Say how the agent stands to somebody; only the agent itself may (--as agent)

    Usage: selfsame relate set [OPTIONS] --because <REASON> <WHO> <TYPE>

    Arguments:
      <WHO>   To whom: ent_..., a name, an alias or an agent's name
      <TYPE>  ally, rival, mentor, neutral, ... in the agent's own word

    Options:
          --trust <TRUST>     -1 to 1
          --tone <TONE>       The tone, in a word or two
          --because <REASON>  Why; kept with the change for good
          --notes <NOTES>     Whatever else is to be kept of it
      -h, --help              Print help
    ");
}

#[test]
fn of_principal() {
    assert_snapshot!(own_help(&["principal"]), @"
    Manage whom the agent serves

    Usage: selfsame principal [OPTIONS] <COMMAND>

    Commands:
      add   Add somebody whom the agent serves
      list  List whom the agent serves
      set   Give a principal another name or zone
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["principal", "set"]), @"
    Give a principal another name or zone

    Usage: selfsame principal set [OPTIONS] <PRINCIPAL>

    Arguments:
      <PRINCIPAL>  Which: pri_... or its name

    Options:
          --name <NAME>  Another name
          --zone <ZONE>  Another IANA zone
      -h, --help         Print help
    ");
}

#[test]
fn of_connect() {
    assert_snapshot!(own_help(&["connect"]), @"
    Connect the programs that agents run in: Claude Code, Codex, Cursor and others

    Usage: selfsame connect [OPTIONS] [CLIENT]...

    Arguments:
      [CLIENT]...  Which: claude-code, claude-desktop, codex, cursor, vscode, openclaw, gemini-cli,
                   opencode

    Options:
          --detect   All that are found on this machine
          --dry-run  Show what would be changed, and change nothing
          --undo     Put everything back as it was; without a name, all that were connected
      -h, --help     Print help
    ");
}

#[test]
fn of_hook() {
    assert_snapshot!(own_help(&["hook"]), @"
    Tell of a session, for the program that an agent runs in

    Usage: selfsame hook [OPTIONS] <EVENT>

    Arguments:
      <EVENT>  What happened: session-start, user-prompt, stop, pre-compact or session-end

    Options:
          --client <NAME>  Which program asks, such as claude-code, codex or cursor [default: by how it
                           speaks]
      -h, --help           Print help
    ");
}

#[test]
fn of_service() {
    assert_snapshot!(own_help(&["service"]), @"
    Run the daemon at every login

    Usage: selfsame service [OPTIONS] <COMMAND>

    Commands:
      install  Start the daemon at every login, and now
      remove   Stop the service and take it away; the mind stays
      status   Whether it is installed and runs
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["service", "install"]), @"
    Start the daemon at every login, and now

    Usage: selfsame service install [OPTIONS]

    Options:
          --dry-run  Show what would be written and run, and do nothing
      -h, --help     Print help
    ");
    assert_snapshot!(own_help(&["service", "remove"]), @"
    Stop the service and take it away; the mind stays

    Usage: selfsame service remove [OPTIONS]

    Options:
          --dry-run  Show what would be removed and run, and do nothing
      -h, --help     Print help
    ");
    assert_snapshot!(own_help(&["service", "status"]), @"
    Whether it is installed and runs

    Usage: selfsame service status [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_uninstall() {
    assert_snapshot!(own_help(&["uninstall"]), @"
    Undo what was written outside of the data folder; the mind stays

    Usage: selfsame uninstall [OPTIONS]

    Options:
          --keep-data  The mind stays where it is; there is no other way
          --dry-run    Show what would be done, and do nothing
      -h, --help       Print help
    ");
}

#[test]
fn of_completions() {
    assert_snapshot!(own_help(&["completions"]), @"
    Print what completes commands in a shell

    Usage: selfsame completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>  For which shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_man() {
    assert_snapshot!(own_help(&["man"]), @"
    Print the manual page

    Usage: selfsame man [OPTIONS]

    Options:
          --out <DIR>  Write a page for every command into this folder, instead of the first one to
                       standard output
      -h, --help       Print help
    ");
}

/// A command that is not in this file has no snapshot of its help.
#[test]
fn every_command_has_a_test_here() {
    let this = include_str!("help.rs");
    let program = help(&[]);
    let (_, rest) = program.split_once("Commands:\n").unwrap();
    let commands = rest.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(this.contains(&format!("fn of_{name}()")), "{name} has no test here");
    }
}

#[test]
fn of_inbox() {
    assert_snapshot!(own_help(&["inbox"]), @"
    What was said and may be worth remembering

    Usage: selfsame inbox [OPTIONS] <COMMAND>

    Commands:
      capture  File what you say: what you ask to be remembered is, the rest waits for review
      list     List what waits for a decision, or what was decided
      review   Show what waits for a decision and how to decide, or let the rules decide
      promote  Make candidates memories
      merge    Say that a memory says it already
      reject   Leave candidates
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["inbox", "promote"]), @"
    Make candidates memories

    Usage: selfsame inbox promote [OPTIONS] <IDS>...

    Arguments:
      <IDS>...  The candidates: can_...

    Options:
          --type <TYPE>              Another type of memory than the hint
          --importance <IMPORTANCE>  Another importance than the hint, 0 to 1
      -h, --help                     Print help
    ");
}

#[test]
fn of_link() {
    assert_snapshot!(own_help(&["link"]), @"
    Memory that one agent gives another

    Usage: selfsame link [OPTIONS] <COMMAND>

    Commands:
      request  Ask another agent for its whole memory
      list     List the links of the agent, the newest first
      show     Show one link
      share    Answer a request: copy all memories to the other that are not private
      decline  Answer a request: share nothing
      revoke   Take back what was shared, with all that was made of it
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["link", "share"]), @"
    Answer a request: copy all memories to the other that are not private

    Usage: selfsame link share [OPTIONS] <REQUEST>

    Arguments:
      <REQUEST>  The request: lnk_...

    Options:
          --allow-onward  Let the other give on what it receives
      -h, --help          Print help
    ");
}

#[test]
fn of_monitor() {
    assert_snapshot!(own_help(&["monitor"]), @"
    Memories that want to be looked after

    Usage: selfsame monitor [OPTIONS] <COMMAND>

    Commands:
      add      Have a memory checked every so often
      list     List the memories that are looked after, the overdue ones first
      checked  Record that a memory was looked after just now
      end      Stop looking after a memory; the memory stays
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["monitor", "checked"]), @"
    Record that a memory was looked after just now

    Usage: selfsame monitor checked [OPTIONS] <MEMORY>

    Arguments:
      <MEMORY>  The memory: mem_...

    Options:
          --note <NOTE>  What was seen; kept as a memory of its own
      -h, --help         Print help
    ");
}

#[test]
fn of_reflections() {
    assert_snapshot!(own_help(&["reflections"]), @"
    What past periods meant

    Usage: selfsame reflections [OPTIONS] <COMMAND>

    Commands:
      list  List what past periods meant, the newest first
      show  Show one reflection
      add   Write down what a period meant
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_selfcare() {
    assert_snapshot!(own_help(&["selfcare"]), @"
    Fold what is old into summaries: the agent's own act

    Usage: selfsame selfcare [OPTIONS]
           selfsame selfcare <COMMAND>

    Commands:
      status  Show how much is in mind, and what may be folded of it
      begin   Take the next batch, to write its summary yourself
      commit  Give the summary of a batch, from a file or standard input
      help    Print this message or the help of the given subcommand(s)

    Options:
          --focus <THEME>  A theme: it chooses the memories and steers the summary
          --what <WHAT>    memories, conversations or both [default: both]
      -h, --help           Print help
    ");
    assert_snapshot!(own_help(&["selfcare", "commit"]), @"
    Give the summary of a batch, from a file or standard input

    Usage: selfsame selfcare commit [OPTIONS] <BATCH>

    Arguments:
      <BATCH>  The batch: bat_...

    Options:
          --file <FILE>  Where the summary is; - is standard input [default: -]
      -h, --help         Print help
    ");
}

#[test]
fn of_summaries() {
    assert_snapshot!(own_help(&["summaries"]), @"
    What was folded, and into what

    Usage: selfsame summaries [OPTIONS] <COMMAND>

    Commands:
      list  List summaries of memories and of conversations, the newest first
      show  Show one summary with all that it was made from
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_know() {
    assert_snapshot!(own_help(&["know"]), @"
    What the agent believes, and why

    Usage: selfsame know [OPTIONS] <COMMAND>

    Commands:
      list         List what is believed, the surest first
      show         Show what is believed about somebody or something, or one belief
      why          Show why something is believed: what speaks for and against it, and what was believed
                   before
      confirm      Say that a belief is right
      correct      Say that a belief is not right, and what is
      useful       Say that a belief served well
      wrong        Say that a belief is wrong
      history      Show what was believed about somebody or something, and is
      as-of        Show what was believed on a date or at a time
      retract      Take a source back: what rested on it alone falls
      conflicts    List questions with two answers, neither of which has won
      slots        List the questions that beliefs answer, and their other names
      consolidate  Make beliefs of what was stored, now; it happens by itself a moment after every write
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["know", "list"]), @"
    List what is believed, the surest first

    Usage: selfsame know list [OPTIONS]

    Options:
          --kind <KIND>    operator_preference, project_state, tooling_state, relationship_fact,
                           self_model or world_fact
          --slot <SLOT>    Only answers to this question, such as database
      -n, --limit <LIMIT>  How many, at most
      -h, --help           Print help
    ");
    assert_snapshot!(own_help(&["know", "why"]), @"
    Show why something is believed: what speaks for and against it, and what was believed before

    Usage: selfsame know why [OPTIONS] <OBSERVATION>

    Arguments:
      <OBSERVATION>  obs_..., a key, or subject/slot such as Maya/database

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["know", "as-of"]), @"
    Show what was believed on a date or at a time

    Usage: selfsame know as-of [OPTIONS] <WHEN> [ABOUT]

    Arguments:
      <WHEN>   A date or a time, such as 2026-05-03
      [ABOUT]  A name, an id, `self` or `world` [default: anything]

    Options:
          --kind <KIND>    operator_preference, project_state, tooling_state, relationship_fact,
                           self_model or world_fact
          --slot <SLOT>    Only answers to this question, such as database
      -n, --limit <LIMIT>  How many, at most
      -h, --help           Print help
    ");
    assert_snapshot!(own_help(&["know", "retract"]), @"
    Take a source back: what rested on it alone falls

    Usage: selfsame know retract [OPTIONS] [SOURCE]

    Arguments:
      [SOURCE]  A memory, lesson, reflection, entity, message, conversation or principal by its id, or a
                document's name

    Options:
          --source <SOURCE>  The same
          --dry-run          Only show what would fall
      -h, --help             Print help
    ");
}

#[test]
fn of_lessons() {
    assert_snapshot!(own_help(&["lessons"]), @"
    What was learned from what was done

    Usage: selfsame lessons [OPTIONS] <COMMAND>

    Commands:
      list   List what was learned, the surest first
      show   Show one lesson
      judge  Say what you make of a lesson: it grows surer or less sure
      add    Write down what was learned
      help   Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["lessons", "judge"]), @"
    Say what you make of a lesson: it grows surer or less sure

    Usage: selfsame lessons judge [OPTIONS] <ID> <JUDGEMENT>

    Arguments:
      <ID>         The lesson: les_...
      <JUDGEMENT>  up (it is right), down (it is not) or unhelpful (it did not help)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["lessons", "add"]), @"
    Write down what was learned

    Usage: selfsame lessons add [OPTIONS] --type <TYPE> --source <MEMORY> <LESSON>

    Arguments:
      <LESSON>  What follows, in words that will still make sense in a year

    Options:
          --type <TYPE>              mistake, success, workaround or discovery
          --source <MEMORY>          A memory it was learned from (mem_...); may be repeated
          --context <CONTEXT>        In which situation
          --action <ACTION>          What was done
          --outcome <OUTCOME>        What came of it
          --correction <CORRECTION>  What to do instead
          --tag <TAG>                A label; may be repeated
          --tool <TOOL>              A tool it is about; may be repeated
      -h, --help                     Print help
    ");
}

#[test]
fn of_soul() {
    assert_snapshot!(own_help(&["soul"]), @"
    What the agent is at heart: add, remove, list

    Usage: selfsame soul [OPTIONS] <COMMAND>

    Commands:
      add     Add a truth: a belief, value, fear or conviction
      remove  Remove an entry; it stays in the history
      list    List what the agent is at heart
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["soul", "add"]), @"
    Add a truth: a belief, value, fear or conviction

    Usage: selfsame soul add [OPTIONS] --because <REASON> <CONTENT>

    Arguments:
      <CONTENT>  In the first person; not a fact

    Options:
          --because <REASON>  Why it is part of the agent now
          --kind <KIND>       belief, value, fear or conviction [default: belief]
      -h, --help              Print help
    ");
}

#[test]
fn of_diary() {
    assert_snapshot!(own_help(&["diary"]), @"
    The agent's diary: write, search, read

    Usage: selfsame diary [OPTIONS] <COMMAND>

    Commands:
      write   Write an entry; writing again on a day appends
      search  Find entries of any day by their words
      day     Show all entries of a day
      list    List the days that have entries
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["diary", "write"]), @"
    Write an entry; writing again on a day appends

    Usage: selfsame diary write [OPTIONS] <TEXT>

    Arguments:
      <TEXT>  The entry; `-` reads it from standard input

    Options:
          --mood <MOOD>          How it feels
          --location <LOCATION>  Where it is
          --detail <JSON>        Anything else, as a JSON object
          --date <DATE>          Today or a past day, YYYY-MM-DD [default: today]
          --private              Only you may see it
      -h, --help                 Print help
    ");
}

#[test]
fn of_todo() {
    assert_snapshot!(own_help(&["todo"]), @"
    What is to be done

    Usage: selfsame todo [OPTIONS] <COMMAND>

    Commands:
      add     Note something to be done
      list    List what is to be done
      start   Begin with a to-do
      done    Mark a to-do as done
      cancel  Give a to-do up
      edit    Change a to-do
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["todo", "add"]), @"
    Note something to be done

    Usage: selfsame todo add [OPTIONS] <TITLE>

    Arguments:
      <TITLE>  What

    Options:
          --description <DESCRIPTION>  More about it
          --priority <PRIORITY>        low, normal, high or urgent [default: normal]
          --due <TIME>                 By when: 2026-12-24, 2026-12-24T18:00 (in the agent's zone),
                                       tomorrow
          --remind <BOOL>              Whether to be reminded [default: true when you ask] [possible
                                       values: true, false]
          --private                    Only you may see it
      -h, --help                       Print help
    ");
}

#[test]
fn of_calendar() {
    assert_snapshot!(own_help(&["calendar"]), @"
    What takes place when

    Usage: selfsame calendar [OPTIONS] <COMMAND>

    Commands:
      add     Put something in the calendar
      check   See what takes place
      remove  Take an entry off, or one occurrence of a series
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["calendar", "add"]), @"
    Put something in the calendar

    Usage: selfsame calendar add [OPTIONS] --start <TIME> <TITLE>

    Arguments:
      <TITLE>  What

    Options:
          --start <TIME>               2026-12-24T18:00 (local), 2026-12-24 (a whole day) or RFC 3339
          --end <TIME>                 Until when; of whole days the last one
          --duration <DURATION>        Or how long: 90m, 1h30m, 2d
          --location <LOCATION>        Where
          --description <DESCRIPTION>  More about it
          --zone <ZONE>                IANA zone of the local times [default: the agent's]
          --repeat <RULE>              How it repeats, such as FREQ=WEEKLY;BYDAY=MO (RFC 5545)
          --remind <MINUTES>           Be reminded so many minutes before
          --private                    Only you may see it
      -h, --help                       Print help
    ");
}

#[test]
fn of_model() {
    assert_snapshot!(own_help(&["model"]), @"
    Manage the models that give texts a meaning

    Usage: selfsame model [OPTIONS] <COMMAND>

    Commands:
      install  Install a model from a folder, or by its name from the hub
      list     List the installed models
      embed    Let the model read now what it has not read yet
      remove   Remove a model
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["model", "install"]), @"
    Install a model from a folder, or by its name from the hub

    Usage: selfsame model install [OPTIONS] <MODEL>

    Arguments:
      <MODEL>  A folder with model.onnx and tokenizer.json, or a known name such as all-MiniLM-L6-v2

    Options:
          --name <NAME>  What it is called here [default: the name of the folder]
          --replace      Put it in the place of another model of that name
          --hub <URL>    Fetch from another hub, such as a mirror [default: https://huggingface.co]
      -h, --help         Print help
    ");
    assert_snapshot!(own_help(&["model", "list"]), @"
    List the installed models

    Usage: selfsame model list [OPTIONS]

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["model", "embed"]), @"
    Let the model read now what it has not read yet

    Usage: selfsame model embed [OPTIONS]

    Options:
          --anew  Drop what it made of everything, and begin again
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["model", "remove"]), @"
    Remove a model

    Usage: selfsame model remove [OPTIONS] <NAME>

    Arguments:
      <NAME>  As `selfsame model list` shows it

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_heartbeat() {
    assert_snapshot!(own_help(&["heartbeat"]), @"
    When the agent speaks up unasked, and why it is silent

    Usage: selfsame heartbeat [OPTIONS] <COMMAND>

    Commands:
      tick      Look now whether anything is worth saying, and say it; the daemon does so by itself
      peek      Look, and change nothing
      explain   Say why something is said, or nothing: now, later, or as a receipt has it
      status    Show how somebody is spoken to, and when it is looked next
      set       Change how somebody is spoken to; `default` goes back to what is set for everybody
      receipts  List what was seen and said, silent ticks included; or show one with all its steps
      gate      For a host: whether to wake the agent (exit code 0) or to stay silent (10)
      mute      Say nothing to somebody until unmuted; what falls due meanwhile is missed
      unmute    Speak to somebody again
      snooze    Say nothing to somebody for a while
      pause     Let no agent of the house say anything
      resume    Let the agents of the house speak again
      simulate  Run the days to come forward on a copy, and see what would be said
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["heartbeat", "explain"]), @r#"
    Say why something is said, or nothing: now, later, or as a receipt has it

    Usage: selfsame heartbeat explain [OPTIONS]

    Options:
          --principal <NAME>   For whom: a name or pri_... [default: the operator]
          --at <TIME>          Then, such as "tomorrow 09:00" or "yesterday 18:00"
          --receipt <RECEIPT>  The tick of this receipt: rcp_...
      -h, --help               Print help
    "#);
    assert_snapshot!(own_help(&["heartbeat", "set"]), @"
    Change how somebody is spoken to; `default` goes back to what is set for everybody

    Usage: selfsame heartbeat set [OPTIONS]

    Options:
          --principal <NAME>  For whom: a name or pri_... [default: the operator]
          --autonomy <LEVEL>  observe (only the agent sees it), suggest (it waits on a list) or act (the
                              agent is woken)
          --quiet <HOURS>     Quiet hours by their clock, such as 22:30-07:30
          --channels <NAMES>  Where nudges go, with commas: list, webhook, command, file
      -h, --help              Print help
    ");
    assert_snapshot!(own_help(&["heartbeat", "receipts"]), @"
    List what was seen and said, silent ticks included; or show one with all its steps

    Usage: selfsame heartbeat receipts [OPTIONS] [RECEIPT]

    Arguments:
      [RECEIPT]  Only this one, with all its steps: rcp_...

    Options:
          --principal <NAME>  For whom: a name or pri_... [default: the operator]
          --before <TIME>     Only those before this moment, such as today
          --acts              Only those that said something
      -n, --limit <LIMIT>     How many, at most
      -h, --help              Print help
    ");
    assert_snapshot!(own_help(&["heartbeat", "simulate"]), @"
    Run the days to come forward on a copy, and see what would be said

    Usage: selfsame heartbeat simulate [OPTIONS]

    Options:
          --principal <NAME>   For whom: a name or pri_... [default: the operator]
          --days <DAYS>        How many days, up to 366 [default: 30]
          --persona <PERSONA>  How they take what is said: answers, selective (one in five) or ignores
                               [default: answers]
      -h, --help               Print help
    ");
}

#[test]
fn of_nudge() {
    assert_snapshot!(own_help(&["nudge"]), @"
    What the agent has to say unasked

    Usage: selfsame nudge [OPTIONS] <COMMAND>

    Commands:
      list     Fetch what is to be said to you, and list it: with that it is delivered
      answer   Say that a nudge was answered
      dismiss  Wave a nudge away; it counts as no answer
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["nudge", "list"]), @"
    Fetch what is to be said to you, and list it: with that it is delivered

    Usage: selfsame nudge list [OPTIONS]

    Options:
          --principal <NAME>  For whom: a name or pri_...; somebody else's are looked at, not fetched
                              [default: the operator]
          --peek              Look without fetching
          --fetch             Fetch somebody else's: you tell them
          --all               Also what is over
      -n, --limit <LIMIT>     How many, at most
      -h, --help              Print help
    ");
    assert_snapshot!(own_help(&["nudge", "answer"]), @"
    Say that a nudge was answered

    Usage: selfsame nudge answer [OPTIONS] <ID> [ANSWER]

    Arguments:
      <ID>      nud_...
      [ANSWER]  What was said, in a few words

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_schedule() {
    assert_snapshot!(own_help(&["schedule"]), @"
    What will be brought up, and when

    Usage: selfsame schedule [OPTIONS] <COMMAND>

    Commands:
      list  List what will be brought up and when, the next first
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["schedule", "list"]), @"
    List what will be brought up and when, the next first

    Usage: selfsame schedule list [OPTIONS]

    Options:
      -n, --limit <LIMIT>  Schedules, at most
      -h, --help           Print help
    ");
}

#[test]
fn of_contemplate() {
    assert_snapshot!(own_help(&["contemplate"]), @"
    Time to think, and when it comes

    Usage: selfsame contemplate [OPTIONS] <COMMAND>

    Commands:
      now     Think now, however busy the agent is
      status  When the agent thinks next, what it cost today, and why there was none
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_episodes() {
    assert_snapshot!(own_help(&["episodes"]), @"
    What times of thinking brought

    Usage: selfsame episodes [OPTIONS] <COMMAND>

    Commands:
      list  List what times of thinking brought, the newest first
      show  Show one episode, with everything that was said
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_work() {
    assert_snapshot!(own_help(&["work"]), @"
    Thinking that waits for the agent itself, and what became of the rest

    Usage: selfsame work [OPTIONS] <COMMAND>

    Commands:
      next      Take the next piece of work that waits for the agent itself
      complete  Give the answer to a piece of work, from a file or standard input
      release   Give a piece of work back undone
      list      List the work of the agent's thinkers, the newest first
      show      Show one piece of work: every attempt, every tool
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    assert_snapshot!(own_help(&["work", "complete"]), @"
    Give the answer to a piece of work, from a file or standard input

    Usage: selfsame work complete [OPTIONS] --token <TOKEN> <ID>

    Arguments:
      <ID>  The work: wrk_...

    Options:
          --token <TOKEN>  The token that came with it
          --file <FILE>    Where the answer is; - is standard input [default: -]
      -h, --help           Print help
    ");
}

#[test]
fn of_audit() {
    assert_snapshot!(own_help(&["audit"]), @"
    The junk meter: what is kept that helps nobody

    Usage: selfsame audit [OPTIONS]

    Options:
          --list  List the ids of each figure, up to a hundred
      -h, --help  Print help
    ");
}

#[test]
fn of_export() {
    assert_snapshot!(own_help(&["export"]), @"
    Pack an agent, or all, into one archive; or as Markdown to read

    Usage: selfsame export [OPTIONS] <TO>

    Arguments:
      <TO>  Where to write the archive; a folder for --markdown and --journal

    Options:
          --all       Every agent of the house, not only the one that is meant
          --markdown  A folder of Markdown to read, instead of an archive
          --journal   The journal of times of thinking, a file of JSON Lines a day
      -h, --help      Print help
    ");
}

#[test]
fn of_import() {
    assert_snapshot!(own_help(&["import"]), @"
    Read in an archive, or what another system wrote, as candidates for the inbox

    Usage: selfsame import [OPTIONS] [PATH]
           selfsame import <COMMAND>

    Commands:
      runs  The runs by which things came from other systems
      undo  Take back what a run brought
      help  Print this message or the help of the given subcommand(s)

    Arguments:
      [PATH]  An archive of Selfsame, or what another system wrote: a file, a folder of notes, or a zip

    Options:
          --format <FORMAT>  What wrote it: memory-md, notes, chatgpt, claude, server-memory or mem0
                             [default: found out]
          --rename <NAME>    Another name for the one agent of an archive
          --dry-run          Only show what would come
      -h, --help             Print help
    ");
}

#[test]
fn of_move() {
    assert_snapshot!(own_help(&["move"]), @"
    Move the whole house to another folder or a PostgreSQL server

    Usage: selfsame move [OPTIONS]

    Options:
          --to <PLACE>      Where to: a folder, or postgres://role:password@host/database
          --to-owner <URL>  The role that owns the tables there, to make them
          --stay            Live here again, in a house that was left or was being left
      -h, --help            Print help
    ");
}
