//! How often a memory wants to be looked after, as its tags say it.

use selfsame_core::monitor::{BadMonitor, from_tags, parse_every};
use std::time::Duration;

fn tags(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_tag_says_how_often() {
    for (words, every) in [
        (vec![], None),
        (vec!["home", "monitored", "monitor"], None),
        (vec!["home", "monitor:7d"], Some(7 * 86_400)),
        (vec!["monitor:1m"], Some(60)),
        (vec!["monitor:366d"], Some(366 * 86_400)),
        (vec!["monitor:60m", "monitor:1h"], Some(3600)),
        (vec!["monitor:90500ms"], Some(90)),
    ] {
        assert_eq!(from_tags(&tags(&words)), Ok(every.map(Duration::from_secs)), "{words:?}");
    }
}

#[test]
fn what_is_no_rhythm_is_refused_by_name() {
    for (words, said) in [
        (vec!["monitor:"], "is not a duration"),
        (vec!["monitor:often"], "is not a duration"),
        (vec!["monitor:59s"], "every 1m at the most often and every 366d at the least, not every 59s"),
        (vec!["monitor:367d"], "not every 367d"),
        (vec!["monitor:1h", "monitor:2h"], r#"the tags give "1h" and "2h": leave one out"#),
    ] {
        let error = from_tags(&tags(&words)).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    assert!(matches!(parse_every("0s"), Err(BadMonitor::Range(_))));
}
