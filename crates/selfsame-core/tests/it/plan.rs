//! What is read out of a question.

use selfsame_core::recall::plan::spend;

#[test]
fn the_rarest_word_is_always_looked_up() {
    assert_eq!(spend(&[("common", 5000)], 10), ["common"]);
    assert_eq!(spend(&[("b", 20), ("a", 20), ("c", 5000)], 30), ["a"]);
    assert_eq!(spend(&[("gone", 0)], 10), [""; 0]);
}
