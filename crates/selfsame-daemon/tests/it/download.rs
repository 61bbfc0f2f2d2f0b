//! A hub that sends us on: to where files are, and not to where machines keep their keys.

use crate::played::{Played, Reply};
use selfsame::model::Fetch as _;
use selfsame_daemon::download::Hub;
use std::io::Read as _;

fn sends_to(target: &str) -> Reply {
    Reply::new(302, "").header("location", target)
}

#[test]
fn a_hub_that_sends_us_on_is_followed_to_the_file() {
    let store = Played::always(Reply::new(200, "the file"));
    let hub = Played::always(sends_to(&store.url()));
    let mut fetched = Hub::new(&hub.url()).fetch(&format!("{}/model.onnx", hub.url())).unwrap();
    let mut text = String::new();
    fetched.body.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), store.seen().len()), ("the file", 1));
}

#[test]
fn no_step_of_the_way_leads_to_where_keys_are() {
    for target in [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/latest",
        "http://2852039166/latest",
        "http://metadata.google.internal/computeMetadata",
        "http://localhost:6379/",
    ] {
        let hub = Played::always(sends_to(target));
        let said = Hub::new(&hub.url()).fetch(&format!("{}/model.onnx", hub.url())).err().unwrap();
        assert!(said.starts_with(&format!("it sends us to {target}, which ")), "{said}");
        assert!(said.contains("asked"), "{said}");
        assert_eq!(hub.seen().len(), 1);
    }
    let said = Hub::new("http://169.254.169.254").fetch("http://169.254.169.254/model.onnx").err().unwrap();
    assert!(said.contains("is never asked"), "{said}");
}

#[test]
fn a_hub_that_sends_us_in_a_circle_is_left() {
    let hub = Played::always(sends_to("/model.onnx"));
    let said = Hub::new(&hub.url()).fetch(&format!("{}/model.onnx", hub.url())).err().unwrap();
    assert_eq!(said, "it sends us on more than 5 times");
    assert_eq!(hub.seen().len(), 5);
}
