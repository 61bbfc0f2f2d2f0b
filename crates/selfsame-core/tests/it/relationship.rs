//! What may be said of a relationship.

use selfsame_core::relationship::{Assignment, BadAssignment, Standing};

fn assignment() -> Assignment {
    Assignment { kind: "ally".into(), trust: None, tone: None, rationale: "she helped".into(), notes: None }
}

#[test]
fn trust_stays_between_minus_one_and_one() {
    for good in [-1.0, -0.0, 0.0, 0.6, 1.0] {
        assert_eq!(Assignment { trust: Some(good), ..assignment() }.check(), Ok(()), "{good}");
    }
    for bad in [-1.01, 1.01, f64::INFINITY, f64::NAN] {
        let checked = Assignment { trust: Some(bad), ..assignment() }.check();
        assert!(matches!(checked, Err(BadAssignment::Trust { .. })), "{bad}");
    }
}

#[test]
fn texts_have_their_limits() {
    let long = |bytes| "x".repeat(bytes);
    for bad in [
        Assignment { kind: long(65), ..assignment() },
        Assignment { kind: " ".into(), ..assignment() },
        Assignment { tone: Some(long(129)), ..assignment() },
        Assignment { rationale: String::new(), ..assignment() },
        Assignment { rationale: long(4097), ..assignment() },
        Assignment { notes: Some("a\0b".into()), ..assignment() },
    ] {
        assert!(matches!(bad.check(), Err(BadAssignment::Text { .. })), "{bad:?}");
    }
    assert_eq!(Assignment { kind: long(64), rationale: long(4096), ..assignment() }.check(), Ok(()));
}

#[test]
fn what_is_not_given_stays() {
    let old = Standing { kind: "rival".into(), trust: -0.5, tone: Some("cold".into()) };
    let new = assignment().applied_to(&old);
    assert_eq!(new, Standing { kind: "ally".into(), trust: -0.5, tone: Some("cold".into()) });
    let new = Assignment { trust: Some(0.6), tone: Some("warm".into()), ..assignment() }.applied_to(&old);
    assert_eq!(new, Standing { kind: "ally".into(), trust: 0.6, tone: Some("warm".into()) });
}
