//! One spelling for every JSON value.

use proptest::prelude::*;
use selfsame_core::json::canonical;
use serde_json::{Value, json};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Quarters: serde_json reads longer fractions to within the last digit unless its `float_roundtrip` is on.
        any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_text_means_the_same_and_is_stable(value in value()) {
        let text = canonical(&value);
        let read: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(canonical(&read), text);
    }
}

#[test]
fn keys_are_sorted_and_spaces_are_gone() {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let one = canonical(&read("{\"b\": [1, {\"z\": null, \"a\": \"x y\"}], \"a\": true, \"B\": 1.5}"));
    assert_eq!(one, "{\"B\":1.5,\"a\":true,\"b\":[1,{\"a\":\"x y\",\"z\":null}]}");
    assert_eq!(one, canonical(&read(&one)));
}

#[test]
fn strings_are_escaped_in_one_way() {
    assert_eq!(
        canonical(&json!(["\u{1F980}", "\n\"\\", "日本", "/"])),
        "[\"🦀\",\"\\n\\\"\\\\\",\"日本\",\"/\"]"
    );
    assert_eq!(canonical(&json!({})), "{}");
    assert_eq!(canonical(&json!([])), "[]");
}
