//! What is told of what happens: after it is committed, to whoever listens, and with how the agent felt.

use selfsame::events::{Ear, News};
use selfsame::id::AgentId;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::memory::Draft;
use selfsame::{Mind, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Everything that is told from now on.
fn listen(mind: &Mind) -> Receiver<News> {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let ear: Ear = Arc::new(move |news| {
        // Whoever listened may be gone.
        let _ = tell.lock().unwrap().send(news);
    });
    mind.store().listen(&ear).unwrap();
    told
}

/// Waits until an agent's log is said to have come so far.
fn heard(told: &Receiver<News>, wanted: (AgentId, i64)) {
    loop {
        let news = told.recv_timeout(Duration::from_secs(20)).expect("it is told");
        if matches!(news, News::Log { agent, seq } if (agent, seq) == wanted) {
            return;
        }
    }
}

both_engines! {
    fn what_is_committed_is_told_with_how_far_the_log_came_and_nothing_else_is(bench: Bench) {
        let (mind, agent) = (bench.mind(), bench.main().agent().id);
        let told = listen(mind);
        bench.main().remember(Draft::new("The demo is on Friday."), None).unwrap();
        let head = bench.main().events(0, 1).unwrap().head;
        heard(&told, (agent, head));
        // The server repeats what we said ourselves; it has had time for that when the next write is heard.
        bench.main().remember(Draft::new(" "), None).unwrap_err();
        bench.main().recall(&selfsame::recall::Question::new("demo")).unwrap();
        bench.main().remember(Draft::new("The budget is 2000 euros."), None).unwrap();
        let grown = bench.main().events(0, 1).unwrap().head;
        let mut between = Vec::new();
        loop {
            match told.recv_timeout(Duration::from_secs(20)).expect("it is told") {
                News::Log { agent: whose, seq } if (whose, seq) == (agent, grown) => break,
                other => between.push(other),
            }
        }
        let is_known = |news: &News| match news {
            News::Missed => true,
            News::Log { seq, .. } => *seq <= head,
            News::Keys => false,
        };
        assert!(between.iter().all(is_known), "what was refused, or only read, was told: {between:?}");
    }

    fn that_a_key_is_no_longer_good_is_told(bench: Bench) {
        let mind = bench.mind();
        bench.main();
        let request = KeyRequest {
            name: "guest".into(),
            agent: None,
            speaks_as: SpeaksAs::Operator,
            principal: None,
            scopes: vec![Scope::Read],
        };
        let key = mind.create_key(&request).unwrap();
        let told = listen(mind);
        mind.revoke_key(key.key.id).unwrap();
        let is_told = || told.recv_timeout(Duration::from_secs(20)).expect("it is told") == News::Keys;
        while !is_told() {}
    }

    fn an_episode_is_told_with_how_it_felt_and_without_once_it_is_forgotten(bench: Bench) {
        bench.main().remember(Draft::new("The demo is on Friday."), None).unwrap();
        bench.main().contemplate().unwrap();
        let episode = bench.main().episodes(None, 1).unwrap().remove(0);
        let thought = |bench: &Bench| {
            let (told, head) = bench.main().told(0, 1000).unwrap();
            assert_eq!(told.iter().map(|one| one.event.seq).collect::<Vec<_>>(), (1..=head).collect::<Vec<_>>());
            assert!(told.iter().all(|one| one.presence.is_none() || one.event.act == "thought"));
            told.into_iter().find(|one| one.event.act == "thought").unwrap()
        };
        let told = thought(&bench);
        assert_eq!(told.subject, episode.id.to_string());
        let presence = told.presence.unwrap();
        let account = &episode.captured.account;
        assert_eq!((presence.mood.as_str(), presence.energy), (account.mood.state.as_str(), account.mood.energy.as_str()));
        assert_eq!((presence.valence, presence.arousal), (account.valence, account.arousal));
        assert_eq!(presence.identity_links, account.identity_links);
        // Whoever may see the episode may see how it felt, and nobody else.
        let agent = bench.access("main", Speaker::Agent(None));
        for access in [bench.main(), agent, bench.access("main", Speaker::Agent(None)).unattended()] {
            let sees = access.episode(episode.id).unwrap().is_some();
            assert_eq!(presence.is_visible_to(access.caller()), sees, "{}", access.caller());
        }
        bench.main().forget(episode.memory, None).unwrap();
        assert_eq!(thought(&bench).presence, None);
    }
}

#[test]
fn postgres_what_another_process_commits_is_heard() {
    let bench = Bench::postgres();
    let agent = bench.main().agent().id;
    let told = listen(bench.mind());
    // From here on the listener is there.
    while told.recv_timeout(Duration::from_secs(20)).expect("it begins to listen") != News::Missed {}
    let other = bench.open_with(|_| {});
    let access = other.access("main", Speaker::Operator).unwrap();
    access.remember(Draft::new("Said in another process."), None).unwrap();
    heard(&told, (agent, access.events(0, 1).unwrap().head));
}
