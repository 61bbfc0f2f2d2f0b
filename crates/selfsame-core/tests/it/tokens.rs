//! Tokens: counted as tiktoken counts them, for every text, and in a time that grows no faster than the text.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use selfsame_core::tokens::{count, cut};
use tiktoken_rs::CoreBPE;

/// The texts that trip up storage. Taken from the file: the testkit itself would link both databases into tests of pure
/// functions.
#[path = "../../../selfsame-testkit/src/nasty.rs"]
mod nasty;

/// Takes its time to load, so once for all tests.
static ORACLE: LazyLock<CoreBPE> =
    LazyLock::new(|| tiktoken_rs::o200k_base().expect("the vocabulary can be read"));

fn expected(text: &str) -> usize {
    ORACLE.encode_ordinary(text).len()
}

#[track_caller]
fn check(text: &str) {
    assert_eq!(count(text), expected(text), "{text:?}");
}

const TABLE: &[&str] = &[
    "",
    "a",
    "The quick brown fox jumps over the lazy dog.",
    "Incomprehensibilities, antidisestablishmentarianism; pneumonoultramicroscopicsilicovolcanoconiosis!",
    "I'm sure we'd've said they'll go, wouldn't you? It's Anna's, you're right: I've, he'd.",
    "I'M SURE WE'D SAY THEY'LL GO, WOULDN'T YOU? IT'S ANNA'S, YOU'RE RIGHT: I'VE",
    "it'S it's It'Ll we'Re we'rE 've 'LL x'lL x'l x'r x'v x'rx x'sx 'twas o'clock rock'n'roll ''s '",
    "it'ſ IT'ſ 'ſ it's it’s don’t K's K's",
    // Case within a word
    "camelCase PascalCase HTTPServer parseURLFromHTTPResponse iPhone eBay McDonald ABCdef abcDEF ABC Abc aBC",
    "ǅungla ǅ ǅǅ aǅb ǅA Aǅ ᾈ ᾈα ǈǋǲ",
    // Caseless letters and modifiers among cased ones
    "日本ABC ABC日本 A日B日C 日Ab 日AB日 aʰbʰ ʰA Aʰ AʰB ªº aªA Tシャツ iPhone日本語 日本語iPhone",
    // Code
    "fn main() {\n    let xs: Vec<u32> = (0..10).map(|x| x * 2).collect();\n    println!(\"{xs:?}\");\n}\n",
    "if (a && !b || c != 0x1F) { return a->b[i++] ?: NULL; } // why\n\t/* and */\r\n#define X(y) (y##_t)",
    "SELECT id, \"name\" FROM t WHERE a >= $1 AND b LIKE '%x%';",
    "{\"key\": [1, 2.50, -3e10, true, null], \"nested\": {\"a\\n\": \"\\u00e9\"}}",
    "<div class=\"a b\">&nbsp;</div><!-- x --><|endoftext|><|endofprompt|><|im_start|>",
    "https://example.org/a/b/?q=1&r=%20#frag //comment ///doc /a/\n/b/\n\n/ //\n//\r\n/ ./ ../ -/\n",
    // Numbers
    "1 12 123 1234 12345 123456 1234567 1,234,567.89 3.14159 0xdeadbeef 1e10 2026-11-16T03:50:21Z 10⁻³ ½ Ⅷ ①②③④ ٠١٢٣٤ १२३४ 〇一二三 𝟘𝟙𝟚𝟛",
    // White space
    " ",
    "  ",
    "   ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "a b  c   d    e     f",
    "a \n b  \n  c\n\n\nd \n\n e\t\n\tf\r\n\r\ng\n \n \n h",
    "  leading",
    "trailing  ",
    "trailing \n ",
    "\n\n  \n\t x",
    "\u{a0}a\u{a0}\u{a0}b\u{2003}\u{2003}c\u{3000}d\u{85}e\u{2028}f\u{2029}\u{2029}g\u{b}\u{c}h\u{1680}i",
    "\u{200b}a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}g \u{200b} \u{200b}",
    "a\0b\u{1}\u{1b}[31m\u{7f}\u{9f}",
    // Scripts
    "我爱北京天安门，天安门上太阳升。中华人民共和国",
    "吾輩は猫である。名前はまだ無い。カタカナ ﾊﾝｶｸ ー々〆",
    "서울에서 만나요, 안녕하세요! 한글",
    "ภาษาไทยเป็นภาษาที่ใช้ในประเทศไทย ที่นี่ ๑๒๓๔",
    "اَلْعَرَبِيَّةُ لغة جميلة، ٢٠٢٦؟ می‌خواهم الكتـــاب",
    "שָׁלוֹם עולם צה״ל",
    "हिन्दी में लिखना, क्षत्रिय ज्ञान। বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം ગુજરાતી ਪੰਜਾਬੀ",
    "Привет, как дела? ЁЛКА Ёлка Ωμέγα ΟΔΥΣΣΕΥΣ ὀδυσσεύς Đà Nẵng phở Łódź İstanbul ISPARTA ısı Straße ẞ",
    "ქართული ᲥᲐᲠᲗᲣᲚᲘ հայերեն አማርኛ ខ្មែរ မြန်မာ ລາວ བོད་ Ꮳꮃꭹ ⵜⴰⵎⴰⵣⵉⵖⵜ 𐐀𐐨 𝔘𝔫𝔦 𠮷野家",
    // Marks
    "e\u{301} \u{301} \u{301}A \u{301}a \u{301}ABC 1\u{301}A .\u{301}A .\u{301}a a\u{301}\u{302}B A\u{301}B A\u{301}BC\u{301}D",
    "\u{301}\u{301}AB \u{301}1 \u{301}! !\u{301} !\u{301}a  \u{301} \u{20dd}a \u{903}A \u{488}\u{488}ж \u{fe0f}A",
    // Emoji
    "😀😁 👩‍👩‍👧‍👦 👩‍💻 👋🏽 🇩🇪🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ ☺ 🤷🏽‍♀️x🤷🏽‍♀️ 🎉🎉🎉🎉🎉🎉🎉🎉",
    // Punctuation
    "!!! ... — -- --- ---- ===== ***** ~~~~ :-) ;) «x» “y” ‘z’ „w” a.b a .b a. b (a)(b) [[x]] {{y}} $$ %% @@ ^^ \\\\ || ``",
    "...\n\n...\r\n.\n.\n !\n ?\n/ , \n\n\n",
    "$100 €50 100% #tag @user _x_ __init__ a_b_c A_B -x +y =z <w> ~v `u` |t| \\s ^r",
    // Not assigned, private, beyond
    "\u{378}a \u{e000}b \u{10ffff}C \u{fdd0} \u{fffd}\u{fffe} \u{1ffff}\u{e0100}",
];

#[test]
fn picked_texts() {
    TABLE.iter().copied().for_each(check);
}

#[test]
fn nasty_texts() {
    nasty::strings().iter().for_each(|text| check(text));
    nasty::refused(300).iter().for_each(|(text, _)| check(text));
    check(&nasty::strings().concat());
    check(&nasty::strings().join("\n"));
}

/// In small companies the rules meet: each of these breaks a piece, or goes on with it, or does so after some other.
const ALPHABETS: &[&[&str]] = &[
    &[" ", "  ", "\n", "\r", "\r\n", "\t", "\u{a0}", "\u{2028}", "a", "A", "1", "!", "/"],
    &["'", "s", "S", "t", "re", "VE", "m", "Ll", "l", "d", "ſ", "’", " ", "a", "B", "日", "\u{301}", "1"],
    &["a", "b", "A", "B", "ǅ", "ʰ", "日", "ª", "\u{301}", "\u{903}", "1", " ", ".", "'s"],
    &["0", "1", "22", "333", "٣", "½", "Ⅷ", "²", "a", "A", " ", ".", ",", "-", "\n", "日"],
    &[
        ".", "!", "/", "//", "-", "\"", "(", "{", "\\", "_", "\n", "\r", " ", "\t", "a", "A", "\u{301}",
        "😀", "\u{200b}",
    ],
    &["中", "国", "の", "ア", "한", "글", "ก", "ำ", "ี", "ا", "ُ", "ש", "ф", "Ж", "क", "्", "ि", " ", "。", "a"],
    &[
        "😀",
        "\u{200d}",
        "👩",
        "\u{fe0f}",
        "🏽",
        "🇩",
        "🇪",
        "❤",
        "\u{20e3}",
        "1",
        " ",
        "a",
        "\u{10ffff}",
        "\u{e000}",
    ],
    &["the", "ing", "tion", "er", "qu", "x", "z", "un", "Re", "S", "ed", "ly", " ", "\n", "_", "0"],
    &["a", "e", "i", "o", "n", "r", "s", "t", "l", " "],
    &["<|", "endoftext", "|>", "<", "|", ">", "im", "_", "start", " ", "\n"],
];

fn text(most: usize) -> impl Strategy<Value = String> {
    let letters = move |alphabet: &'static [&str]| prop::collection::vec(select(alphabet), 0..=most);
    select(ALPHABETS).prop_flat_map(letters).prop_map(|letters| letters.concat())
}

/// The same texts on every run, and so many of them.
fn seeded(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn random_texts() {
    let same = |text: String| {
        prop_assert_eq!(count(&text), expected(&text), "{:?}", text);
        Ok(())
    };
    seeded(30_000).run(&text(16), same).unwrap();
    seeded(300).run(&text(600), same).unwrap();
}

/// Each in places where its class decides. Beyond the third plane nothing is assigned but a few marks; Han and Hangul
/// are long rows of one class, of which some will do.
#[test]
fn every_character() {
    let row = |code: &u32| !matches!(code, 0x3500..0x4d00 | 0x4f00..0x9f00 | 0xad00..0xd700 | 0xe100..0xf800 | 0x1_7000..0x1_8c00 | 0x2_0100..0x3_2000);
    let codes = (0..=0x3_24ff).filter(|code| row(code) || code % 61 == 0);
    let codes = codes.chain(0xe_0000..=0xe_01ff).chain([0xf_0000, 0x10_ffff]);
    let chars: Vec<char> = codes.filter_map(char::from_u32).collect();
    for some in chars.chunks(16) {
        let places = |c: &char| format!("{c}a{c}A{c}{c}1 {c}.{c}\n{c}b's");
        check(&some.iter().map(places).collect::<String>());
    }
}

/// Would take hours if it took the square of the length.
#[test]
fn long_texts_finish() {
    const MEGABYTE: usize = 1 << 20;
    let base64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let scrambled = |letters: &[u8], length: usize| -> String {
        (0..length).map(|at| char::from(letters[(at * at * 31 + at * 7 + at / 64) % letters.len()])).collect()
    };
    for text in [
        "a".repeat(MEGABYTE),
        scrambled(base64, MEGABYTE),
        scrambled(&base64[26..52], 100_000),
        "=".repeat(100_000),
        "語".repeat(50_000),
        "\u{301}A".repeat(50_000),
    ] {
        check(&text);
    }
    // The oracle gives up on long white space; 128 blanks are the longest token.
    assert_eq!(count(&" ".repeat(128 * 1000)), 1000);
    assert!(count(cut(&"語".repeat(50_000), 1000)) <= 1000);
}

#[test]
fn a_text_is_cut_between_tokens_and_characters() {
    for (text, tokens, kept) in [
        ("", 0, ""),
        ("", 5, ""),
        ("The quick brown fox", 0, ""),
        ("The quick brown fox", 1, "The"),
        ("The quick brown fox", 3, "The quick brown"),
        ("The quick brown fox", 4, "The quick brown fox"),
        ("The quick brown fox", usize::MAX, "The quick brown fox"),
        // Seven people and joiners of several tokens each; never half a character.
        ("👩‍👩‍👧‍👦", 1, ""),
        ("\u{10ffff}", 3, ""),
        ("\u{10ffff}", 4, "\u{10ffff}"),
    ] {
        assert_eq!(cut(text, tokens), kept, "{text:?} {tokens}");
    }
}

#[test]
fn a_cut_is_never_too_long_and_seldom_shorter_than_it_must_be() {
    let cuts = (text(60), 0..40_usize);
    let fits = |(text, tokens): (String, usize)| {
        let kept = cut(&text, tokens);
        prop_assert!(text.starts_with(kept));
        prop_assert!(expected(kept) <= tokens, "{kept:?} of {text:?}");
        if expected(&text) <= tokens {
            prop_assert_eq!(kept, &text);
        } else {
            // The next character may be four tokens by itself.
            prop_assert!(expected(kept) + 4 > tokens, "{kept:?} of {text:?}");
        }
        Ok(())
    };
    seeded(10_000).run(&cuts, fits).unwrap();
}
