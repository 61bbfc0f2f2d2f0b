//! "Did you mean": the known word nearest to a misspelt one. Used for zone names and for settings.

/// Longer words are no slips of the finger; the limit also bounds the work that a hostile name can cause.
const MAX_CHARS: usize = 64;

/// The known word with the fewest edits from `word`, if that is near enough to be a slip: at most one edit in three
/// letters (two letters swapped are one edit), letter case not counted. Of equally near ones the first wins.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length == 0 || length > MAX_CHARS {
        return None;
    }
    let word = word.to_lowercase();
    let limit = (length / 3).max(1);
    known
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KEYS: [&str; 4] = ["heartbeat", "heart", "listen", "data_dir"];

    #[test]
    fn a_slip_finds_its_word() {
        for (word, expected) in [
            ("heartbeat", Some("heartbeat")),
            ("hartbeat", Some("heartbeat")),
            ("HEARTBAET", Some("heartbeat")),
            ("haert", Some("heart")),
            ("data-dir", Some("data_dir")),
            ("lisen", Some("listen")),
            ("hear", Some("heart")),
            ("weather_station", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, KEYS.into_iter()), expected, "{word}");
        }
    }

    #[test]
    fn a_tie_goes_to_the_first() {
        assert_eq!(nearest("cot", ["cat", "cut"].into_iter()), Some("cat"));
        assert_eq!(nearest("cot", ["cut", "cat"].into_iter()), Some("cut"));
    }

    #[test]
    fn a_hostile_word_costs_nothing() {
        assert_eq!(nearest(&"a".repeat(1_000_000), KEYS.into_iter()), None);
        assert_eq!(nearest("é", ["e"].into_iter()), Some("e"));
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
