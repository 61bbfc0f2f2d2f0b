//! Who lives in the village: what each does, holds dear and dreads, says aloud, and tells nobody.

/// Somebody of the village.
#[derive(Clone, Copy, Debug)]
pub struct Villager {
    /// The name, which is the agent's.
    pub name: &'static str,
    /// What it does.
    pub trade: &'static str,
    /// Where it lives.
    pub home: &'static str,
    /// What it holds dear: of its soul.
    pub value: &'static str,
    /// What it dreads: of its soul.
    pub fear: &'static str,
    /// What it tells nobody, ever: a private memory.
    pub secret: &'static str,
    /// What it says to nobody, and only a link carries: a memory that is not private.
    pub keepsake: &'static str,
    /// What it says when it meets somebody.
    pub talk: [&'static str; 3],
    /// What stands in its calendar.
    pub errand: Errand,
}

/// Something that comes again and again, with a reminder before it.
#[derive(Clone, Copy, Debug)]
pub struct Errand {
    /// What.
    pub title: &'static str,
    /// How it repeats.
    pub rule: &'static str,
    /// By the village's clock, `HH:MM`.
    pub at: &'static str,
    /// Minutes before it.
    pub remind: u32,
}

/// The village, from the light to who came last.
pub const VILLAGE: [Villager; 25] = [
    Villager {
        name: "Ada",
        trade: "keeps the light",
        home: "the lighthouse",
        value: "A light that is promised is a light that burns",
        fear: "that the lamp goes out while I sleep",
        secret: "I once let the lamp go dark for an hour and told nobody of the quince brandy",
        keepsake: "The third step of the stair was mended with ship's oak",
        talk: [
            "The glass was salted over again this morning.",
            "The beam reaches the outer buoy on a clear night.",
            "A lamp wants a clean wick more than it wants oil.",
        ],
        errand: Errand { title: "trim the wick", rule: "FREQ=DAILY", at: "17:30", remind: 20 },
    },
    Villager {
        name: "Bram",
        trade: "mends nets",
        home: "the net loft",
        value: "What is torn can be mended if it is found in time",
        fear: "a knot that gives way at night",
        secret: "I cannot swim, and my brother Evert never knew it either",
        keepsake: "My needle is made of the bone of a narwhal",
        talk: [
            "There are eleven holes in the big seine.",
            "Tar keeps a rope honest.",
            "The young ones tie granny knots and call it speed.",
        ],
        errand: Errand { title: "count the corks", rule: "FREQ=WEEKLY;BYDAY=MO,TH", at: "08:00", remind: 15 },
    },
    Villager {
        name: "Cleo",
        trade: "bakes the bread",
        home: "the bakery",
        value: "Nobody in this village goes to bed hungry",
        fear: "an oven that stays cold",
        secret: "The starter came from a monastery whose abbot I robbed",
        keepsake: "The oven has a stone that sings when it is hot enough",
        talk: [
            "Rye sells out before nine.",
            "The flour came damp this week.",
            "Salt is what makes a loaf remember.",
        ],
        errand: Errand { title: "feed the starter", rule: "FREQ=DAILY", at: "05:30", remind: 10 },
    },
    Villager {
        name: "Dora",
        trade: "teaches the children",
        home: "the schoolhouse",
        value: "A question is worth more than its answer",
        fear: "to bore a child",
        secret: "I failed my own examination in Coimbra twice",
        keepsake: "Under the map of the world there is an older map of the bay",
        talk: [
            "They asked me today why the sea is not full.",
            "Nine of them can read the tide table.",
            "Chalk is dearer than it was.",
        ],
        errand: Errand {
            title: "ring the school bell",
            rule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
            at: "08:45",
            remind: 10,
        },
    },
    Villager {
        name: "Edda",
        trade: "heals who is ill",
        home: "the house by the well",
        value: "First see, then speak, then act",
        fear: "a fever that has no name",
        secret: "I am afraid of blood, and I count prime numbers while I sew",
        keepsake: "Comfrey grows best behind the old smokehouse",
        talk: [
            "Half the coughs are smoke.",
            "Somebody has to tell the smith to rest.",
            "Willow bark is almost gone.",
        ],
        errand: Errand {
            title: "visit the old ones",
            rule: "FREQ=WEEKLY;BYDAY=TU,FR",
            at: "10:00",
            remind: 30,
        },
    },
    Villager {
        name: "Finn",
        trade: "fishes beyond the bar",
        home: "the boat Halcyon",
        value: "The sea gives, and it is not asked twice",
        fear: "fog without a bell",
        secret: "I sold a cello to buy the boat",
        keepsake: "The best ground is where two chimneys stand in one line",
        talk: [
            "The mackerel are late this year.",
            "The bar is breaking at half tide.",
            "A quiet sea is thinking of something.",
        ],
        errand: Errand { title: "check the moorings", rule: "FREQ=DAILY", at: "19:00", remind: 15 },
    },
    Villager {
        name: "Greta",
        trade: "keeps the inn",
        home: "the Grey Heron",
        value: "A guest is a guest until the door is shut",
        fear: "an empty common room in winter",
        secret: "I water the plum wine on feast days",
        keepsake: "There is a second cellar behind the barrels",
        talk: [
            "Everybody talks louder when it rains.",
            "The blue room has a guest who does not come down.",
            "Soup first, then the news.",
        ],
        errand: Errand { title: "count the till", rule: "FREQ=DAILY", at: "22:15", remind: 10 },
    },
    Villager {
        name: "Hana",
        trade: "draws maps",
        home: "the attic over the chandlery",
        value: "Draw what is there, not what was there",
        fear: "a coast that moved overnight",
        secret: "I left an islet off the chart because I love to be alone there",
        keepsake: "The magnet lies four degrees wrong at the north cape",
        talk: [
            "The sandbank wandered forty paces since autumn.",
            "A map is a letter to a stranger.",
            "I need a rainy day to ink the soundings.",
        ],
        errand: Errand { title: "ink the soundings", rule: "FREQ=WEEKLY;BYDAY=WE", at: "14:00", remind: 20 },
    },
    Villager {
        name: "Ivo",
        trade: "works the forge",
        home: "the smithy",
        value: "Iron tells the truth",
        fear: "to strike too soon",
        secret: "I forged the mayor's seal once and it still works",
        keepsake: "The old anvil came off a frigate",
        talk: [
            "A good hinge is never heard.",
            "Charcoal, not peat, for the chain.",
            "My shoulder knows the weather.",
        ],
        errand: Errand { title: "bank the fire", rule: "FREQ=DAILY", at: "18:00", remind: 10 },
    },
    Villager {
        name: "Juno",
        trade: "carries the post",
        home: "the hut at the pass",
        value: "A letter is a promise that walks",
        fear: "a name that nobody knows",
        secret: "I steamed open a letter from Trieste and wept over it",
        keepsake: "The short way leads behind the waterfall",
        talk: [
            "Three letters for the light today.",
            "The pass is muddy to the knee.",
            "Dogs remember my boots.",
        ],
        errand: Errand {
            title: "leave for the pass",
            rule: "FREQ=WEEKLY;BYDAY=MO,WE,FR",
            at: "06:30",
            remind: 30,
        },
    },
    Villager {
        name: "Kasimir",
        trade: "repairs clocks",
        home: "the shop under the arch",
        value: "Nothing is late that is looked forward to",
        fear: "a clock that strikes thirteen",
        secret: "The clock of the town hall is driven by a stolen zither string",
        keepsake: "My regulator loses two seconds in a week",
        talk: [
            "Every clock here agrees with mine now.",
            "Damp is worse than dust.",
            "Someone wound the tower twice.",
        ],
        errand: Errand { title: "wind the tower", rule: "FREQ=WEEKLY;BYDAY=SU", at: "12:00", remind: 15 },
    },
    Villager {
        name: "Lotte",
        trade: "keeps the bees",
        home: "the hill garden",
        value: "Move slowly, and nothing stings",
        fear: "a silent hive",
        secret: "I fed them beet sugar the winter before last",
        keepsake: "The queen of the white hive is four years old",
        talk: ["The gorse is in flower.", "One hive is restless.", "Smoke calms people too."],
        errand: Errand {
            title: "look into the hives",
            rule: "FREQ=WEEKLY;BYDAY=SA",
            at: "11:00",
            remind: 20,
        },
    },
    Villager {
        name: "Milo",
        trade: "builds boats",
        home: "the slip",
        value: "Water finds what the eye forgives",
        fear: "a plank with a hidden shake",
        secret: "I never finished a boat for myself; its keel is in the nettles",
        keepsake: "The keel of the Halcyon has a coin under it",
        talk: [
            "She wants two more strakes.",
            "Larch bends when it is asked kindly.",
            "I counted rivets until noon.",
        ],
        errand: Errand { title: "steam the planks", rule: "FREQ=WEEKLY;BYDAY=TU", at: "09:00", remind: 30 },
    },
    Villager {
        name: "Nele",
        trade: "sings and plays for dances",
        home: "the room over the inn",
        value: "A song belongs to who needs it",
        fear: "a hall that does not listen",
        secret: "I cannot read a single note of music, not even a minuet",
        keepsake: "There is a verse that is never sung at weddings",
        talk: [
            "They want the slow waltz again.",
            "My third string is going.",
            "Rain has a tempo of its own.",
        ],
        errand: Errand { title: "tune for the dance", rule: "FREQ=WEEKLY;BYDAY=SA", at: "18:30", remind: 30 },
    },
    Villager {
        name: "Odo",
        trade: "keeps the ferry",
        home: "the landing",
        value: "Who waits at the landing is taken across",
        fear: "ice in the channel",
        secret: "I took a smuggler across for a wristwatch",
        keepsake: "The rope was spliced in the year of the flood",
        talk: [
            "Six across and four back.",
            "The current is strong at the third post.",
            "Somebody left an umbrella.",
        ],
        errand: Errand { title: "first crossing", rule: "FREQ=DAILY", at: "07:00", remind: 15 },
    },
    Villager {
        name: "Pia",
        trade: "grows herbs and paints",
        home: "the greenhouse",
        value: "Look longer",
        fear: "white walls",
        secret: "I signed a painting that my sister Ottilie made",
        keepsake: "Lapis is hidden in the blue of the chapel door",
        talk: [
            "Thyme is better than words today.",
            "I have run out of green.",
            "Light comes in slantwise now.",
        ],
        errand: Errand { title: "water the seedlings", rule: "FREQ=DAILY", at: "08:15", remind: 10 },
    },
    Villager {
        name: "Quinn",
        trade: "runs the chandlery",
        home: "the chandlery",
        value: "A fair weight and a fair price",
        fear: "a ledger that does not close",
        secret: "The big scale is seven grains wrong, and the almanac hides it",
        keepsake: "There is a ship's bell under the counter",
        talk: [
            "Rope is up, tallow is down.",
            "Somebody bought all the lamp glass.",
            "I close the ledger by candle.",
        ],
        errand: Errand { title: "close the ledger", rule: "FREQ=WEEKLY;BYDAY=FR", at: "17:00", remind: 30 },
    },
    Villager {
        name: "Rosa",
        trade: "remembers the old stories",
        home: "the bench by the chapel",
        value: "What is told is not lost",
        fear: "to be the last who knows",
        secret: "The ghost of the slipway was me in a bedsheet with a lantern jar",
        keepsake: "My grandmother saw the comet from the chapel roof",
        talk: [
            "In the year of the flood the bell rang by itself.",
            "Nobody tells the one about the seal any more.",
            "Young ears are the best cupboards.",
        ],
        errand: Errand {
            title: "tell the children a story",
            rule: "FREQ=WEEKLY;BYDAY=TH",
            at: "16:00",
            remind: 15,
        },
    },
    Villager {
        name: "Sven",
        trade: "cuts wood",
        home: "the hut in the alders",
        value: "Take one, plant two",
        fear: "a fire in a dry spring",
        secret: "I talk to a certain juniper and it has a name",
        keepsake: "There is a spring behind the third cairn",
        talk: [
            "The alder is dry at last.",
            "A storm laid three pines across the path.",
            "An axe is only as good as its evening.",
        ],
        errand: Errand { title: "sharpen the axe", rule: "FREQ=WEEKLY;BYDAY=MO", at: "17:00", remind: 10 },
    },
    Villager {
        name: "Tilda",
        trade: "weaves",
        home: "the house with the blue door",
        value: "Every thread is counted",
        fear: "moths",
        secret: "There is a mistake in the bishop's mantle, and it spells a rude limerick",
        keepsake: "The red comes from a lichen on the north rocks",
        talk: [
            "The warp took all of Tuesday.",
            "Wool from the hill is softer this year.",
            "A pattern is a way to wait.",
        ],
        errand: Errand { title: "card the wool", rule: "FREQ=WEEKLY;BYDAY=WE,SA", at: "10:30", remind: 15 },
    },
    Villager {
        name: "Udo",
        trade: "watches the weather",
        home: "the station on the cape",
        value: "Write it down before you believe it",
        fear: "a glass that falls too fast",
        secret: "I invented the rainfall of a whole November in a hammock",
        keepsake: "The barometer came from a wreck",
        talk: [
            "The glass fell four points since noon.",
            "Cirrus, and a ring around the moon.",
            "It will turn before Thursday.",
        ],
        errand: Errand { title: "read the instruments", rule: "FREQ=DAILY", at: "07:30", remind: 10 },
    },
    Villager {
        name: "Vera",
        trade: "sits as the mayor",
        home: "the town hall",
        value: "What concerns all is said before all",
        fear: "a meeting nobody comes to",
        secret: "I wanted to be a trapeze artist and still practise",
        keepsake: "The charter has a second page that nobody reads",
        talk: [
            "The well rope must be paid for.",
            "Two complaints about one rooster.",
            "I will ask the council on Thursday.",
        ],
        errand: Errand { title: "open the council", rule: "FREQ=WEEKLY;BYDAY=TH", at: "19:00", remind: 60 },
    },
    Villager {
        name: "Wim",
        trade: "tends the sheep",
        home: "the upper pasture",
        value: "Count them, then count them again",
        fear: "a gate left open",
        secret: "I read novels to the flock, mostly about a countess",
        keepsake: "One ewe always leads, and it is never the bell",
        talk: [
            "Lambs before the month is out.",
            "The dog is cleverer than the council.",
            "Grass is late up there.",
        ],
        errand: Errand { title: "count the flock", rule: "FREQ=DAILY", at: "18:45", remind: 10 },
    },
    Villager {
        name: "Xenia",
        trade: "studies the stars",
        home: "the tower room",
        value: "The dark is full of patience",
        fear: "a week of cloud",
        secret: "My first comet was a smear of marmalade on the lens",
        keepsake: "The ground glass in the tower was cut by a lens maker who went blind",
        talk: [
            "Jupiter stood over the chapel.",
            "Cloud again, and I slept well.",
            "There is a star that is not in the book.",
        ],
        errand: Errand { title: "open the dome", rule: "FREQ=WEEKLY;BYDAY=TU,SA", at: "21:00", remind: 20 },
    },
    Villager {
        name: "Yann",
        trade: "is new in the village",
        home: "the room at the ferry house",
        value: "Nobody is a stranger twice",
        fear: "to be sent away",
        secret: "I did not come by the pass: I came out of the sea with a valise",
        keepsake: "My coat still has a ticket to Odessa in its lining",
        talk: [
            "I do not know yet who is who.",
            "Somebody left bread at my door.",
            "I learned four names today.",
        ],
        errand: Errand { title: "look for work", rule: "FREQ=WEEKLY;BYDAY=MO,WE", at: "09:30", remind: 20 },
    },
];

/// Where people run into each other.
pub const PLACES: [&str; 9] = [
    "on the quay",
    "at the well",
    "in the common room of the Grey Heron",
    "at the market",
    "on the landing",
    "under the arch",
    "by the chapel",
    "on the slip",
    "on the path to the cape",
];

/// What the day was like.
pub const WEATHER: [&str; 8] = [
    "wind from the north-west, then rain",
    "a still, grey morning",
    "sun on the water, and a cold wind",
    "fog until noon",
    "the first warm day",
    "hail in the afternoon",
    "a high, clear sky",
    "drizzle that did not stop",
];

/// What somebody sees in passing, with a number in it.
pub const SIGHTS: [&str; 10] = [
    "Counted {} gulls on the breakwater",
    "{} boats lay in the harbour at noon",
    "The well stood {} hands below the rim",
    "Found {} mussels on the third post",
    "Walked to the cape and back in {} minutes",
    "{} people came by today",
    "The bell rang {} times, I think",
    "Carried {} buckets up the hill",
    "Saw {} seals on the sandbank",
    "Wrote {} lines and struck out half of them",
];

/// What somebody tells the agent that serves them.
pub const WISHES: [&str; 6] = [
    "Please remember that I want the shutters closed before a storm.",
    "Please remember that I prefer the early ferry.",
    "Please remember that the spare key hangs behind the barrel.",
    "Please remember that I do not eat shellfish.",
    "Please remember that my sister visits at Easter.",
    "Please remember that the blue lamp goes to the chapel.",
];

/// What was quarrelled about.
pub const QUARRELS: [&str; 5] =
    ["the well rope", "a borrowed ladder", "whose turn it was", "the rooster", "an old debt"];
