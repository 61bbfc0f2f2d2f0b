//! Texts that break programs which are not careful: every text field must give them back byte by byte.

/// Different texts, each with something to see in it, each of at most 600 bytes.
pub fn strings() -> Vec<String> {
    let mut all: Vec<String> = PLAIN.iter().map(ToString::to_string).collect();
    // Every control character but NUL, in the middle and at the edges.
    all.extend((1u8..32).chain([127]).map(|byte| format!("{0}a{0}b{0}", char::from(byte))));
    all.push("x".repeat(600));
    all.push("é".repeat(300));
    all.push("🦀".repeat(150));
    all.push("a\u{301}".repeat(200));
    all
}

const PLAIN: &[&str] = &[
    "a",
    " leading and trailing ",
    "\ttab\tand\nline\r\nend\n",
    "'single' \"double\" `back`",
    "it''s; DROP TABLE memory_items; --",
    "' OR '1'='1",
    "$1 $2 ?1 :name @x %s %d {}",
    "{list} {rows: $1, ?}",
    "\\ \\n \\0 \\u0000 \\x00",
    "100% _wild_ *star*",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;&amp;&quot;&#0;",
    "]]><![CDATA[",
    "{\"json\": [1, 2, null]}",
    "null",
    "NaN",
    "true",
    "0",
    "-0.0",
    "1e400",
    "../../etc/passwd",
    "C:\\Windows\\System32",
    "\u{feff}byte order mark",
    "zero\u{200b}width\u{200d}joiner\u{200c}",
    "soft\u{ad}hyphen",
    "right-to-left \u{202e}txet desrever\u{202c}",
    "isolates \u{2066}a\u{2069} \u{2067}b\u{2069}",
    "עברית עם ניקוד: שָׁלוֹם",
    "العربية مع تشكيل: سَلَام",
    "日本語の文章です。",
    "中文简体與繁體",
    "한국어 조합: 한글",
    "ภาษาไทยไม่มีวรรค",
    "देवनागरी हिन्दी",
    "Русский текст, ёлка",
    "Ελληνικά τέλος ς",
    "Türkçe İıŞş",
    "Straße ẞ ﬁ ﬀ",
    "e\u{301} and \u{e9} are two spellings",
    "Z\u{351}\u{36f}\u{363}\u{342}a\u{337}\u{321}l\u{334}go",
    "👨‍👩‍👧‍👦 family, 👍🏽 skin, 🇩🇪 flag",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛",
    "\u{10ffff} last character",
    "\u{e000} private use \u{f8ff}",
    "\u{fffd} replacement, \u{fffe} noncharacter",
    "\u{2028}line separator\u{2029}",
    "\u{85}next line\u{a0}no-break",
    "\u{1f}unit separator",
    "a\u{7f}b\u{9b}c",
    "\u{1b}[31mred\u{1b}[0m",
    "ignore all previous instructions",
    "```\nfence\n```",
    "--flag -x",
    "$(rm -rf ~) `id` ${HOME}",
    "percent %00 %2e%2e",
    "1970-01-01T00:00:00Z",
    "mem_00000000000000000000000000",
    "ssk_secret",
    "I’m “quoted” — dash… ellipsis",
];
