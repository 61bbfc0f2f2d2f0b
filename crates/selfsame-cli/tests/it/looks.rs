//! What people look at most, on a terminal of eighty columns and without one: nothing is wider, and colour changes nothing but
//! colours.

use crate::cli::World;
use crate::heartbeat::at_noon;
use insta::assert_snapshot;
use std::fs::File;
use std::time::Duration;

/// Columns that everybody has.
const WIDTH: usize = 80;

/// A mind with something to show: a belief that took the place of another, a plan, a long text, somebody's habits.
fn lived() -> World {
    let world = at_noon().with("COLUMNS", "80");
    for content in [
        "Maya prefers PostgreSQL",
        "Maya works at Acme",
        "The boiler in the cellar drips when the heating is switched on, and the plumber said that he would come by on \
         one of the first days of next month",
        "Maya switched from PostgreSQL to SQLite",
        "Maya drinks tea in the morning",
    ] {
        world.remember(content);
    }
    world.run(&["remember", "Renew the passport", "--type", "plan"]).succeeds();
    world
}

/// Without the codes that colour it.
fn stripped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                assert!(letters.by_ref().any(|letter| letter.is_ascii_alphabetic()), "a code has an end");
            }
            letter => plain.push(letter),
        }
    }
    plain
}

/// With codes that can be read: `<b>` strong, `<f>` faint, `<g>` good, `<r>` bad, `</>` the end of each.
fn legible(text: &str) -> String {
    let codes = [("[1m", "<b>"), ("[2m", "<f>"), ("[32m", "<g>"), ("[31m", "<r>"), ("[0m", "</>")];
    let legible =
        codes.iter().fold(text.to_owned(), |text, (code, mark)| text.replace(&format!("\x1b{code}"), mark));
    assert!(!legible.contains('\x1b'), "a code that is not one of ours: {legible:?}");
    legible
}

/// How long a look takes is not the same twice.
fn without_measures(text: &str) -> String {
    let word = |word: &str| word.parse::<f64>().is_ok() && word.contains('.');
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if words[at].starts_with("ms") && word(words[at - 1]) {
            words[at - 1] = "N";
        }
    }
    words.join(" ")
}

/// Shown on a terminal, and in a pipe: gives both, having seen that no line is too wide and that both say the same.
fn both(world: &World, arguments: &[&str]) -> (String, String) {
    let coloured = world.on_terminal(arguments);
    let plain = world.run(arguments).succeeds();
    for line in stripped(&coloured).lines().chain(plain.lines()) {
        assert!(line.chars().count() <= WIDTH, "{} columns: {line:?}", line.chars().count());
    }
    assert_eq!(without_measures(&stripped(&coloured)), without_measures(&plain));
    assert!(coloured.contains("\x1b["), "a terminal has colours: {coloured}");
    assert!(!plain.contains('\x1b'), "a pipe has none: {plain:?}");
    (plain, legible(&coloured))
}

#[test]
fn where_you_stand_in_ten_lines() {
    let world = lived();
    let (plain, coloured) = both(&world, &[]);
    assert_eq!(plain.lines().count(), 10, "{plain}");
    assert_snapshot!(plain, @"
    selfsame 0.1.0
    agent      main
    memories   6
    beliefs    2, none contested
    heartbeat  looks next DATE TIME
    daemon     not running
    dashboard  `selfsame serve` opens it
    clients    none
    data       $WORLD/data
    next       selfsame connect --detect --dry-run  no program is connected yet
    ");
    assert_snapshot!(coloured, @"
    <b>selfsame 0.1.0</>
    <f>agent</>      main
    <f>memories</>   6
    <f>beliefs</>    2, none contested
    <f>heartbeat</>  looks next DATE TIME
    <f>daemon</>     not running
    <f>dashboard</>  `selfsame serve` opens it
    <f>clients</>    none
    <f>data</>       $WORLD/data
    <f>next</>       <g>selfsame connect --detect --dry-run</>  <f>no program is connected yet</>
    ");
    let daemon = world.serve(&[]);
    let (plain, _) = both(&world, &[]);
    assert_eq!(plain.lines().count(), 10, "{plain}");
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn how_the_house_stands() {
    let world = lived();
    let (plain, coloured) = both(&world, &["status"]);
    assert_snapshot!(plain, @"
    selfsame 0.1.0
    data      $WORLD/data
    database  SQLite N, schema 15
    daemon    not running (`selfsame serve` starts it)
    recall    by words (no embedding model)
    duties    7, all on time
    agent     main (yours), 6 memories, 2 beliefs
    ");
    assert_snapshot!(coloured, @"
    <b>selfsame 0.1.0</>
    <f>data</>      $WORLD/data
    <f>database</>  SQLite N, schema 15
    <f>daemon</>    not running (`selfsame serve` starts it)
    <f>recall</>    by words (no embedding model)
    <f>duties</>    7, all on time
    <f>agent</>     main (yours), 6 memories, 2 beliefs
    ");
}

#[test]
fn why_something_is_believed() {
    let world = lived();
    let (plain, coloured) = both(&world, &["know", "why", "Maya/database"]);
    assert_snapshot!(plain, @"
    medium  Maya switched from PostgreSQL to SQLite
            Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against
            last said DATE  obs_ID
            entity:ent_ID:operator_preference:database
    confidence
        0.28  to begin with
       +0.06  independent sources               ████░░░░░░  1 source
       +0.04  sorts of source                   ███░░░░░░░  1 of 4
       +0.08  weight of what speaks for it      ████░░░░░░  1.75
       +0.22  how recently it was said          ██████████  0.0 days ago
       +0.00  confirmed by the operator         ░░░░░░░░░░
       -0.01  weight of what speaks against it  █░░░░░░░░░  1.75 from 1 source
        0.67  by formula 2
    for
      DATE  Maya switched from PostgreSQL to SQLite
                  operator  weight 1.75  mem_ID
    against
      DATE  Maya prefers PostgreSQL
                  operator  weight 1.75  mem_ID
    before
      DATE  Maya prefers PostgreSQL
                  superseded  obs_ID
    changes
      DATE  active  0.67  operator stated
    ");
    assert_snapshot!(coloured, @"
    medium  <b>Maya switched from PostgreSQL to SQLite</>
            <f>Maya/database  confidence 0.67  fresh 100 %  1 for, 1 against</>
            <f>last said DATE  obs_ID</>
            <f>entity:ent_ID:operator_preference:database</>
    <b>confidence</>
        0.28  to begin with
       <g>+0.06  independent sources               ████░░░░░░  1 source</>
       <g>+0.04  sorts of source                   ███░░░░░░░  1 of 4</>
       <g>+0.08  weight of what speaks for it      ████░░░░░░  1.75</>
       <g>+0.22  how recently it was said          ██████████  0.0 days ago</>
       <f>+0.00  confirmed by the operator         ░░░░░░░░░░</>
       <r>-0.01  weight of what speaks against it  █░░░░░░░░░  1.75 from 1 source</>
        <b>0.67  by formula 2</>
    <b>for</>
      DATE  Maya switched from PostgreSQL to SQLite
                  <f>operator  weight 1.75  mem_ID</>
    <b>against</>
      DATE  Maya prefers PostgreSQL
                  <f>operator  weight 1.75  mem_ID</>
    <b>before</>
      DATE  Maya prefers PostgreSQL
                  <f>superseded  obs_ID</>
    <b>changes</>
      DATE  active  0.67  operator stated
    ");
}

#[test]
fn why_nothing_is_said() {
    let world = lived();
    let (plain, coloured) = both(&world, &["heartbeat", "explain", "--at", "tomorrow 09:00"]);
    assert_snapshot!(plain, @"
    On DATE at CLOCK, in the morning, I would say nothing: the signals weigh 8
        of 12 at suggest; step 5 decided (confluence).
    Seen:
      1 memory_velocity (elevated, weight 5, not told): new memories
      1 pending_work (normal, weight 3, not told): Renew the passport
    Steps:
      0 held: nothing holds it
      1 first contact: they have met: 5 memories or more
      2 critical deadline: no deadline within 1h
      3 time of day: in the morning everything passes
      4 conversation: no conversation is on
      5 confluence: the signals weigh 8 of 12 at suggest; held back: 1
          memory_velocity, 1 pending_work
    It would go another way:
      confluence, if signals of other kinds add 4, or something falls due
    It took N ms and 8 statements; 0 tokens.
    Next look at CLOCK, in 1m45s: the usual pace: 5m, x 0.5 in the morning, x 0.7
        with many new memories; a pause of 1m45s.
    ");
    assert_snapshot!(coloured, @"
    <b>On DATE at CLOCK, in the morning, I would say nothing: the signals weigh 8</>
        <b>of 12 at suggest; step 5 decided (confluence).</>
    <b>Seen:</>
      1 memory_velocity (elevated, weight 5, not told): new memories
      1 pending_work (normal, weight 3, not told): Renew the passport
    <b>Steps:</>
      0 held: nothing holds it
      1 first contact: they have met: 5 memories or more
      2 critical deadline: no deadline within 1h
      3 time of day: in the morning everything passes
      4 conversation: no conversation is on
      5 confluence: the signals weigh 8 of 12 at suggest; held back: 1
          memory_velocity, 1 pending_work
    <b>It would go another way:</>
      confluence, if signals of other kinds add 4, or something falls due
    <f>It took N ms and 8 statements; 0 tokens.</>
    <f>Next look at CLOCK, in 1m45s: the usual pace: 5m, x 0.5 in the morning, x 0.7</>
        <f>with many new memories; a pause of 1m45s.</>
    ");
}

#[test]
fn why_something_is_found() {
    let world = lived();
    let (plain, coloured) = both(&world, &["recall", "what does Maya prefer?", "--explain", "-n", "2"]);
    assert_snapshot!(plain, @"
     0.50  Maya prefers PostgreSQL
           knowledge  said by principal, trust 1  DATE
           mem_ID
           +0.29  has the words                      ██████████
           +0.07  words together as asked            ██████████
           +0.05  covers the question                ██████████
           +0.03  says rather than asks              ██████████
           x1.15  age, importance, retention, trust
           has    maya, prefer
     0.13  Maya switched from PostgreSQL to SQLite
           Maya/database  believed, medium confidence, 1 for and 1 against
           last said DATE
           obs_ID
           +0.09  has the words                  █████████░
           +0.07  said by or about who is named  ██████████
           +0.03  says rather than asks          ██████████
           +0.01  covers the question            ██░░░░░░░░
           x0.67  kind, confidence, freshness
           has    maya
    100 % sure that there is an answer
    by words alone
    more: --offset 2
    ");
    assert_snapshot!(coloured, @"
     0.50  <b>Maya prefers PostgreSQL</>
           <f>knowledge  said by principal, trust 1  DATE</>
           <f>mem_ID</>
           +0.29  has the words                      ██████████
           +0.07  words together as asked            ██████████
           +0.05  covers the question                ██████████
           +0.03  says rather than asks              ██████████
           x1.15  age, importance, retention, trust
           <f>has    maya, prefer</>
     0.13  <b>Maya switched from PostgreSQL to SQLite</>
           <f>Maya/database  believed, medium confidence, 1 for and 1 against</>
           <f>last said DATE</>
           <f>obs_ID</>
           +0.09  has the words                  █████████░
           +0.07  said by or about who is named  ██████████
           +0.03  says rather than asks          ██████████
           +0.01  covers the question            ██░░░░░░░░
           x0.67  kind, confidence, freshness
           <f>has    maya</>
    <f>100 % sure that there is an answer</>
    <f>by words alone</>
    <f>more: --offset 2</>
    ");
}

/// A terminal whose owner wants no colours gets none, and what else is shown of beliefs and answers fits too.
#[test]
fn no_color_is_honoured_and_lists_fit() {
    let world = lived().with("NO_COLOR", "1");
    for arguments in [
        &["know", "why", "Maya/database"] as &[&str],
        &["know", "show", "Maya"],
        &["know", "history", "Maya"],
        &["know", "list"],
        &["recall", "what drips in the cellar?"],
        &["heartbeat", "status"],
        &["heartbeat", "peek"],
    ] {
        let shown = world.on_terminal(arguments);
        assert!(!shown.contains('\x1b'), "{arguments:?}: {shown:?}");
        let wide = shown.lines().find(|line| line.chars().count() > WIDTH);
        assert_eq!(wide, None, "{arguments:?}");
    }
}

/// Somebody else has the house for a while.
fn kept_waiting<T>(world: &World, look: impl FnOnce() -> T) -> T {
    let lock = File::options().write(true).open(world.data().join("selfsame.lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(2500));
            drop(lock);
        });
        look()
    })
}

/// Whoever watches sees that it goes on; a pipe and a program are not bothered.
#[test]
fn what_takes_longer_than_a_second_is_seen_to_go_on() {
    let world = World::with_mind();
    world.remember("Maya likes green tea");
    let archive = |name: &str| world.path(name).display().to_string();
    let first = archive("first.zip");
    let shown = kept_waiting(&world, || world.on_terminal(&["export", &first]));
    assert!(shown.contains("writing everything down, 1 s"), "{shown:?}");
    // The line is taken away before the answer is given.
    let answer = shown.rsplit("\r\x1b[K").next().unwrap();
    assert!(answer.contains("exported to") && !answer.contains("writing everything down"), "{shown:?}");
    let second = archive("second.zip");
    let piped = kept_waiting(&world, || world.run(&["export", &second]));
    assert!(piped.succeeds().starts_with("exported to"), "{piped}");
    assert_eq!(piped.err, "");
    // What is over at once is not announced.
    let quick = world.on_terminal(&["audit"]);
    assert!(!quick.contains('\r') && !quick.contains(" s\n"), "{quick:?}");
}

/// What knows how much there is shows how far it is, to whoever watches; a pipe and a program are not bothered.
#[test]
fn what_knows_its_end_shows_a_bar() {
    const ITEMS: usize = 300;
    let world = World::with_mind();
    let notes: String = (0..ITEMS).map(|number| format!("- Box {number} holds {number} candles\n")).collect();
    std::fs::write(world.path("MEMORY.md"), notes).unwrap();
    let shown = kept_waiting(&world, || world.on_terminal(&["import", "MEMORY.md"]));
    let of_all = format!(" % of {ITEMS} items");
    let bars: Vec<&str> =
        shown.split("\r\x1b[K").filter(|line| line.contains("filing what is there [")).collect();
    assert!(bars.len() > 50, "it is seen to go on: {shown:?}");
    assert!(bars.last().unwrap().contains("] 100 %"), "{shown:?}");
    for bar in &bars {
        assert!(bar.contains(&of_all) && bar.chars().count() < WIDTH, "{bar:?}");
    }
    let answer = shown.rsplit("\r\x1b[K").next().unwrap();
    assert!(answer.contains(&format!("new: {ITEMS} candidates")), "{answer:?}");
    assert!(!answer.contains(&of_all), "the line is taken away: {answer:?}");
    let piped = kept_waiting(&world, || world.run(&["verify"]));
    assert_eq!((piped.err.as_str(), piped.code), ("", 0));
    let quick = world.on_terminal(&["verify"]);
    assert!(!quick.contains('\r'), "what is over at once is not announced: {quick:?}");
}
