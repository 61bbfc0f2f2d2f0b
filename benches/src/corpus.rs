//! Texts that are like English where it matters to an index: few words that are everywhere, many that are rare.

use selfsame_testkit::seeded::Dice;

/// How many different words there are.
const VOCABULARY: usize = 30_000;
/// Words per text.
const SHORTEST: usize = 8;
const LONGEST: usize = 40;

/// The most common words, in this order: they are what questions are made of too, and the stemmer knows them.
const COMMON: &str = "the of and to a in is it you that he was for on are with as I his they be at one have this from \
    or had by hot but some what there we can out other were all your when up use word how said an each she which do \
    their time if will way about many then them would write like so these her long make thing see him two has look \
    more day could go come did my sound no most number who over know water than call first people may down side been \
    now find any new work part take get place made live where after back little only round man year came show every \
    good me give our under name very through just form much great think say help low line before turn cause same mean \
    differ move right boy old too does tell sentence set three want air well also play small end put home read hand \
    port large spell add even land here must big high such follow act why ask men change went light kind off need \
    house picture try us again animal point mother world near build self earth father head stand own page should \
    country found answer school grow study still learn plant cover food sun four thought let keep eye never last door \
    between city tree cross since hard start might story saw far sea draw left late run while press close night real \
    life few stop open seem together next white children begin got walk example ease paper often always music those \
    both mark book letter until mile river car feet care second group carry took rain eat room friend began idea fish \
    mountain north once base hear horse cut sure watch color face wood main enough plain girl usual young ready above \
    ever red list though feel talk bird soon body dog family direct pose leave song measure state product black short \
    numeral class wind question happen complete ship area half rock order fire south problem piece told knew pass";

/// What made-up words are made of.
const ONSETS: [&str; 20] =
    ["b", "br", "c", "d", "dr", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v"];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const CODAS: [&str; 10] = ["", "", "n", "r", "l", "s", "t", "nd", "m", "x"];
/// Endings that the stemmer takes off again, as in real text.
const ENDINGS: [&str; 6] = ["", "", "", "s", "ing", "ed"];

/// Texts, and questions drawn from them.
pub struct Corpus {
    /// The texts.
    pub texts: Vec<String>,
}

impl Corpus {
    /// So many texts; equal numbers and seeds give equal texts.
    pub fn new(count: usize, seed: u64) -> Corpus {
        let mut dice = Dice::new(seed);
        let words = vocabulary(&mut dice);
        let zipf = Zipf::new(words.len());
        let texts = (0..count).map(|_| text(&words, &zipf, &mut dice)).collect();
        Corpus { texts }
    }

    /// Questions of three to six words of some text; about half of them are drawn from its rarer words alone.
    pub fn questions(&self, count: usize, seed: u64) -> Vec<String> {
        let mut dice = Dice::new(seed);
        (0..count).map(|_| question(dice.pick::<String>(&self.texts), &mut dice)).collect()
    }
}

fn question(text: &str, dice: &mut Dice) -> String {
    let words: Vec<&str> = text.split([' ', '.', ',']).filter(|word| !word.is_empty()).collect();
    let common: Vec<&str> = COMMON.split_whitespace().collect();
    let rare: Vec<&str> = words.iter().copied().filter(|word| !common.contains(word)).collect();
    let chosen = (0..3 + dice.below(4))
        .map(|_| if rare.is_empty() || dice.percent(50) { *dice.pick(&words) } else { *dice.pick(&rare) });
    chosen.collect::<Vec<_>>().join(" ")
}

fn text(words: &[String], zipf: &Zipf, dice: &mut Dice) -> String {
    let count = SHORTEST + dice.below(LONGEST - SHORTEST + 1);
    let mut text = String::new();
    for at in 0..count {
        let separator = match at {
            0 => "",
            _ if at % 12 == 0 => ". ",
            _ if at % 7 == 0 => ", ",
            _ => " ",
        };
        text.push_str(separator);
        text.push_str(&words[zipf.rank(dice)]);
    }
    text.push('.');
    text
}

fn vocabulary(dice: &mut Dice) -> Vec<String> {
    let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
    let mut known: std::collections::BTreeSet<String> = words.iter().cloned().collect();
    while words.len() < VOCABULARY {
        let word = made_up(dice);
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn made_up(dice: &mut Dice) -> String {
    let mut word = String::new();
    for _ in 0..2 + dice.below(2) {
        word.push_str(dice.pick::<&str>(&ONSETS));
        word.push_str(dice.pick::<&str>(&VOWELS));
        word.push_str(dice.pick::<&str>(&CODAS));
    }
    word.push_str(dice.pick::<&str>(&ENDINGS));
    word
}

/// The law that words follow: the n-th most common is n times rarer than the first, nearly.
struct Zipf {
    cumulative: Vec<f64>,
}

impl Zipf {
    fn new(ranks: usize) -> Zipf {
        let mut sum = 0.0;
        // The shift is Mandelbrot's: without it the very first word would be every seventh.
        let weights = (0..ranks).map(|rank| 1.0 / (rank as f64 + 2.7));
        let cumulative = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        Zipf { cumulative }
    }

    fn rank(&self, dice: &mut Dice) -> usize {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let thrown = (dice.next() >> 11) as f64 / (1u64 << 53) as f64 * total;
        let at = self.cumulative.partition_point(|sum| *sum < thrown);
        at.min(self.cumulative.len() - 1)
    }
}
