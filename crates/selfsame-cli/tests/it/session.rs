//! A person at the terminal: what each command says, alone and with a daemon running.

use crate::cli::World;
use insta::assert_snapshot;
use std::cell::RefCell;
use std::fs;

#[test]
fn before_there_is_a_mind() {
    let world = World::new();
    assert_snapshot!(world.run(&[]), @"
    There is no mind yet.

      selfsame init     make one
      selfsame --help   see what it can do
    ");
    assert_snapshot!(world.run(&["recall", "anything"]), @r#"
    [stderr]
    error: there is no mind in "$WORLD/data": run `selfsame init` first, or name another folder with --data
    [exit code 3]
    "#);
    assert!(!world.data().exists(), "a look made something");
}

#[test]
fn the_first_minutes() {
    let world = World::new();
    assert_snapshot!(world.run(&["init"]), @r#"
    A mind is made.
    data      $WORLD/data
    database  SQLite
    agent     main
    key       in $WORLD/data/operator.key

    Next: selfsame remember "..."   selfsame recall "..."   selfsame serve
    "#);
    assert_snapshot!(world.run(&["init"]), @r#"
    The mind is there already; nothing was changed.
    data      $WORLD/data
    database  SQLite
    agent     main
    key       in $WORLD/data/operator.key

    Next: selfsame remember "..."   selfsame recall "..."   selfsame serve
    "#);
    let standing = world.run(&[]).succeeds();
    let names: Vec<&str> = standing.lines().filter_map(|line| line.split("  ").next()).collect();
    let expected = ["selfsame 0.1.0", "agent", "memories", "beliefs", "heartbeat", "daemon", "dashboard"];
    assert_eq!(names[..7], expected, "{standing}");
    assert!(
        standing.ends_with("next       selfsame remember \"...\"  nothing is remembered yet\n"),
        "{standing}"
    );
    assert_snapshot!(world.run(&["remember", "Maya likes green tea in the morning", "--type", "preference"]), @"remembered  mem_ID");
    assert_snapshot!(world.run(&["remember", "The red bicycle is in the cellar", "--tag", "home", "--pinned"]), @"remembered  mem_ID");
    assert_snapshot!(world.run(&["recall", "what does Maya like?"]), @"
    0.35  Maya likes green tea in the morning
          Maya/preference#green-tea-in-the-morning
          believed, medium confidence, 1 for and 0 against  last said DATE
          first, being sure and current
          obs_ID
    0.50  Maya likes green tea in the morning
          preference  said by principal, trust 1  DATE
          mem_ID
    ");
    assert_snapshot!(world.run(&["recall", "where is the red bicycle, Maya?", "--explain"]), @"
     0.45  The red bicycle is in the cellar
           knowledge  said by principal, trust 1  DATE
           mem_ID
           +0.29  has the words                      ██████████
           +0.04  covers the question                ████████░░
           +0.04  words together as asked            ██████░░░░
           +0.03  says rather than asks              ██████████
           x1.15  age, importance, retention, trust
           has    red, bicycl
     0.15  Maya likes green tea in the morning
           Maya/preference#green-tea-in-the-morning
           believed, medium confidence, 1 for and 0 against  last said DATE
           obs_ID
           +0.10  has the words                  ██████████
           +0.07  said by or about who is named  ██████████
           +0.03  says rather than asks          ██████████
           +0.01  covers the question            ██░░░░░░░░
           x0.68  kind, confidence, freshness
           has    maya
     0.09  Maya likes green tea in the morning
           preference  said by principal, trust 1  DATE
           mem_ID
           +0.04  has the words                      ██░░░░░░░░
           +0.03  says rather than asks              ██████████
           +0.01  covers the question                ██░░░░░░░░
           x1.15  age, importance, retention, trust
           has    maya
           for    obs_ID
    100 % sure that there is an answer
    by words alone
    ");
    assert_snapshot!(world.run(&["recall", "where is the red bicycle, Maya?", "--limit", "1"]), @"
     0.45  The red bicycle is in the cellar
           knowledge  said by principal, trust 1  DATE
           mem_ID
    more: --offset 1
    ");
    assert_snapshot!(world.run(&["recall", "xylophone quartz"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(world.run(&["recall", "?!"]), @"nothing found: the question has no words to look for");
    assert_snapshot!(world.run(&["status"]), @"
    selfsame 0.1.0
    data      $WORLD/data
    database  SQLite N, schema 15
    daemon    not running (`selfsame serve` starts it)
    recall    by words (no embedding model)
    duties    7, all on time
    agent     main (yours), 2 memories, 1 belief
    ");
}

#[test]
fn for_programs() {
    let world = World::new();
    assert_snapshot!(world.run(&["init", "--json"]), @r#"
    {
      "data": "$WORLD/data",
      "database": "SQLite",
      "agent": "main",
      "key_file": "$WORLD/data/operator.key",
      "new": true
    }
    "#);
    assert_snapshot!(world.run(&["--json", "remember", "Maya likes green tea"]), @r#"
    {
      "id": "mem_ID",
      "outcome": "stored"
    }
    "#);
    assert_snapshot!(world.run(&["--json", "recall", "green tea"]), @r#"
    {
      "hits": [
        {
          "layer": "observation",
          "id": "obs_ID",
          "name": "Maya/preference#green-tea",
          "summary": "Maya likes green tea",
          "kind": "operator_preference",
          "subject": "Maya",
          "subject_type": "entity",
          "key": "entity:ent_ID:operator_preference:preference#green-tea",
          "value": "green tea",
          "confidence": 0.6843,
          "level": "medium",
          "freshness": 1.0,
          "status": "active",
          "contested": false,
          "confirmed": false,
          "sources": 1,
          "against": 0,
          "last_supported_at": "TIME",
          "revalidation_due_at": "TIME",
          "created_at": "TIME",
          "score": 0.2990980132450331,
          "fit": 0.43708609271523174,
          "factor": 0.6843,
          "why": [
            {
              "part": "passage",
              "strength": 1.0,
              "added": 0.10596026490066224
            },
            {
              "part": "nearby",
              "strength": 1.0,
              "added": 0.10154525386313464
            },
            {
              "part": "sitting",
              "strength": 1.0,
              "added": 0.07947019867549668
            },
            {
              "part": "phrase",
              "strength": 1.0,
              "added": 0.0706401766004415
            },
            {
              "part": "coverage",
              "strength": 1.0,
              "added": 0.05298013245033112
            },
            {
              "part": "statement",
              "strength": 1.0,
              "added": 0.02649006622516556
            }
          ],
          "words": [
            {
              "word": "green",
              "times": 2,
              "in_texts": 2
            },
            {
              "word": "tea",
              "times": 2,
              "in_texts": 2
            }
          ],
          "leads": true
        },
        {
          "layer": "memory",
          "id": "mem_ID",
          "content": "Maya likes green tea",
          "type": "knowledge",
          "importance": 0.5,
          "tags": [],
          "created_at": "TIME",
          "state": "active",
          "pinned": false,
          "author": "principal",
          "trust": 1.0,
          "principal": "pri_ID",
          "private": false,
          "score": 0.4441913558731265,
          "fit": 0.3879400487974904,
          "factor": 1.145,
          "why": [
            {
              "part": "passage",
              "strength": 0.7631578947368421,
              "added": 0.0808644126873475
            },
            {
              "part": "sitting",
              "strength": 1.0,
              "added": 0.07947019867549668
            },
            {
              "part": "nearby",
              "strength": 0.7631578947368421,
              "added": 0.07749506215870802
            },
            {
              "part": "phrase",
              "strength": 1.0,
              "added": 0.0706401766004415
            },
            {
              "part": "coverage",
              "strength": 1.0,
              "added": 0.05298013245033112
            },
            {
              "part": "statement",
              "strength": 1.0,
              "added": 0.02649006622516556
            }
          ],
          "words": [
            {
              "word": "green",
              "times": 1,
              "in_texts": 2
            },
            {
              "word": "tea",
              "times": 1,
              "in_texts": 2
            }
          ],
          "supports": [
            "obs_ID"
          ]
        }
      ],
      "words": [
        "green",
        "tea"
      ],
      "confidence": 0.9999438491038612
    }
    "#);
    assert_snapshot!(world.run(&["--json", "recall", "xylophone"]), @r#"
    {
      "hits": [],
      "words": [
        "xylophon"
      ],
      "confidence": 0.0,
      "note": "nothing that is stored has any of these words"
    }
    "#);
    assert_snapshot!(world.run(&["--json", "status"]), @r#"
    {
      "version": "0.1.0",
      "database": "SQLite N",
      "schema": 15,
      "recall": "by words (no embedding model)",
      "duties": {
        "all": 7,
        "late": 0,
        "dead": 0
      },
      "agents": [
        {
          "name": "main",
          "memories": 1,
          "summaries": 0,
          "beliefs": {
            "active": 1,
            "stale": 0,
            "contested": 0
          }
        }
      ]
    }
    "#);
    assert_snapshot!(world.run(&["--json", "recall", ""]), @r#"
    [stderr]
    {"error":{"code":"empty_text","detail":"question: the text is empty; write at least one visible character"}}
    [exit code 2]
    "#);
}

#[test]
fn to_forget() {
    let world = World::with_mind();
    let id = world.remember("The code of the door is 4711");
    assert_snapshot!(world.run(&["forget", &id, "--dry-run"]), @"would forget  mem_ID  The code of the door is 4711");
    assert_snapshot!(world.run(&["recall", "code of the door"]), @"
    0.50  The code of the door is 4711
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
    assert_snapshot!(world.run(&["forget", &id]), @"forgotten  mem_ID");
    assert_snapshot!(world.run(&["recall", "code of the door"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(world.run(&["forget", &id]), @"
    [stderr]
    error: memory mem_ID was forgotten: nothing of it is left
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["forget", &id, "--dry-run"]), @"
    [stderr]
    error: memory mem_ID was forgotten: nothing of it is left
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["forget", "mem_00000000000000000000000000"]), @"
    [stderr]
    error: there is no memory mem_ID: `selfsame memory list` shows them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["forget", "4711"]), @r#"
    [stderr]
    error: "4711" is no memory id: expected mem_ and 26 letters and digits, as printed by selfsame (`selfsame memory list` shows them)
    [exit code 2]
    "#);
}

/// What was forgotten is in no file of the folder.
#[test]
fn nothing_is_left_of_what_was_forgotten() {
    let world = World::with_mind();
    let id = world.remember("the unforgettable word is heffalumpia");
    let holders = || {
        let files = fs::read_dir(world.data()).unwrap().map(|entry| entry.unwrap().path());
        let holds = |path: &std::path::PathBuf| {
            let bytes = fs::read(path).unwrap_or_default();
            bytes.windows(11).any(|window| window == b"heffalumpia")
        };
        files.filter(holds).count()
    };
    assert!(holders() > 0, "the test sees nothing");
    world.run(&["forget", &id]).succeeds();
    assert_eq!(holders(), 0);
}

#[test]
fn to_be_sure() {
    let world = World::with_mind();
    world.remember("Maya likes green tea");
    assert_snapshot!(world.run(&["doctor"]), @"
    ok    data folder  $WORLD/data is yours alone
    ok    write        a memory was stored
    ok    restart      the mind was closed and opened again
    ok    recall       it was found by its words
    ok    forget       it was forgotten and is found no more
    ok    model        none: recall goes by words alone (`selfsame model install`
                       adds meaning)
    ok    tick         it was looked whether to speak up, for 0 tokens:
                       rcp_ID
    ok    clients      none is connected (`selfsame connect --detect --dry-run`)
    ");
    assert_snapshot!(world.run(&["verify"]), @"ok  1 memory of 1 agent: structure, seals and index fit");
    assert_snapshot!(world.run(&["--json", "verify"]), @r#"
    {
      "ok": true,
      "agents": 1,
      "memories": 1,
      "problems": []
    }
    "#);
    assert_snapshot!(world.run(&["recall", "green tea"]), @"
    0.30  Maya likes green tea
          Maya/preference#green-tea
          believed, medium confidence, 1 for and 0 against  last said DATE
          first, being sure and current
          obs_ID
    0.44  Maya likes green tea
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
    let daemon = world.serve(&[]);
    assert_snapshot!(world.run(&["doctor"]), @"
    ok    data folder  $WORLD/data is yours alone
    ok    daemon       it answers at http://127.0.0.1:PORT
    ok    write        a memory was stored
    ok    restart      it is on the disk: the data was opened afresh, beside this
                       process, and has it
    ok    recall       it was found by its words
    ok    forget       it was forgotten and is found no more
    ok    model        none: recall goes by words alone (`selfsame model install`
                       adds meaning)
    ok    tick         it was looked whether to speak up, for 0 tokens:
                       rcp_ID
    ok    clients      none is connected (`selfsame connect --detect --dry-run`)
    ");
    assert_snapshot!(world.run(&["status"]), @"
    selfsame 0.1.0
    data      $WORLD/data
    database  SQLite N, schema 15
    daemon    running at http://127.0.0.1:PORT
    recall    by words (no embedding model)
    duties    7, all on time
    agent     main (yours), 1 memory, 1 belief
    ");
    assert_eq!(daemon.stop(), 0);
    assert_snapshot!(world.run(&["verify"]), @"ok  1 memory of 1 agent: structure, seals and index fit");
}

#[test]
fn agents() {
    let world = World::with_mind();
    assert_snapshot!(world.run(&["agent", "create", "second", "--zone", "Europe/Berlin"]), @"created  second  agt_ID  Europe/Berlin");
    assert_snapshot!(world.run(&["agent", "create", "second"]), @r#"
    [stderr]
    error: agent "second" exists already: choose another name
    [exit code 4]
    "#);
    assert_snapshot!(world.run(&["agent", "create", "two words"]), @r#"
    [stderr]
    error: "two words" cannot be an agent's name: use letters, digits, -, _ and ., beginning with a letter or digit
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["agent", "create", "third", "--zone", "Europe/Berln"]), @"
    [stderr]
    error: there is no time zone `Europe/Berln`. Did you mean Europe/Berlin?
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["agent", "list"]), @"
    main    agt_ID  UTC            DATE
    second  agt_ID  Europe/Berlin  DATE
    ");
    assert_snapshot!(world.run(&["agent", "show"]), @"
    main
    id        agt_ID
    zone      UTC
    since     DATE
    memories  0
    serves    operator  pri_ID  UTC
    ");
    assert_snapshot!(world.run(&["agent", "show", "second"]), @"
    second
    id        agt_ID
    zone      Europe/Berlin
    since     DATE
    memories  0
    serves    operator  pri_ID  Europe/Berlin
    ");
    assert_snapshot!(world.run(&["agent", "show", "secnd"]), @r#"
    [stderr]
    error: there is no agent "secnd": did you mean "second"?
    [exit code 3]
    "#);
    world.run(&["--agent", "second", "remember", "only the second knows"]).succeeds();
    assert_snapshot!(world.run(&["recall", "who knows"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(world.with("SELFSAME_AGENT", "second").run(&["recall", "who knows"]), @"
    0.42  only the second knows
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
}

#[test]
fn one_of_the_family() {
    let world = World::with_mind();
    world.run(&["agent", "create", "ada", "--family"]).succeeds();
    assert_snapshot!(world.run(&["agent", "list"]), @"
    ada   agt_ID  UTC  DATE  family
    main  agt_ID  UTC  DATE
    ");
    assert_snapshot!(world.run(&["agent", "set", "--family", "true"]), @"changed  agt_ID");
    assert_snapshot!(world.run(&["agent", "set", "main", "--family", "true"]), @"unchanged  agt_ID");
    assert_snapshot!(world.run(&["agent", "set", "ada", "--family", "false"]), @"changed  agt_ID");
    assert_snapshot!(world.run(&["agent", "show"]), @"
    main
    id        agt_ID
    zone      UTC
    since     DATE
    memories  0
    family    yes
    serves    operator  pri_ID  UTC
    ");
    assert_snapshot!(world.run(&["agent", "create", "defaults"]), @r#"
    [stderr]
    error: "defaults" cannot be an agent's name: in the settings it means all agents (agents.defaults); choose another
    [exit code 2]
    "#);
}

#[test]
fn how_an_agent_contemplates_is_edited_as_a_file() {
    let world = World::with_mind();
    fs::write(world.path("style.md"), "Think of the bees.\n").unwrap();
    assert_snapshot!(world.run(&["agent", "edit", "--file", "style.md"]), @"changed  CONTEMPLATION.md");
    assert_snapshot!(world.run(&["agent", "edit", "--file", "style.md"]), @"unchanged  CONTEMPLATION.md");
    assert_snapshot!(world.run_with_input(&["agent", "edit", "main", "--file", "-"], b"Think of rain.\n"), @"changed  CONTEMPLATION.md");
    assert_snapshot!(world.run_with_input(&["agent", "edit", "--file", "-"], b" \n"), @"
    [stderr]
    error: content: the text is empty; write at least one visible character
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["agent", "edit", "--file", "missing.md"]), @"
    [stderr]
    error: missing.md cannot be read as text: No such file or directory (os error 2)
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["agent", "edit"]), @"
    [stderr]
    error: there is no editor: name one in EDITOR, or give the text with --file FILE
    [exit code 2]
    ");
    assert_snapshot!(world.run(&["--as", "agent", "agent", "edit", "--file", "style.md"]), @"
    [stderr]
    error: only the operator says how the agent is to think
    [exit code 5]
    ");
}

/// The editor is run without a shell, with its arguments, on a copy of what holds.
#[test]
fn the_editor_is_the_one_that_is_named() {
    let world = World::with_mind();
    let world = world.with("VISUAL", "/bin/sh edit.sh").with("EDITOR", "/bin/false").with("TMPDIR", "tmp");
    fs::create_dir(world.path("tmp")).unwrap();
    let edit = |script: &str| {
        fs::write(world.path("edit.sh"), script).unwrap();
        world.run(&["agent", "edit"])
    };
    assert_snapshot!(edit("exit 0"), @"unchanged  CONTEMPLATION.md");
    assert_snapshot!(edit("echo 'Think of the bees.' > \"$1\""), @"changed  CONTEMPLATION.md");
    // It opens on what was written, and its file may have been put in the place of the one it was given.
    assert_snapshot!(edit("/bin/sed s/bees/rain/ \"$1\" > new.md && /bin/mv new.md \"$1\""), @"changed  CONTEMPLATION.md");
    assert_snapshot!(edit("/bin/grep -q rain \"$1\" && echo 'Rest.' > \"$1\""), @"changed  CONTEMPLATION.md");
    assert_snapshot!(edit("echo 'Think of nothing.' > \"$1\"; exit 3"), @"
    [stderr]
    error: /bin/sh edit.sh ended with exit status: 3: nothing was changed
    [exit code 2]
    ");
    assert_snapshot!(edit("/bin/grep -q Rest. \"$1\""), @"unchanged  CONTEMPLATION.md");
    assert_eq!(fs::read_dir(world.path("tmp")).unwrap().count(), 0, "nothing is left behind");
    let refused = edit("printf 'a\\000b' > \"$1\"").to_string();
    let kept =
        refused.split("(your text is kept in ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    assert!(refused.contains("NUL"), "{refused}");
    assert_eq!(fs::read(world.path(kept)).unwrap(), b"a\0b", "what was written is not lost");
}

#[test]
fn settings_of_one_agent_are_shown_with_their_origin() {
    let world = World::with_mind();
    let file = r#"{"agents": {"defaults": {"contemplation": {"every": "1h"}}, "ada": {"contemplation": {"enabled": true,
        "activeHours": {"start": "08:00"}}, "thinker": {"key": "hush"}}}}"#;
    fs::write(world.path("mine.json"), file).unwrap();
    let shown =
        world.run(&["--config", "mine.json", "--set", "agents.ada.thinker.kind=model", "config", "show"]);
    let told: Vec<String> = shown
        .succeeds()
        .lines()
        .filter(|line| line.contains("ada") || line.starts_with("contemplation.every"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    contemplation.every "1h" file mine.json
    agents.ada.contemplation.activeHours.start "08:00" file mine.json
    agents.ada.contemplation.enabled true file mine.json
    agents.ada.thinker.key "***" file mine.json
    agents.ada.thinker.kind "model" flag --set agents.ada.thinker.kind
    "#);
}

#[test]
fn keys() {
    let world = World::with_mind();
    let made = world.run(&["key", "create", "editor", "--speaks-as", "host", "--scope", "read"]);
    assert_snapshot!(made, @"
    ssk_KEY
    key_ID  keep it now: it is not stored and not shown again
    ");
    let id = made.out.split_whitespace().find(|word| word.starts_with("key_")).unwrap();
    assert_snapshot!(world.run(&["key", "create", "script", "--all-agents"]), @"
    ssk_KEY
    key_ID  keep it now: it is not stored and not shown again
    ");
    assert_snapshot!(world.run(&["key", "create", "robot", "--speaks-as", "robot"]), @r#"
    [stderr]
    error: "robot" is no voice of a key; known are operator, principal, agent, host
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["key", "create", "robot", "--scope", "everything"]), @r#"
    [stderr]
    error: "everything" is no scope of a key; known are read, write, admin
    [exit code 2]
    "#);
    assert_snapshot!(world.run(&["key", "list"]), @"
    key_ID  made by init  operator  read,write,admin  all agents                      since DATE
    key_ID  editor        host      read              agt_ID  since DATE
    key_ID  script        operator  read,write        all agents                      since DATE
    ");
    assert_snapshot!(world.run(&["key", "revoke", id]), @"revoked  key_ID");
    assert_snapshot!(world.run(&["key", "revoke", id]), @"already revoked  key_ID");
    assert_snapshot!(world.run(&["key", "revoke", "key_00000000000000000000000000"]), @"
    [stderr]
    error: there is no key key_ID: `selfsame key list` shows them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["key", "list"]), @"
    key_ID  made by init  operator  read,write,admin  all agents                      since DATE
    key_ID  editor        host      read              agt_ID  revoked DATE
    key_ID  script        operator  read,write        all agents                      since DATE
    ");
}

#[test]
fn settings_in_layers() {
    let world = World::with_mind().with("SELFSAME_RECALL_LIMIT", "7").with("SELFSAME_SERVER_QUEUE", "12");
    let file = "[recall]\nlimit = 5\nbm25_b = 0.5\n[agent]\nzone = \"Europe/Berlin\"\n";
    fs::write(world.data().join("selfsame.toml"), file).unwrap();
    let shown = world.run(&["config", "show", "--set", "server.queue=99", "--set", "log.level=warn"]);
    assert_snapshot!(shown, @r#"
    server.address                         "127.0.0.1:PORT"          default
    server.tls_cert                        ""                        default
    server.tls_key                         ""                        default
    server.hosts                           ""                        default
    server.insecure                        false                     default
    server.max_body_bytes                  1048576                   default
    server.workers                         8                         default
    server.queue                           99                        flag --set server.queue
    server.max_connections                 4096                      default
    server.rate                            500                       default
    server.burst                           1000                      default
    server.max_streams                     2048                      default
    server.ping                            "15s"                     default
    database.url                           ""                        default
    database.owner_url                     ""                        default
    database.statement_timeout             "30s"                     default
    database.connections                   8                         default
    database.lock_wait                     "5s"                      default
    agent.name                             "main"                    default
    agent.zone                             "Europe/Berlin"           file $WORLD/data/selfsame.toml:5
    memory.max_content_bytes               262144                    default
    memory.mask_secrets                    true                      default
    link.open_for                          "2m"                      default
    link.batch                             200                       default
    inbox.max_pending                      1000                      default
    inbox.review_by_rules                  true                      default
    soul.max_entries                       64                        default
    soul.max_characters                    1000                      default
    recall.limit                           7                         environment SELFSAME_RECALL_LIMIT
    recall.posting_budget                  50000                     default
    recall.bm25_k1                         0.9                       default
    recall.bm25_b                          0.5                       file $WORLD/data/selfsame.toml:3
    recall.exact_up_to                     20000                     default
    recall.vector_memory_bytes             1073741824                default
    embedder.kind                          "auto"                    default
    embedder.model                         ""                        default
    embedder.url                           ""                        default
    embedder.key                           ""                        default
    embedder.question_prefix               ""                        default
    embedder.text_prefix                   ""                        default
    embedder.batch                         32                        default
    embedder.timeout                       "30s"                     default
    embedder.unload_after                  "10m"                     default
    context.budget_tokens                  4000                      default
    context.share_observations             10                        default
    context.share_lessons                  10                        default
    context.share_memories                 25                        default
    context.share_summaries                5                         default
    context.share_people                   5                         default
    context.share_conversation             25                        default
    context.share_diary                    5                         default
    context.share_todos                    5                         default
    context.share_calendar                 5                         default
    context.share_nudges                   5                         default
    knowledge.injected                     8                         default
    heartbeat.enabled                      true                      default
    heartbeat.autonomy                     "suggest"                 default
    heartbeat.threshold_observe            20                        default
    heartbeat.threshold_suggest            12                        default
    heartbeat.threshold_act                8                         default
    heartbeat.cooldown_observe_low         "8h"                      default
    heartbeat.cooldown_observe_normal      "4h"                      default
    heartbeat.cooldown_observe_elevated    "2h"                      default
    heartbeat.cooldown_suggest_low         "4h"                      default
    heartbeat.cooldown_suggest_normal      "2h"                      default
    heartbeat.cooldown_suggest_elevated    "30m"                     default
    heartbeat.cooldown_act_low             "30m"                     default
    heartbeat.cooldown_act_normal          "10m"                     default
    heartbeat.cooldown_act_elevated        "5m"                      default
    heartbeat.max_silence                  "24h"                     default
    heartbeat.quiet_from                   "23:00"                   default
    heartbeat.morning_from                 "07:00"                   default
    heartbeat.working_from                 "10:00"                   default
    heartbeat.evening_from                 "17:00"                   default
    heartbeat.late_night_from              "21:00"                   default
    heartbeat.morning_least                "low"                     default
    heartbeat.working_least                "low"                     default
    heartbeat.evening_least                "normal"                  default
    heartbeat.late_night_least             "elevated"                default
    heartbeat.quiet_factor                 10.0                      default
    heartbeat.morning_factor               0.5                       default
    heartbeat.working_factor               1.0                       default
    heartbeat.evening_factor               1.5                       default
    heartbeat.late_night_factor            3.0                       default
    heartbeat.deadline_window              "24h"                     default
    heartbeat.deadline_first               "24h"                     default
    heartbeat.deadline_second              "4h"                      default
    heartbeat.deadline_third               "1h"                      default
    heartbeat.overdue_every                "24h"                     default
    heartbeat.continuity_after             "15m"                     default
    heartbeat.continuity_within            "12h"                     default
    heartbeat.velocity_within              "24h"                     default
    heartbeat.pending_touched              "7d"                      default
    heartbeat.pending_due                  "14d"                     default
    heartbeat.stalled_after                "7d"                      default
    heartbeat.at_risk_within               "14d"                     default
    heartbeat.question_after               "1h"                      default
    heartbeat.silent_after                 "7d"                      default
    heartbeat.silent_due                   "14d"                     default
    heartbeat.conversation                 "15m"                     default
    heartbeat.velocity                     5                         default
    heartbeat.critical                     "1h"                      default
    heartbeat.first_contact_memories       5                         default
    heartbeat.first_contact_every          "24h"                     default
    heartbeat.first_contact_most           3                         default
    heartbeat.responses_last               20                        default
    heartbeat.responses_within             "30d"                     default
    heartbeat.responses_least              5                         default
    heartbeat.ignored_below                0.1                       default
    heartbeat.ignored_factor               10.0                      default
    heartbeat.selective_below              0.3                       default
    heartbeat.selective_factor             3.0                       default
    heartbeat.answer_within                "30m"                     default
    heartbeat.base                         "5m"                      default
    heartbeat.shortest                     "1m"                      default
    heartbeat.longest                      "6h"                      default
    heartbeat.grace                        "2h"                      default
    heartbeat.receipts_kept                "90d"                     default
    heartbeat.channels                     "list"                    default
    heartbeat.webhook_url                  ""                        default
    heartbeat.webhook_secret               ""                        default
    heartbeat.command                      ""                        default
    heartbeat.file                         ""                        default
    heartbeat.afterthought                 false                     default
    heartbeat.afterthought_wait            "2m"                      default
    heartbeat.afterthought_wait_immediate  "10s"                     default
    heartbeat.delivery_timeout             "10s"                     default
    heartbeat.signals                      ""                        default
    contemplation.enabled                  false                     default
    contemplation.every                    "30m"                     default
    contemplation.family_every             "24h"                     default
    contemplation.streak                   3                         default
    contemplation.fast_every               "15m"                     default
    contemplation.quiet                    "3m"                      default
    contemplation.retry                    "1m"                      default
    contemplation.per_hour                 12                        default
    contemplation.per_hour_all             120                       default
    contemplation.active_start             ""                        default
    contemplation.active_end               ""                        default
    contemplation.budget_tokens            6000                      default
    contemplation.max_tokens               2000                      default
    contemplation.seasoning                true                      default
    contemplation.seasoning_model          "qwen3:1.7b"              default
    contemplation.seasoning_url            "http://127.0.0.1:PORT"  default
    contemplation.seasoning_timeout        "8s"                      default
    contemplation.journal                  true                      default
    contemplation.journal_folder           ""                        default
    contemplation.work_lease               "15m"                     default
    thinker.kind                           "none"                    default
    thinker.contemplate                    ""                        default
    thinker.review_inbox                   ""                        default
    thinker.extract_lessons                ""                        default
    thinker.summarize                      ""                        default
    thinker.phrase_claim                   ""                        default
    thinker.phrase_nudge                   ""                        default
    thinker.provider                       "ollama"                  default
    thinker.model                          ""                        default
    thinker.url                            ""                        default
    thinker.key                            ""                        default
    thinker.command                        ""                        default
    thinker.webhook_url                    ""                        default
    thinker.webhook_secret                 ""                        default
    thinker.timeout                        "10m"                     default
    thinker.idle                           "60s"                     default
    thinker.max_calls                      30                        default
    thinker.max_bytes                      4194304                   default
    thinker.daily_tokens                   200000                    default
    thinker.daily_time                     "2h"                      default
    thinker.lanes                          2                         default
    lessons.every_episodes                 5                         default
    lessons.batch                          20                        default
    lessons.tries                          3                         default
    lessons.same_overlap                   0.8                       default
    lessons.reinforced                     0.1                       default
    lessons.thumbs_down                    0.05                      default
    lessons.unhelpful                      0.03                      default
    lessons.half_life                      "60d"                     default
    lessons.floor                          0.05                      default
    lessons.proposed_confidence            0.9                       default
    lessons.proposed_occurrences           10                        default
    lessons.proposed_days                  3                         default
    lessons.injected                       5                         default
    lessons.injected_confidence            0.3                       default
    lessons.weight_confidence              0.4                       default
    lessons.weight_overlap                 0.3                       default
    lessons.weight_recency                 0.2                       default
    lessons.weight_occurrences             0.1                       default
    duties.lease                           "60s"                     default
    duties.lanes                           2                         default
    conversation.advise_archival_at        1000                      default
    host.idle_stop                         "8h"                      default
    host.session_tokens                    2000                      default
    host.prompt_tokens                     600                       default
    host.file_messages                     true                      default
    self_care.ceiling_tokens               100000                    default
    self_care.after_tokens                 50000                     default
    self_care.least                        30                        default
    self_care.least_focused                5                         default
    self_care.batch                        500                       default
    self_care.recent_messages              20                        default
    self_care.active_within                "15m"                     default
    self_care.summary_tokens               1500                      default
    self_care.window_tokens                24000                     default
    self_care.facts                        200                       default
    self_care.lease                        "30m"                     default
    backup.at                              "03:30"                   default
    log.level                              "warn"                    flag --set log.level
    "#);
    let one = world.run(&["--json", "config", "show", "--set", "recall.limit=3"]).succeeds();
    let shown: serde_json::Value = serde_json::from_str(&one).unwrap();
    let limit = shown.as_array().unwrap().iter().find(|setting| setting["key"] == "recall.limit");
    assert_snapshot!(limit.unwrap(), @r#"{"key":"recall.limit","value":"3","origin":"flag --set recall.limit"}"#);
}

#[test]
fn a_settings_file_of_another_name_and_form() {
    let world = World::with_mind();
    fs::write(world.path("mine.json"), r#"{"recall": {"limit": 1}}"#).unwrap();
    world.remember("green tea");
    world.remember("black tea");
    let hits = |world: &World| world.run(&["recall", "tea"]).succeeds().matches(" tea\n").count();
    assert_eq!(hits(&world), 2);
    let world = world.with("SELFSAME_CONFIG", "mine.json");
    assert_eq!(hits(&world), 1);
}

/// Text that would turn the reading order or move the cursor is shown as what it is.
#[test]
fn stored_text_does_nothing_to_the_terminal() {
    let world = World::with_mind();
    world.remember("tea \u{1b}[31mred\u{1b}[0m \u{202e}drawer\nsecond line\ttab");
    assert_snapshot!(world.run(&["recall", "tea"]), @r"
    0.42  tea \u{1b}[31mred\u{1b}[0m \u{202e}drawer second line tab
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
}

#[test]
fn standard_input_is_a_content() {
    let world = World::with_mind();
    world.run_with_input(&["remember", "-"], b"said through a pipe\r\n").succeeds();
    assert_snapshot!(world.run(&["recall", "pipe"]), @"
    0.42  said through a pipe
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
}

/// The same commands in the same order, with everything that was said.
fn story(world: &World) -> String {
    let told = RefCell::new(String::new());
    // Says it, and gives the first word of this kind.
    let tell = |arguments: &[&str], kind: &str| {
        let ran = world.run(arguments);
        *told.borrow_mut() += &format!("$ {}\n{ran}---\n", arguments[0]);
        let mut words = ran.out.split_whitespace();
        words.find(|word| word.starts_with(kind)).map(str::to_owned)
    };
    let say = |arguments: &[&str]| drop(tell(arguments, ""));
    let memory = tell(&["remember", "The cat is called Pushkin", "--importance", "0.9"], "mem_").unwrap();
    say(&["recall", "what is the cat called?", "--explain"]);
    say(&["recall", "xylophone"]);
    say(&["recall", ""]);
    say(&["remember", "x", "--type", "knowlege"]);
    say(&["remember", "Maya has a cat", "--about", "Maya", "--slot", "pet", "--value", "cat"]);
    say(&["know", "list"]);
    say(&["know", "why", "Maya/pet"]);
    say(&["know", "why", "Maya/pets"]);
    say(&["know", "correct", "Maya/pet", "a dog"]);
    say(&["know", "history", "Maya"]);
    say(&["know", "as-of", "2001-01-01"]);
    say(&["know", "conflicts"]);
    say(&["agent", "create", "second"]);
    say(&["agent", "create", "second"]);
    say(&["agent", "list"]);
    say(&["agent", "show", "second"]);
    say(&["recall", "cat", "--agent", "thrid"]);
    let key = tell(&["key", "create", "editor"], "key_").unwrap();
    say(&["key", "list"]);
    say(&["key", "revoke", &key]);
    say(&["forget", &memory, "--dry-run"]);
    say(&["forget", &memory]);
    say(&["forget", &memory]);
    say(&["verify"]);
    say(&["--json", "status"]);
    told.into_inner()
}

/// Ids, keys and moments are long words with digits in them, and different each time.
fn without_names(text: &str) -> String {
    let is_name = |word: &str| word.len() >= 26 && word.contains(|c: char| c.is_ascii_digit());
    let words = text.split(' ').flat_map(|words| words.split_inclusive('\n'));
    words.map(|word| if is_name(word.trim()) { "NAME" } else { word }).collect::<Vec<_>>().join(" ")
}

#[test]
fn with_a_daemon_everything_is_said_alike() {
    let alone = World::with_mind();
    let with_daemon = World::with_mind();
    let daemon = with_daemon.serve(&[]);
    let (one, other) = (story(&alone), story(&with_daemon));
    assert_eq!(without_names(&one), without_names(&other));
    assert!(one.contains("Pushkin"), "{one}");
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn the_daemon_says_where_it_is_and_keeps_quiet_about_what_it_knows() {
    let world = World::with_mind();
    let daemon = world.serve(&["--set", "log.level=trace"]);
    world.remember("the unforgettable word is heffalumpia");
    world.run(&["recall", "heffalumpia"]).succeeds();
    let (status, _) = daemon.remember("heffalumpia by HTTP");
    assert_eq!(status, 200);
    let (status, _) = daemon.post("/v1/agents/main/recall", r#"{"query": "", "limit": 0}"#);
    assert_eq!(status, 400);
    let log = daemon.log();
    assert!(log.contains("refused"), "{log}");
    assert!(!log.contains("heffalumpia"), "{log}");
    let secret = daemon.key.rsplit('_').next().unwrap().to_owned();
    assert!(!log.contains(&secret), "{log}");
    assert_eq!(daemon.stop(), 0);
}

/// The id of a duty, by what it does.
fn duty(world: &World, kind: &str) -> String {
    let listed = world.run(&["--json", "duty", "list"]).succeeds();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let duties = listed["duties"].as_array().unwrap();
    let found = duties.iter().find(|duty| duty["kind"] == kind).unwrap();
    found["id"].as_str().unwrap().to_owned()
}

/// The list without ids and in alphabetical order: which duty comes next depends on the hour of the day.
fn duties(world: &World) -> String {
    let listed = world.run(&["duty", "list"]).succeeds();
    let mut lines: Vec<&str> = listed.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn in_the_background() {
    let world = World::with_mind();
    // `init` makes them.
    assert_snapshot!(duties(&world), @"
    consolidate    every 15m        waiting  next DATE TIME  done N
    daily_backup   daily 03:30 UTC  waiting  next DATE TIME  done N
    decay          every 1h         waiting  next DATE TIME  done N
    inbox_sweep    every 1h         waiting  next DATE TIME  done N
    link           every 1m         waiting  next DATE TIME  done N
    revalidate     every 1h         waiting  next DATE TIME  done N
    sweep_replies  every 1h         waiting  next DATE TIME  done N
    ");
    let id = duty(&world, "daily_backup");
    assert_snapshot!(world.run(&["duty", "requeue", &id]), @"unchanged  dut_ID");
    assert_snapshot!(world.run(&["duty", "cancel", &id]), @"cancelled  dut_ID");
    assert_snapshot!(world.run(&["duty", "cancel", &id]), @"unchanged  dut_ID");
    assert_snapshot!(duties(&world), @"
    consolidate    every 15m        waiting    next DATE TIME  done N
    daily_backup   daily 03:30 UTC  cancelled  next DATE TIME  done N
    decay          every 1h         waiting    next DATE TIME  done N
    inbox_sweep    every 1h         waiting    next DATE TIME  done N
    link           every 1m         waiting    next DATE TIME  done N
    revalidate     every 1h         waiting    next DATE TIME  done N
    sweep_replies  every 1h         waiting    next DATE TIME  done N
    ");
    assert_snapshot!(world.run(&["--json", "duty", "requeue", &id]), @r#"
    {
      "id": "dut_ID",
      "outcome": "requeued"
    }
    "#);
    assert_snapshot!(world.run(&["duty", "cancel", "dut_00000000000000000000000000"]), @"
    [stderr]
    error: there is no duty dut_ID: `selfsame duty list` shows them
    [exit code 3]
    ");
    assert_snapshot!(world.run(&["duty", "cancel", "me"]), @r#"
    [stderr]
    error: "me" is no duty id: expected dut_ and 26 letters and digits, as printed by selfsame (`selfsame duty list` shows them)
    [exit code 2]
    "#);
    let daemon = world.serve(&[]);
    assert_snapshot!(world.run(&["duty", "cancel", &id]), @"cancelled  dut_ID");
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn a_dead_duty_is_told_until_it_is_requeued() {
    let world = World::with_mind();
    world.run(&["status"]).succeeds();
    let id = duty(&world, "sweep_replies");
    let dead = "UPDATE duties SET state = 'dead', attempts = 12, last_error = 'the broom is broken' \
        WHERE kind = 'sweep_replies'";
    rusqlite::Connection::open(world.database()).unwrap().execute(dead, []).unwrap();
    assert_snapshot!(world.run(&["status"]), @"
    selfsame 0.1.0
    data      $WORLD/data
    database  SQLite N, schema 15
    daemon    not running (`selfsame serve` starts it)
    recall    by words (no embedding model)
    duties    7, of which 0 late and 1 dead (`selfsame duty list`)
    agent     main (yours), 0 memories
    ");
    assert_snapshot!(duties(&world), @"
    consolidate    every 15m        waiting  next DATE TIME  done N
    daily_backup   daily 03:30 UTC  waiting  next DATE TIME  done N
    decay          every 1h         waiting  next DATE TIME  done N
    inbox_sweep    every 1h         waiting  next DATE TIME  done N
    link           every 1m         waiting  next DATE TIME  done N
    revalidate     every 1h         waiting  next DATE TIME  done N
    sweep_replies  every 1h         dead     next DATE TIME  done N  the broom is broken
    ");
    assert_snapshot!(world.run(&["duty", "requeue", &id]), @"requeued  dut_ID");
    assert_snapshot!(world.run(&["status"]), @"
    selfsame 0.1.0
    data      $WORLD/data
    database  SQLite N, schema 15
    daemon    not running (`selfsame serve` starts it)
    recall    by words (no embedding model)
    duties    7, all on time
    agent     main (yours), 0 memories
    ");
}

#[test]
fn what_happened() {
    let world = World::with_mind();
    let id = world.remember("Maya likes green tea");
    world.run(&["forget", &id]).succeeds();
    world.remember("Maya likes black tea");
    assert_snapshot!(world.run(&["events"]), @"
    1  DATE TIME  created      agt_ID  by operator:pri_ID
    2  DATE TIME  remembered   mem_ID  by operator:pri_ID
    3  DATE TIME  believed     obs_ID  by duty:consolidate
    4  DATE TIME  invalidated  obs_ID  by operator:pri_ID
    5  DATE TIME  forgotten    mem_ID  by operator:pri_ID
    6  DATE TIME  remembered   mem_ID  by operator:pri_ID
    7  DATE TIME  believed     obs_ID  by duty:consolidate
    ");
    assert_snapshot!(world.run(&["events", "--after", "1", "-n", "1"]), @"2  DATE TIME  remembered  mem_ID  by operator:pri_ID");
    assert_snapshot!(world.run(&["--json", "events", "--after", "3"]), @r#"
    {
      "events": [
        {
          "seq": 4,
          "at": "TIME",
          "actor": "operator:pri_ID",
          "act": "invalidated",
          "subject": "obs_ID"
        },
        {
          "seq": 5,
          "at": "TIME",
          "actor": "operator:pri_ID",
          "act": "forgotten",
          "subject": "mem_ID"
        },
        {
          "seq": 6,
          "at": "TIME",
          "actor": "operator:pri_ID",
          "act": "remembered",
          "subject": "mem_ID"
        },
        {
          "seq": 7,
          "at": "TIME",
          "actor": "duty:consolidate",
          "act": "believed",
          "subject": "obs_ID"
        }
      ],
      "head": 7
    }
    "#);
    assert_snapshot!(world.run(&["events", "--after", "1000"]), @"");
    assert_snapshot!(world.run(&["events", "--limit", "0"]), @"
    [stderr]
    error: limit must be from 1 to 1000, not 0
    [exit code 2]
    ");
}

#[test]
fn copies_and_the_way_back() {
    let world = World::with_mind();
    world.remember("Maya likes green tea");
    assert_snapshot!(world.run(&["backup"]), @"
    copied to  $WORLD/data/backups/selfsame-TIME.db
    1 memory of 1 agent, checked; N bytes
    ");
    let backups: Vec<_> =
        fs::read_dir(world.data().join("backups")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let copy = backups.iter().find(|path| path.extension().unwrap() == "db").unwrap();
    let copy = copy.to_str().unwrap();
    world.remember("The moon is made of cheese");
    assert_snapshot!(world.run(&["restore", copy, "--dry-run"]), @"would restore  1 memory as of TIME");
    assert_snapshot!(world.run(&["recall", "cheese"]), @"
    0.42  The moon is made of cheese
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
    let daemon = world.serve(&[]);
    assert_snapshot!(world.run(&["--json", "backup"]), @r#"
    {
      "path": "$WORLD/data/backups/selfsame-TIME.db",
      "sha256": "SHA256",
      "bytes": N,
      "agents": 1,
      "memories": 2
    }
    "#);
    assert_snapshot!(world.run(&["restore", copy, "--set", "database.lock_wait=0s"]), @r#"
    [stderr]
    error: the data folder "$WORLD/data" is in use by process PID: stop it, or use the running daemon
    [exit code 6]
    "#);
    assert_eq!(daemon.stop(), 0);
    assert_snapshot!(world.run(&["restore", copy]), @"restored  1 memory as of TIME");
    assert_snapshot!(world.run(&["recall", "cheese"]), @"nothing found: nothing that is stored has any of these words");
    assert_snapshot!(world.run(&["recall", "green tea"]), @"
    0.30  Maya likes green tea
          Maya/preference#green-tea
          believed, medium confidence, 1 for and 0 against  last said DATE
          first, being sure and current
          obs_ID
    0.44  Maya likes green tea
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
    assert_snapshot!(world.run(&["--json", "restore", copy]), @r#"
    {
      "backup": "$WORLD/data/backups/selfsame-TIME.db",
      "made_at": "TIME",
      "memories": 1,
      "outcome": "restored"
    }
    "#);
    assert_snapshot!(world.run(&["verify"]), @"ok  1 memory of 1 agent: structure, seals and index fit");
    assert_snapshot!(world.run(&["--db", "postgres://maya@127.0.0.1/mind", "restore", copy]), @"
    [stderr]
    error: a PostgreSQL database is restored with PostgreSQL's own tools (pg_restore, or a base backup with its WAL)
    [exit code 2]
    ");
    let mut bytes = fs::read(copy).unwrap();
    bytes[100] ^= 1;
    fs::write(copy, bytes).unwrap();
    assert_snapshot!(world.run(&["restore", copy]), @"
    [stderr]
    error: $WORLD/data/backups/selfsame-TIME.db cannot be used: its content does not fit its manifest
    [exit code 8]
    ");
    assert_snapshot!(world.run(&["restore", "nowhere.db"]), @"
    [stderr]
    error: there is no file nowhere.db: name one of those in $WORLD/data/backups (`selfsame backup` makes one)
    [exit code 3]
    ");
}

/// On a fresh machine `serve` is the first command: it makes what `init` would make.
#[test]
fn serve_alone_makes_a_mind() {
    let world = World::new();
    let daemon = world.serve(&[]);
    assert_eq!(daemon.remember("first words").0, 200);
    assert_eq!(daemon.stop(), 0);
    assert_snapshot!(world.run(&["recall", "first words"]), @"
    0.50  first words
          knowledge  said by principal, trust 1  DATE
          mem_ID
    ");
    assert_snapshot!(world.run(&["init"]), @r#"
    The mind is there already; nothing was changed.
    data      $WORLD/data
    database  SQLite
    agent     main
    key       in $WORLD/data/operator.key

    Next: selfsame remember "..."   selfsame recall "..."   selfsame serve
    "#);
}
