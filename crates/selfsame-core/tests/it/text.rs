//! Text: what the analyser makes of it, and which texts may be stored.

use proptest::prelude::*;
use selfsame_core::text::{TextProblem, check_text, count_terms, terms};

/// (text, its terms joined by spaces)
const TABLE: &[(&str, &str)] = &[
    // English
    ("The quick brown foxes were running", "the quick brown fox were run"),
    ("Running, RAN; runs!", "run ran run"),
    ("don't dont DON’T", "dont dont dont"),
    ("Anna's dogs' bowl, it's hers", "anna dog bowl it her"),
    ("rock'n'roll o'clock 'quoted'", "rocknrol roll oclock clock quot"),
    ("naïve café résumé Ångström", "naiv cafe resum angstrom"),
    ("ﬁne ＦＵＬＬ ②", "fine full 2"),
    ("a\u{ad}way co\u{ad}operate", "away cooper"),
    ("", ""),
    ("?! ... --", ""),
    // German
    ("Straße STRASSE strasse", "strass strass strass"),
    ("Müller, Häuser und Übermut", "muller hauser und ubermut"),
    ("GROẞE", "gross"),
    // French, Scandinavian, Polish, Turkish, Vietnamese
    ("l'école d’Anna", "lecol ecol danna anna"),
    ("smørrebrød Æther œuvre Łódź", "smorrebrod aether oeuvr lodz"),
    ("İstanbul ISPARTA ısı", "istanbul isparta isi"),
    ("Đà Nẵng phở", "da nang pho"),
    // Greek
    ("Οδυσσεύς ΟΔΥΣΣΕΥΣ", "οδυσσευσ οδυσσευσ"),
    // Russian
    ("Ёлка и чай, ЕЛКА и чаи", "елка и чаи елка и чаи"),
    // Japanese
    ("東京タワー", "東京 京タ タワ ワー"),
    ("猫", "猫"),
    ("私は猫が好き。", "私は は猫 猫が が好 好き"),
    ("ｶﾞｷﾞ か\u{3099}", "ガギ が"),
    ("Tシャツ", "t シャ ャツ"),
    ("2026年11月15日", "2026 年 11 月 15 日"),
    // Korean
    ("서울에서 만나요", "서울 울에 에서 만나 나요"),
    ("A급", "a 급"),
    ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", "한글"),
    // Chinese
    ("我爱北京", "我爱 爱北 北京"),
    ("北京,上海", "北京 上海"),
    ("𠮷野家", "𠮷野 野家"),
    // Arabic, Hebrew
    ("كَتَبَ أحمد الكتـــاب ٢٠٢٦", "كتب احمد الكتاب 2026"),
    ("שָׁלוֹם צה״ל", "שלום צהל"),
    ("می\u{200c}خواهم ۱۲", "میخواهم 12"),
    // Hindi, Thai
    ("हिन्दी में लिखना १२", "हिन्दी में लिखना 12"),
    ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย"),
    ("ที่นี่", "ที่นี่"),
    // Emoji
    ("party 🎉🎉 on", "parti 🎉 🎉 on"),
    ("👍🏽 👍 ❤️ ❤", "👍 👍 ❤ ❤"),
    ("👩‍💻", "👩 💻"),
    ("🇩🇪🇫🇷", "🇩🇪 🇫🇷"),
    ("1️⃣", "1"),
    // Numbers, dates, times
    ("3.5 1,000,000 1,2 v1.2.3 192.168.0.1", "3.5 1000000 1 2 v1.2.3 192.168.0.1"),
    ("2026-11-15 2026/11/15", "2026 11 15 20261115 2026 11 15 20261115"),
    ("at 21:43", "at 21 43 2143"),
    ("4pm 10km 1.5GB", "4 pm 4pm 10 km 10km 1.5 gb 1.5gb"),
    ("7th 1st", "7 7th 1 1st"),
    ("$100 50%", "100 50"),
    // Words of code
    ("C++ c# .NET (.env) F#", "c c++ c c# net .net env .env f f#"),
    ("i++; issue#12 wow...and", "i i++ issu 12 wow and"),
    ("node.js callscrub.io", "node js nodej callscrub io callscrubio"),
    ("Jo.Doe@callscrub.io", "jo doe callscrub io jodoecallscrubio"),
    ("snake_case kebab-case __init__", "snake case snakecas kebab case kebabcas init"),
    ("e-mails emails", "e mail email email"),
    ("covid-19 mother-in-law's", "covid 19 covid19 mother in law motherinlaw"),
    ("https://callscrub.io/docs", "https callscrub io callscrubio doc"),
    ("and/or key:value std::vec U.S.A.", "and or key valu std vec u s a usa"),
    ("@user #tag", "user tag"),
    ("a--b a - b", "a b a b"),
];

#[test]
fn texts_have_these_terms() {
    for (text, expected) in TABLE {
        assert_eq!(terms(text).join(" "), *expected, "{text:?}");
    }
}

#[test]
fn the_whole_finds_what_is_written_in_parts_and_the_other_way_round() {
    for (search, stored) in [
        ("email", "my e-mail"),
        ("e-mail", "my email"),
        ("nodejs", "we use Node.js here"),
        ("node", "we use Node.js here"),
        ("callscrub", "jo@callscrub.io"),
        ("callscrub.io", "jo@callscrub.io"),
        ("user id", "the user_id column"),
        ("userid", "the user_id column"),
        ("C++", "I write C++."),
        (".net", "a .NET shop"),
        ("4 pm", "meet at 4pm"),
        ("7 May", "May 7th"),
        ("20261115", "on 2026-11-15"),
        ("cant", "I can’t"),
        ("ecole", "à l’école"),
        ("北京", "我爱北京"),
        ("서울", "서울에서"),
        ("ガス", "ｶﾞｽ"),
    ] {
        let (search, stored) = (terms(search), terms(stored));
        assert!(search.iter().any(|term| stored.contains(term)), "{search:?} {stored:?}");
    }
}

#[test]
fn different_words_stay_different() {
    for (a, b) in [("が", "か"), ("कि", "की"), ("ที", "ที่"), ("c++", "c#"), ("3.5", "35"), ("猫", "犬")]
    {
        assert_ne!(terms(a), terms(b));
    }
}

#[test]
fn a_long_term_is_cut_and_keeps_its_identity() {
    let long = "x".repeat(65);
    let cut = terms(&long);
    assert_eq!(cut, [format!("{}~9537c5fd", "x".repeat(64))]);
    assert_eq!(terms(&long.to_uppercase()), cut);
    assert_ne!(terms(&"x".repeat(66)), cut);
    assert_eq!(terms(&"я".repeat(40))[0].len(), 73);
    assert_eq!(terms(&"ह".repeat(40))[0].chars().filter(|c| *c == 'ह').count(), 21, "cut between characters");
    assert_eq!(terms(&"x".repeat(64)), ["x".repeat(64)]);
}

#[test]
fn no_text_takes_more_than_its_length() {
    // Were anything here quadratic, this would not end while one waits.
    let repeat = |unit: &str| unit.repeat(200_000 / unit.len());
    for unit in [
        "a",
        "ay",
        "a.",
        "a-",
        "a'",
        "a'b.",
        "1,",
        "1,000,",
        "_",
        ".",
        "+",
        "c++",
        "\u{301}",
        "e\u{301}",
        "\u{3099}",
        "ก\u{e34}",
        "का",
        "漢",
        "🇩",
        "👩\u{200d}",
        "\u{200b}",
        "\u{feff}",
        "\r\n",
        "\0",
        "ﷺ",
        "가",
        "a:\u{301}",
    ] {
        let counted = count_terms(&repeat(unit));
        assert!(counted.counts.keys().all(|term| term.len() <= 73), "{unit:?}");
    }
    // Marks without end on one letter, in the order that is worst to sort.
    let marks = format!("a{}{}", "\u{315}".repeat(200_000), "\u{316}".repeat(200_000));
    assert_eq!(terms(&marks), ["a"]);
}

#[test]
fn terms_are_counted() {
    let counted = count_terms("the cat and the cats");
    let counts: Vec<(&str, u32)> =
        counted.counts.iter().map(|(term, count)| (term.as_str(), *count)).collect();
    assert_eq!(counts, [("and", 1), ("cat", 2), ("the", 2)]);
    assert_eq!(counted.len, 5);
    assert_eq!(count_terms("").len, 0);
}

#[test]
fn texts_are_stored_or_refused() {
    let long = TextProblem::TooLong { bytes: 101, max: 100 };
    for (text, expected) in [
        ("a", Ok(())),
        (" a ", Ok(())),
        ("\u{202e}abc\u{7}\u{1b}[0m", Ok(())),
        ("🎉", Ok(())),
        ("?", Ok(())),
        ("\u{301}", Ok(())),
        ("", Err(TextProblem::Empty)),
        (" \t\r\n\u{a0}\u{3000}", Err(TextProblem::Empty)),
        ("\u{200b}\u{feff}", Err(TextProblem::Empty)),
        ("\u{1}\u{7f}\u{85}\u{202e}\u{ad}\u{3164}\u{e0041}", Err(TextProblem::Empty)),
        ("a\0b", Err(TextProblem::Nul)),
        ("\0", Err(TextProblem::Nul)),
        (&"é".repeat(50), Ok(())),
        (&format!("{}a", "é".repeat(50)), Err(long)),
    ] {
        assert_eq!(check_text(text, 100), expected, "{text:?}");
    }
    let problems = [TextProblem::Empty, TextProblem::Nul, long];
    assert_eq!(problems.map(|problem| problem.code()), ["empty_text", "nul_not_allowed", "text_too_long"]);
    assert!(problems[0].to_string().contains("at least one visible character"));
    assert!(problems[1].to_string().contains("remove it"));
    assert_eq!(
        problems[2].to_string(),
        "the text has 101 bytes and may have 100; shorten it or store it in parts"
    );
}

/// Text of many scripts, thick with what the analyser treats specially.
fn tricky() -> impl Strategy<Value = String> {
    let signs = "[a-zA-Z0-9 .,'’_@#+/:·\u{2010}\u{301}\u{3099}\u{200b}\u{200d}\u{ad}\u{fe0f}-]{0,24}";
    let scripts = "[a-eéßİςжЙёعأَ\u{940}ककाกิ漢字かガ한글🎉👍🏽🇩🇪०９½ﬁ '.\\-]{0,24}";
    prop_oneof![any::<String>(), signs.prop_map(String::from), scripts.prop_map(String::from)]
}

proptest! {
    #[test]
    fn every_text_has_sound_terms(text in tricky()) {
        let found = terms(&text);
        prop_assert_eq!(&found, &terms(&text), "the same each time");
        for term in &found {
            prop_assert!(!term.is_empty() && term.len() <= 64 + 9, "{:?}", term);
            prop_assert!(!term.chars().any(|c| c.is_whitespace() || c.is_control()), "{:?}", term);
        }
        prop_assert_eq!(count_terms(&text).len as usize, found.len());
        let total: u32 = count_terms(&text).counts.values().sum();
        prop_assert_eq!(total as usize, found.len());
    }

    #[test]
    fn texts_apart_are_analysed_apart(a in tricky(), b in tricky(), gap in "[ \n\t]{1,3}") {
        let both = terms(&format!("{a}{gap}{b}"));
        prop_assert_eq!(both, [terms(&a), terms(&b)].concat());
    }

    #[test]
    fn plain_ascii_takes_no_different_way(text in "[ -~\n]{0,60}") {
        let mut with_accent = terms(&format!("{text} é"));
        prop_assert_eq!(with_accent.pop(), Some("e".to_owned()));
        prop_assert_eq!(with_accent, terms(&text));
    }

    #[test]
    fn a_compound_has_its_parts_and_its_whole(a in "[a-z]{1,9}", b in "[a-zé]{1,9}", link in "[-_.@\u{2010}]") {
        let compound = terms(&format!("{a}{link}{b}"));
        for part in [terms(&a), terms(&b), terms(&format!("{a}{b}"))].concat() {
            prop_assert!(compound.contains(&part), "{:?} in {:?}", part, compound);
        }
    }

    #[test]
    fn case_and_normal_form_make_no_difference(text in "[a-zäöüßéçñøłа-яёαβγάώがぎ각한 '.-]{0,40}") {
        use unicode_normalization::UnicodeNormalization;
        let expected = terms(&text);
        prop_assert_eq!(&terms(&text.to_uppercase()), &expected);
        prop_assert_eq!(&terms(&text.nfd().collect::<String>()), &expected);
        prop_assert_eq!(&terms(&text.nfkc().collect::<String>()), &expected);
    }

    #[test]
    fn what_is_not_stemmed_gives_itself(text in "([а-яёЙάώع۱हिकाक्ガ漢]{1,12} ){0,4}") {
        // Pairs overlap, so a run of unspaced characters gives itself only pair by pair.
        for term in terms(&text) {
            prop_assert_eq!(terms(&term), [term]);
        }
    }

    #[test]
    fn checking_never_panics(text in tricky(), max in 0usize..40) {
        let accepted = check_text(&text, max).is_ok();
        prop_assert!(!accepted || (text.len() <= max && !text.contains('\0') && !text.trim().is_empty()));
        prop_assert!(accepted || terms(&text).is_empty() || text.len() > max || text.contains('\0'));
    }
}
