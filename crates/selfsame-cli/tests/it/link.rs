//! Two agents of one house: the one asks for the other's memory, gets it, and loses it again.

use crate::cli::World;
use insta::assert_snapshot;

/// The id of the link in a reply.
fn link_in(reply: &str) -> String {
    let words = reply.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.into_iter().find(|word| word.starts_with("lnk_")).expect("a reply that names the link").to_owned()
}

#[test]
fn a_memory_is_asked_for_given_and_taken_back() {
    let world = World::with_mind();
    world.run(&["agent", "create", "ada"]).succeeds();
    world.run(&["remember", "Owls hunt by night"]).succeeds();
    assert_snapshot!(world.run(&["link", "list"]), @"there are no neural links");
    let asked = world.run(&["--agent", "ada", "link", "request", "main", "--json"]);
    let id = link_in(&asked.succeeds());
    assert_snapshot!(world.run(&["link", "list", "--pending"]), @"requested  ada asks for your memory until TIME [lnk_ID]");
    assert_snapshot!(world.run(&["link", "share", &id]), @"accepted  1 memories given to ada, 0 more were known already [lnk_ID]");
    assert_snapshot!(world.run(&["link", "decline", &id]), @"
    [stderr]
    error: lnk_ID is accepted already: a request is answered once
    [exit code 4]
    ");
    assert_snapshot!(world.run(&["--agent", "ada", "memory", "list"]), @"mem_ID  DATE  knowledge  active  Owls hunt by night");
    assert_snapshot!(world.run(&["link", "revoke", &id]), @"revoked  to ada: revoked [lnk_ID]");
    assert_snapshot!(world.run(&["--agent", "ada", "memory", "list"]), @"no memory fits");
    assert_snapshot!(world.run(&["--agent", "ada", "link", "list"]), @"revoked  from main: revoked [lnk_ID]");
}
