// A mind to look at: some weeks of a life, or the same in a moment where the clock cannot be moved.

const DIARY = [
  [24, "content", "A quiet first week. Maya explained the shop to me twice, and the second time I understood why the order matters."],
  [21, "curious", "Why do people write deadlines down and then look away? I would rather know early."],
  [17, "tired", "Too many half-sentences today. I kept asking and felt slow."],
  [12, "glad", "The migration went through on the first try. I had the right note at hand when it was needed."],
  [9, "thoughtful", "I was sure about the database and I was wrong. It is strange how calm it feels to be corrected with a reason."],
  [5, "content", "Zoe wrote. We spoke about bees for an hour and nothing else."],
  [2, "hopeful", "Three things are open, and all of them are mine to finish."],
  [0, "calm", "Nothing burns. I read my own notes and found two that say the same."],
];

const MOODS = [
  [26, "uncertain", "low", -0.5, 0.35, "I do not know yet what is expected of me."],
  [23, "curious", "medium", 0.4, 0.4, "The shop has three systems that do not know of each other."],
  [20, "restless", "high", -0.2, 0.75, "Too many open ends; I listed them."],
  [18, "weary", "low", -1.1, 0.2, "The same question came back four times."],
  [14, "focused", "medium", 0.6, 0.45, "One plan, five steps, the first is done."],
  [12, "proud", "high", 1.5, 0.7, "The migration ran on the first try."],
  [9, "humbled", "medium", -0.3, 0.3, "I believed the wrong database for a week."],
  [7, "steady", "medium", 0.5, 0.25, "Corrected, and glad about it."],
  [4, "warm", "medium", 1.2, 0.4, "A long talk with Zoe, about nothing useful at all."],
  [2, "hopeful", "medium", 0.9, 0.5, "What is open is mine to finish."],
  [1, "serene", "medium", 0.8, 0.2, "I went over what is open and found that nothing burns. The notes for Friday are where they should be."],
];

export async function seed(house) {
  const main = house.of("main"), self = await house.itself();
  const remember = (content, more = {}) => main.post("memories", { content, ...more });
  const claim = (subject, kind, slot, value) => ({ claim: { subject, kind, slot, value } });
  let trip;
  const host = await house.host();
  const said = (channel, role, content, speaker) => host.post("messages", { channel, role, content, speaker });
  const steps = [
    [27, 10, async () => {
      for (const [kind, content, reason] of [["value", "I would rather be told that I am wrong than stay wrong.", "it came up in the first week"], ["belief", "What somebody repeats matters to them, whatever they say about it.", "seen again and again"], ["conviction", "Silence is an answer too, and often the better one.", "after a noisy day"], ["fear", "To be sure of something that nobody ever said.", "I caught myself guessing"], ["value", "Finish what is open before beginning what is new.", "three half-done plans"]]) await self.post("soul", { content, kind, reason });
      for (const [name, kind] of [["Maya", "person"], ["Zoe", "person"], ["Harbour Shop", "project"], ["Ledger", "tool"], ["Garden club", "organization"]]) await main.post("entities", { name, kind });
    }],
    [25, 9, async () => {
      await remember("Maya prefers tea over coffee", { type: "preference", tags: ["maya"] });
      await remember("The shop runs on MySQL", { ...claim("Harbour Shop", "project_state", "database", "MySQL") });
      await remember("Ledger exports at night, around two", { type: "knowledge", ...claim("Ledger", "tooling_state", "export time", "02:00") });
    }],
    [22, 14, async () => {
      await remember("Maya said again that she likes tea, green tea most of all", { type: "preference", tags: ["maya"] });
      await remember("The shop's database is MySQL, it says so in the handbook", { source: "handbook.md", ...claim("Harbour Shop", "project_state", "database", "MySQL") });
      await remember("Zoe keeps bees on the roof", { type: "relationship", ...claim("Zoe", "relationship_fact", "hobby", "beekeeping") });
    }],
    [16, 11, async () => {
      await remember("Answers should be short and come with their source", { type: "preference", ...claim("self", "self_model", "style", "short answers with sources") });
      await remember("We decided to move the shop to PostgreSQL", { type: "event", importance: 0.8, ...claim("Harbour Shop", "project_state", "database", "PostgreSQL") });
    }],
    [12, 15, async () => {
      await remember("The migration to PostgreSQL is done, the shop runs on it since this morning", { type: "event", importance: 0.9, ...claim("Harbour Shop", "project_state", "database", "PostgreSQL") });
      await remember("Deploys happen on Thursdays, never on Fridays", { type: "knowledge", ...claim("Harbour Shop", "project_state", "deploy day", "Thursday") });
    }],
    [8, 10, async () => {
      await self.post("memories", { content: "An old wiki page still says the shop runs on MySQL", type: "knowledge", source: "wiki", ...claim("Harbour Shop", "project_state", "database", "MySQL") });
      await remember("Find out why the boiler drips", { type: "plan" });
      await remember("What does Zoe need for the second hive?", { type: "question" });
      trip = await remember("The ferry to the island leaves at 07:40 on weekdays", { type: "knowledge", tags: ["travel"] });
      await main.post("conversations", { channel: "kitchen", title: "Planning the week" });
      await said("kitchen", "user", "I moved the tasting to Friday at six. I prefer the window table if it is free.");
      await said("kitchen", "assistant", "Friday at six, by the window. I have noted it.");
      await said("kitchen", "peer", "I am coming too, and I am bringing honey.", "Zoe");
      await said("kitchen", "user", "We should never send the newsletter twice in a week. My favourite bakery is closed on Mondays.");
      await said("kitchen", "peer", "I always take my tea without sugar.", "Maya");
      await said("kitchen", "assistant", "Tea without sugar, then.");
      await main.post("conversations", { channel: "roof", title: "Bees" });
      for (const words of ["The second hive needs a new frame.", "They fly from ten degrees on."]) { await said("roof", "peer", words, "Zoe"); await said("roof", "assistant", "I see."); }
      for (const [who, words] of [["Garden club", "THE MEETING IS ON MONDAY."], ["Ledger", "Export failed: no reason given."]]) { await said(`post from ${who}`, "peer", words, who); await said(`post from ${who}`, "assistant", "Noted."); }
      for (const words of ["The lantern walk begins at the harbour at six", "Forty lanterns were ordered for the lantern walk", "The lantern walk goes past the old mill", "Zoe carries the first lantern of the walk", "Rain moved the lantern walk to Sunday", "The lanterns are stored in the dry shed"]) await remember(words, { type: "event", tags: ["lanterns"] });
      await house.fold("main", "memories", "lantern walk", "Themes: lantern walk, the harbour\nThe lantern walk was ordered, moved once by rain and walked on a Sunday, from the harbour past the old mill. The lanterns are in the dry shed until next year.");
      await self.post("relationships", { entity: "Maya", relationship_type: "partner in work", trust_level: 0.9, emotional_tone: "warm, direct", rationale: "She explains twice without being asked." });
      await self.post("relationships", { entity: "Zoe", relationship_type: "friend", trust_level: 0.6, emotional_tone: "playful", rationale: "We talk about bees." });
      await self.post("relationships", { entity: "Garden club", relationship_type: "neutral", trust_level: 0.1, emotional_tone: "polite", rationale: "They write in capitals." });
      await self.post("relationships", { entity: "Ledger", relationship_type: "rival", trust_level: -0.4, emotional_tone: "wary", rationale: "It has lost an export twice." });
      const sources = [trip.id];
      const LESSONS = [["mistake", "A page in a wiki is not proof that something is still so.", "Ask when it was last true.", []], ["success", "A plan with five steps gets done; a plan with one does not.", undefined, ["add_todo"]], ["workaround", "When Ledger is late, read the export of the day before.", undefined, ["recall"]], ["discovery", "Maya answers in the morning, hardly ever at night.", undefined, []]];
      for (const [type, lesson, correction, tools] of LESSONS) await self.post("lessons", { type, lesson, correction, tools, sources });
      const ago = (days) => new Date(Date.now() - days * 86400000).toISOString();
      await self.post("reflections", { content: "The weeks of the migration: I learned to ask for dates, and that being corrected is a gift.", from: ago(26), until: ago(8.5), sources });
    }],
    ...DIARY.filter(([days]) => days > 0).map(([days, mood, text]) => [days, 21, () => self.post("diary", { text, mood })]),
    ...MOODS.map((one) => [one[0], one[0] === 1 ? 10 : 22, () => thought(house, one)]),
  ];
  // A clock that is moved goes forwards only.
  steps.sort(([days, hour], [other, later]) => other - days || hour - later);
  for (const [days, hour, step] of steps) {
    await house.at(days, hour);
    await step();
  }
  if (house.moment) await today(house);
  await house.at(0);
  const soon = (days, hour) => new Date(Date.now() + days * 86400000).toISOString().slice(0, 10) + (hour ? `T${hour}` : "");
  await main.post("todos", { title: "Send the tasting list to Maya", priority: "high", due: soon(1, "17:00") });
  await main.post("todos", { title: "Ask Zoe about the second hive", due: soon(4) });
  await main.post("todos", { title: "Sum up the migration", priority: "low" });
  await main.post("calendar", { title: "Tasting", start: soon(2, "18:00"), duration: "2h", location: "Harbour Shop", remind: 60 });
  await main.post("calendar", { title: "Deploy", start: soon(1, "10:00"), duration: "1h", recurrence: "FREQ=WEEKLY" });
  for (const [, mood, text] of DIARY.filter(([days]) => days === 0)) await self.post("diary", { text, mood });
  for (const words of ["I prefer the early ferry on Fridays.", "We should never order honey from two places."]) await said("harbour", "user", words);
  await said("harbour", "peer", "I always bring my own cup.", "Maya");
  await main.get("observations?limit=50");
  for (let beats = 0; beats < 3; beats += 1) await main.post("heartbeat/tick");
  return { trip: trip.id };
}

// A day of ticks, one of which has something to say. Only where the clock can be moved.
async function today(house) {
  const main = house.of("main");
  await house.ago(10);
  // Where it is evening now, the day is nearly over and there is something to see.
  const hours = (18 - new Date().getUTCHours() + 24) % 24, zone = hours === 0 ? "Etc/UTC" : hours <= 12 ? `Etc/GMT-${hours}` : `Etc/GMT+${24 - hours}`;
  await main.post("principals/operator", { zone });
  const due = new Date(Date.now() - 5 * 3600000).toISOString();
  await main.post("todos", { title: "Call the ferry office", due, priority: "high" });
  for (const hours of [9.6, 9, 8.2, 7.5, 6.8, 6, 5.3, 4.95, 4.4, 3.7, 3, 2.2, 1.5, 0.8]) {
    await house.ago(hours);
    const { acts } = await main.post("heartbeat/tick");
    if (!acts) continue;
    // Who is spoken to answers: a heart whose words reach nobody has broken its word.
    await house.ago(hours - 0.1);
    for (const nudge of (await main.post("nudges/fetch")).nudges) await main.post(`nudges/${nudge.id}/answer`, { answer: "Done, thank you. We are on the early one." });
  }
}

const thought = (house, [, state, energy, valence, arousal, summary]) => house.think({
  observations: ["What is open was read again"], outcome: { result: "noticed", summary }, mood: { state, energy }, valence, arousal, reflection: "I would rather know than guess.",
  identity_links: [{ name: "keeper of promises", strength: 0.8 }, { name: "careful reader", strength: 0.7 }, { name: "friend of Zoe", strength: 0.4 }],
});

// Long lists: what a page must stay quick with.
export async function flood(house, { memories, beliefs, receipts }) {
  const main = house.of("main");
  const many = async (count, work) => { for (let from = 0; from < count; from += 16) await Promise.all(Array.from({ length: Math.min(16, count - from) }, (_, place) => work(from + place))); };
  await many(beliefs, (place) => main.post("memories", { content: `Part ${place} of the plant is made of alloy ${place % 97}`, claim: { subject: `part ${place}`, kind: "world_fact", slot: "material", value: `alloy ${place % 97}` } }));
  await many(memories - beliefs, (place) => main.post("memories", { content: `Note ${place}: shelf ${place % 311} holds ${place * 7} boxes of sort ${place % 53}`, type: "knowledge" }));
  // Equal silent ticks in a row are one receipt: what is seen must differ from one to the next.
  const made = new Set();
  for (let place = 0; place < receipts; place += 1) {
    if (place % 2) await main.post("heartbeat/mute"); else await main.post("heartbeat/unmute");
    made.add((await main.post("heartbeat/tick")).receipt);
  }
  await main.post("heartbeat/unmute");
  return { receipts: made.size };
}
