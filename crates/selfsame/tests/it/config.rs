//! Configuration: which layer wins, what each setting takes, and how mistakes are reported.

use std::path::Path;
use std::time::Duration;

use selfsame::config::{
    ConfigError, DEFAULT_TOML, DatabaseUrl, EmbedderKind, EmbedderSettings, HeartbeatSettings, Layers,
    LogLevel, RESERVED_VARIABLES, Resolved, Secret, Settings, ThinkerKind, ThinkerProvider, variable_of,
};
use selfsame::context::SectionKind;
use selfsame::time::Zone;
use selfsame_core::contemplation::WorkKind;
use selfsame_core::heartbeat::{Autonomy, Ladder, Rules, Tier, Windows};

/// A key, another value as written in TOML (and in JSON), and what it changes.
type Change = (&'static str, &'static str, fn(&mut Settings));

#[rustfmt::skip]
const CHANGES: [Change; 205] = [
    ("server.address", r#""[::1]:9""#, |s| s.server.address = ([0, 0, 0, 0, 0, 0, 0, 1], 9).into()),
    ("server.hosts", r#""Mind.example.org, [::1]""#, |s| {
        s.server.hosts = vec!["mind.example.org".into(), "[::1]".into()];
    }),
    ("server.insecure", "true", |s| s.server.insecure = true),
    ("server.max_body_bytes", "101", |s| s.server.max_body_bytes = 101),
    ("server.workers", "102", |s| s.server.workers = 102),
    ("server.queue", "103", |s| s.server.queue = 103),
    ("server.max_connections", "107", |s| s.server.max_connections = 107),
    ("server.rate", "0", |s| s.server.rate = 0),
    ("server.burst", "108", |s| s.server.burst = 108),
    ("server.max_streams", "109", |s| s.server.max_streams = 109),
    ("server.ping", r#""110s""#, |s| s.server.ping = Duration::from_secs(110)),
    ("database.url", r#""postgres://a:b@c/d""#, |s| s.database.url = DatabaseUrl::new("postgres://a:b@c/d")),
    ("database.owner_url", r#""postgresql://a""#, |s| s.database.owner_url = DatabaseUrl::new("postgresql://a")),
    ("database.statement_timeout", r#""104s""#, |s| s.database.statement_timeout = Duration::from_secs(104)),
    ("database.connections", "105", |s| s.database.connections = 105),
    ("database.lock_wait", r#""0s""#, |s| s.database.lock_wait = Duration::ZERO),
    ("agent.name", r#""Zoë""#, |s| s.agent.name = "Zoë".to_owned()),
    ("agent.zone", r#""America/Port-au-Prince""#, |s| s.agent.zone = "America/Port-au-Prince".to_owned()),
    ("memory.max_content_bytes", "106", |s| s.memory.max_content_bytes = 106),
    ("memory.mask_secrets", "false", |s| s.memory.mask_secrets = false),
    ("link.open_for", r#""107s""#, |s| s.link.open_for = Duration::from_secs(107)),
    ("link.batch", "108", |s| s.link.batch = 108),
    ("inbox.max_pending", "109", |s| s.inbox.max_pending = 109),
    ("inbox.review_by_rules", "false", |s| s.inbox.review_by_rules = false),
    ("soul.max_entries", "7", |s| s.soul.max_entries = 7),
    ("soul.max_characters", "77", |s| s.soul.max_characters = 77),
    ("recall.limit", "107", |s| s.recall.limit = 107),
    ("recall.posting_budget", "108", |s| s.recall.posting_budget = 108),
    ("recall.bm25_k1", "1.25", |s| s.recall.bm25_k1 = 1.25),
    // A whole number is taken where a fraction is meant.
    ("recall.bm25_b", "1", |s| s.recall.bm25_b = 1.0),
    ("recall.exact_up_to", "110", |s| s.recall.exact_up_to = 110),
    ("recall.vector_memory_bytes", "1048577", |s| s.recall.vector_memory_bytes = 1_048_577),
    ("embedder.kind", r#""openai""#, |s| s.embedder.kind = EmbedderKind::OpenAi),
    ("embedder.model", r#""a-model""#, |s| s.embedder.model = Some("a-model".to_owned())),
    ("embedder.url", r#""https://a.example/v1/""#, |s| s.embedder.url = Some("https://a.example/v1".to_owned())),
    ("embedder.key", r#""sk-1""#, |s| s.embedder.key = Some(Secret::new("sk-1"))),
    ("embedder.question_prefix", r#""query: ""#, |s| s.embedder.question_prefix = "query: ".to_owned()),
    ("embedder.text_prefix", r#""passage: ""#, |s| s.embedder.text_prefix = "passage: ".to_owned()),
    ("embedder.batch", "111", |s| s.embedder.batch = 111),
    ("embedder.timeout", r#""112s""#, |s| s.embedder.timeout = Duration::from_secs(112)),
    ("embedder.unload_after", r#""113s""#, |s| s.embedder.unload_after = Duration::from_secs(113)),
    ("context.budget_tokens", "1", |s| s.context.budget_tokens = 1),
    ("context.share_observations", "6", |s| share(s, SectionKind::Observations, 6)),
    ("context.share_lessons", "9", |s| share(s, SectionKind::Lessons, 9)),
    ("context.share_memories", "8", |s| share(s, SectionKind::Memories, 8)),
    ("context.share_summaries", "0", |s| share(s, SectionKind::Summaries, 0)),
    ("context.share_people", "4", |s| share(s, SectionKind::People, 4)),
    ("context.share_conversation", "7", |s| share(s, SectionKind::Conversation, 7)),
    ("context.share_diary", "3", |s| share(s, SectionKind::Diary, 3)),
    ("context.share_todos", "2", |s| share(s, SectionKind::Todos, 2)),
    ("context.share_calendar", "1", |s| share(s, SectionKind::Calendar, 1)),
    ("context.share_nudges", "2", |s| share(s, SectionKind::Nudges, 2)),
    ("knowledge.injected", "3", |s| s.knowledge.injected = 3),
    ("heartbeat.enabled", "false", |s| s.heartbeat.enabled = false),
    ("heartbeat.autonomy", r#""act""#, |s| s.heartbeat.rules.autonomy = Autonomy::Act),
    ("heartbeat.threshold_observe", "31", |s| s.heartbeat.rules.levels[0].threshold = 31),
    ("heartbeat.threshold_suggest", "32", |s| s.heartbeat.rules.levels[1].threshold = 32),
    ("heartbeat.threshold_act", "33", |s| s.heartbeat.rules.levels[2].threshold = 33),
    ("heartbeat.cooldown_observe_low", r#""201s""#, |s| s.heartbeat.rules.levels[0].low = Duration::from_secs(201)),
    ("heartbeat.cooldown_observe_normal", r#""202s""#, |s| s.heartbeat.rules.levels[0].normal = Duration::from_secs(202)),
    ("heartbeat.cooldown_observe_elevated", r#""203s""#, |s| s.heartbeat.rules.levels[0].elevated = Duration::from_secs(203)),
    ("heartbeat.cooldown_suggest_low", r#""204s""#, |s| s.heartbeat.rules.levels[1].low = Duration::from_secs(204)),
    ("heartbeat.cooldown_suggest_normal", r#""205s""#, |s| s.heartbeat.rules.levels[1].normal = Duration::from_secs(205)),
    ("heartbeat.cooldown_suggest_elevated", r#""206s""#, |s| s.heartbeat.rules.levels[1].elevated = Duration::from_secs(206)),
    ("heartbeat.cooldown_act_low", r#""207s""#, |s| s.heartbeat.rules.levels[2].low = Duration::from_secs(207)),
    ("heartbeat.cooldown_act_normal", r#""208s""#, |s| s.heartbeat.rules.levels[2].normal = Duration::from_secs(208)),
    ("heartbeat.cooldown_act_elevated", r#""209s""#, |s| s.heartbeat.rules.levels[2].elevated = Duration::from_secs(209)),
    ("heartbeat.max_silence", r#""210s""#, |s| s.heartbeat.rules.max_silence = Duration::from_secs(210)),
    ("heartbeat.quiet_from", r#""01:04""#, |s| s.heartbeat.rules.periods[0].from = 64),
    ("heartbeat.morning_from", r#""02:05""#, |s| s.heartbeat.rules.periods[1].from = 125),
    ("heartbeat.working_from", r#""03:06""#, |s| s.heartbeat.rules.periods[2].from = 186),
    ("heartbeat.evening_from", r#""04:07""#, |s| s.heartbeat.rules.periods[3].from = 247),
    ("heartbeat.late_night_from", r#""05:08""#, |s| s.heartbeat.rules.periods[4].from = 308),
    ("heartbeat.morning_least", r#""elevated""#, |s| s.heartbeat.rules.periods[1].least = Tier::Elevated),
    ("heartbeat.working_least", r#""elevated""#, |s| s.heartbeat.rules.periods[2].least = Tier::Elevated),
    ("heartbeat.evening_least", r#""elevated""#, |s| s.heartbeat.rules.periods[3].least = Tier::Elevated),
    ("heartbeat.late_night_least", r#""low""#, |s| s.heartbeat.rules.periods[4].least = Tier::Low),
    ("heartbeat.quiet_factor", "9.25", |s| s.heartbeat.rules.periods[0].factor = 9.25),
    ("heartbeat.morning_factor", "10.25", |s| s.heartbeat.rules.periods[1].factor = 10.25),
    ("heartbeat.working_factor", "11.25", |s| s.heartbeat.rules.periods[2].factor = 11.25),
    ("heartbeat.evening_factor", "12.25", |s| s.heartbeat.rules.periods[3].factor = 12.25),
    ("heartbeat.late_night_factor", "13.25", |s| s.heartbeat.rules.periods[4].factor = 13.25),
    ("heartbeat.deadline_window", r#""231s""#, |s| s.heartbeat.ladder.window = Duration::from_secs(231)),
    ("heartbeat.deadline_first", r#""100h""#, |s| s.heartbeat.ladder.before[0] = Duration::from_secs(360_000)),
    ("heartbeat.deadline_second", r#""10h""#, |s| s.heartbeat.ladder.before[1] = Duration::from_secs(36_000)),
    ("heartbeat.deadline_third", r#""232s""#, |s| s.heartbeat.ladder.before[2] = Duration::from_secs(232)),
    ("heartbeat.overdue_every", r#""233s""#, |s| s.heartbeat.ladder.overdue_every = Duration::from_secs(233)),
    ("heartbeat.continuity_after", r#""234s""#, |s| s.heartbeat.windows.continuity_after = Duration::from_secs(234)),
    ("heartbeat.continuity_within", r#""235s""#, |s| s.heartbeat.windows.continuity_within = Duration::from_secs(235)),
    ("heartbeat.velocity_within", r#""236s""#, |s| s.heartbeat.windows.velocity_within = Duration::from_secs(236)),
    ("heartbeat.pending_touched", r#""237s""#, |s| s.heartbeat.windows.pending_touched = Duration::from_secs(237)),
    ("heartbeat.pending_due", r#""238s""#, |s| s.heartbeat.windows.pending_due = Duration::from_secs(238)),
    ("heartbeat.stalled_after", r#""239s""#, |s| s.heartbeat.windows.stalled_after = Duration::from_secs(239)),
    ("heartbeat.at_risk_within", r#""240s""#, |s| s.heartbeat.windows.at_risk_within = Duration::from_secs(240)),
    ("heartbeat.question_after", r#""241s""#, |s| s.heartbeat.windows.question_after = Duration::from_secs(241)),
    ("heartbeat.silent_after", r#""242s""#, |s| s.heartbeat.windows.silent_after = Duration::from_secs(242)),
    ("heartbeat.silent_due", r#""243s""#, |s| s.heartbeat.windows.silent_due = Duration::from_secs(243)),
    ("heartbeat.conversation", r#""211s""#, |s| s.heartbeat.rules.conversation = Duration::from_secs(211)),
    ("heartbeat.velocity", "41", |s| s.heartbeat.rules.velocity = 41),
    ("heartbeat.critical", r#""212s""#, |s| s.heartbeat.rules.critical = Duration::from_secs(212)),
    ("heartbeat.first_contact_memories", "42", |s| s.heartbeat.rules.first_contact.memories = 42),
    ("heartbeat.first_contact_every", r#""213s""#, |s| s.heartbeat.rules.first_contact.every = Duration::from_secs(213)),
    ("heartbeat.first_contact_most", "43", |s| s.heartbeat.rules.first_contact.most = 43),
    ("heartbeat.responses_last", "44", |s| s.heartbeat.rules.responses.last = 44),
    ("heartbeat.responses_within", r#""2d""#, |s| s.heartbeat.rules.responses.within = Duration::from_secs(2 * 86_400)),
    ("heartbeat.responses_least", "45", |s| s.heartbeat.rules.responses.least = 45),
    ("heartbeat.ignored_below", "0.0625", |s| s.heartbeat.rules.responses.ignored_below = 0.0625),
    ("heartbeat.ignored_factor", "46.5", |s| s.heartbeat.rules.responses.ignored_factor = 46.5),
    ("heartbeat.selective_below", "0.25", |s| s.heartbeat.rules.responses.selective_below = 0.25),
    ("heartbeat.selective_factor", "47.5", |s| s.heartbeat.rules.responses.selective_factor = 47.5),
    ("heartbeat.answer_within", r#""214s""#, |s| s.heartbeat.rules.responses.answer_within = Duration::from_secs(214)),
    ("heartbeat.base", r#""215s""#, |s| s.heartbeat.rules.pace.base = Duration::from_secs(215)),
    ("heartbeat.shortest", r#""216s""#, |s| s.heartbeat.rules.pace.shortest = Duration::from_secs(216)),
    ("heartbeat.longest", r#""217s""#, |s| s.heartbeat.rules.pace.longest = Duration::from_secs(217)),
    ("heartbeat.grace", r#""218s""#, |s| s.heartbeat.grace = Duration::from_secs(218)),
    ("heartbeat.receipts_kept", r#""3d""#, |s| s.heartbeat.receipts_kept = Duration::from_secs(3 * 86_400)),
    ("heartbeat.channels", r#""webhook, file,file""#, |s| s.heartbeat.channels = vec!["file".to_owned(), "webhook".to_owned()]),
    ("heartbeat.webhook_url", r#""https://a.example/hook/""#, |s| s.heartbeat.webhook_url = Some(Secret::new("https://a.example/hook/"))),
    ("heartbeat.webhook_secret", r#""whs-1""#, |s| s.heartbeat.webhook_secret = Some(Secret::new("whs-1"))),
    ("heartbeat.command", r#""[\"/bin/a\", \"b c\"]""#, |s| s.heartbeat.command = vec!["/bin/a".to_owned(), "b c".to_owned()]),
    ("heartbeat.file", r#""nudges.jsonl""#, |s| s.heartbeat.file = Some("nudges.jsonl".to_owned())),
    ("heartbeat.afterthought", "true", |s| s.heartbeat.afterthought = true),
    ("heartbeat.afterthought_wait", r#""3m""#, |s| s.heartbeat.afterthought_wait = Duration::from_secs(180)),
    ("heartbeat.afterthought_wait_immediate", r#""4s""#, |s| s.heartbeat.afterthought_wait_immediate = Duration::from_secs(4)),
    ("heartbeat.delivery_timeout", r#""11s""#, |s| s.heartbeat.delivery_timeout = Duration::from_secs(11)),
    ("heartbeat.signals", r#""/srv/signals""#, |s| s.heartbeat.signals = Some("/srv/signals".into())),
    ("contemplation.enabled", "true", |s| s.contemplation.enabled = true),
    ("contemplation.every", r#""301s""#, |s| s.contemplation.every = Duration::from_secs(301)),
    ("contemplation.family_every", r#""302s""#, |s| s.contemplation.family_every = Duration::from_secs(302)),
    ("contemplation.streak", "51", |s| s.contemplation.streak = 51),
    ("contemplation.fast_every", r#""303s""#, |s| s.contemplation.fast_every = Duration::from_secs(303)),
    ("contemplation.quiet", r#""0s""#, |s| s.contemplation.quiet = Duration::from_secs(0)),
    ("contemplation.retry", r#""304s""#, |s| s.contemplation.retry = Duration::from_secs(304)),
    ("contemplation.per_hour", "52", |s| s.contemplation.per_hour = 52),
    ("contemplation.per_hour_all", "53", |s| s.contemplation.per_hour_all = 53),
    ("contemplation.active_start", r#""08:01""#, |s| s.contemplation.active = Some((481, 0))),
    ("contemplation.active_end", r#""07:02""#, |s| s.contemplation.active = Some((0, 422))),
    ("contemplation.budget_tokens", "501", |s| s.contemplation.budget_tokens = 501),
    ("contemplation.max_tokens", "502", |s| s.contemplation.max_tokens = 502),
    ("contemplation.seasoning", "false", |s| s.contemplation.seasoning = false),
    ("contemplation.seasoning_model", r#""b-model""#, |s| s.contemplation.seasoning_model = "b-model".to_owned()),
    ("contemplation.seasoning_url", r#""http://b.example/""#, |s| s.contemplation.seasoning_url = "http://b.example".to_owned()),
    ("contemplation.seasoning_timeout", r#""9s""#, |s| s.contemplation.seasoning_timeout = Duration::from_secs(9)),
    ("contemplation.journal", "false", |s| s.contemplation.journal = false),
    ("contemplation.journal_folder", r#""/srv/journal""#, |s| s.contemplation.journal_folder = Some("/srv/journal".into())),
    ("contemplation.work_lease", r#""305s""#, |s| s.contemplation.work_lease = Duration::from_secs(305)),
    ("thinker.kind", r#""model""#, |s| s.thinker.kind = ThinkerKind::Model),
    ("thinker.contemplate", r#""agent""#, |s| job(s, WorkKind::Contemplate, ThinkerKind::Agent)),
    ("thinker.review_inbox", r#""none""#, |s| job(s, WorkKind::ReviewInbox, ThinkerKind::None)),
    ("thinker.extract_lessons", r#""command""#, |s| job(s, WorkKind::ExtractLessons, ThinkerKind::Command)),
    ("thinker.summarize", r#""webhook""#, |s| job(s, WorkKind::Summarize, ThinkerKind::Webhook)),
    ("thinker.phrase_claim", r#""model""#, |s| job(s, WorkKind::PhraseClaim, ThinkerKind::Model)),
    ("thinker.phrase_nudge", r#""command""#, |s| job(s, WorkKind::PhraseNudge, ThinkerKind::Command)),
    ("thinker.provider", r#""anthropic""#, |s| s.thinker.provider = ThinkerProvider::Anthropic),
    ("thinker.model", r#""c-model""#, |s| s.thinker.model = Some("c-model".to_owned())),
    ("thinker.url", r#""https://c.example/v1/""#, |s| s.thinker.url = Some("https://c.example/v1".to_owned())),
    ("thinker.key", r#""tk-1""#, |s| s.thinker.key = Some(Secret::new("tk-1"))),
    ("thinker.command", r#""[\"claude\", \"-p\"]""#, |s| s.thinker.command = vec!["claude".to_owned(), "-p".to_owned()]),
    ("thinker.webhook_url", r#""https://c.example/think/""#, |s| s.thinker.webhook_url = Some(Secret::new("https://c.example/think/"))),
    ("thinker.webhook_secret", r#""ths-1""#, |s| s.thinker.webhook_secret = Some(Secret::new("ths-1"))),
    ("thinker.timeout", r#""306s""#, |s| s.thinker.timeout = Duration::from_secs(306)),
    ("thinker.idle", r#""307s""#, |s| s.thinker.idle = Duration::from_secs(307)),
    ("thinker.max_calls", "0", |s| s.thinker.max_calls = 0),
    ("thinker.max_bytes", "1025", |s| s.thinker.max_bytes = 1025),
    ("thinker.daily_tokens", "0", |s| s.thinker.daily_tokens = 0),
    ("thinker.daily_time", r#""0s""#, |s| s.thinker.daily_time = Duration::from_secs(0)),
    ("thinker.lanes", "3", |s| s.thinker.lanes = 3),
    ("lessons.every_episodes", "61", |s| s.lessons.every_episodes = 61),
    ("lessons.batch", "62", |s| s.lessons.batch = 62),
    ("lessons.tries", "63", |s| s.lessons.tries = 63),
    ("lessons.same_overlap", "0.75", |s| s.lessons.same_overlap = 0.75),
    ("lessons.reinforced", "0.125", |s| s.lessons.reinforced = 0.125),
    ("lessons.thumbs_down", "0.25", |s| s.lessons.thumbs_down = 0.25),
    ("lessons.unhelpful", "0.375", |s| s.lessons.unhelpful = 0.375),
    ("lessons.half_life", r#""2d""#, |s| s.lessons.half_life = Duration::from_secs(172800)),
    ("lessons.floor", "0", |s| s.lessons.floor = 0.0),
    ("lessons.proposed_confidence", "0.5", |s| s.lessons.proposed_confidence = 0.5),
    ("lessons.proposed_occurrences", "64", |s| s.lessons.proposed_occurrences = 64),
    ("lessons.proposed_days", "65", |s| s.lessons.proposed_days = 65),
    ("lessons.injected", "0", |s| s.lessons.injected = 0),
    ("lessons.injected_confidence", "0.625", |s| s.lessons.injected_confidence = 0.625),
    ("lessons.weight_confidence", "0.875", |s| s.lessons.weight_confidence = 0.875),
    ("lessons.weight_overlap", "0.0625", |s| s.lessons.weight_overlap = 0.0625),
    ("lessons.weight_recency", "0.03125", |s| s.lessons.weight_recency = 0.03125),
    ("lessons.weight_occurrences", "0.5", |s| s.lessons.weight_occurrences = 0.5),
    ("duties.lease", r#""1s""#, |s| s.duties.lease = Duration::from_secs(1)),
    ("duties.lanes", "9", |s| s.duties.lanes = 9),
    ("conversation.advise_archival_at", "5", |s| s.conversation.advise_archival_at = 5),
    ("host.idle_stop", r#""212s""#, |s| s.host.idle_stop = Duration::from_secs(212)),
    ("host.session_tokens", "213", |s| s.host.session_tokens = 213),
    ("host.prompt_tokens", "214", |s| s.host.prompt_tokens = 214),
    ("host.file_messages", "false", |s| s.host.file_messages = false),
    ("self_care.ceiling_tokens", "301", |s| s.self_care.ceiling_tokens = 301),
    ("self_care.after_tokens", "302", |s| s.self_care.after_tokens = 302),
    ("self_care.least", "303", |s| s.self_care.least = 303),
    ("self_care.least_focused", "304", |s| s.self_care.least_focused = 304),
    ("self_care.batch", "305", |s| s.self_care.batch = 305),
    ("self_care.recent_messages", "306", |s| s.self_care.recent_messages = 306),
    ("self_care.active_within", r#""307s""#, |s| s.self_care.active_within = Duration::from_secs(307)),
    ("self_care.summary_tokens", "308", |s| s.self_care.summary_tokens = 308),
    ("self_care.window_tokens", "1301", |s| s.self_care.window_tokens = 1301),
    ("self_care.facts", "310", |s| s.self_care.facts = 310),
    ("self_care.lease", r#""311s""#, |s| s.self_care.lease = Duration::from_secs(311)),
    ("backup.at", r#""23:59""#, |s| s.backup.at = "23:59".to_owned()),
    ("log.level", r#""trace""#, |s| s.log.level = LogLevel::Trace),
];

fn share(settings: &mut Settings, section: SectionKind, percent: usize) {
    settings.context.shares.insert(section, percent);
}

fn job(settings: &mut Settings, work: WorkKind, kind: ThinkerKind) {
    settings.thinker.jobs.insert(work, kind);
}

#[test]
fn the_defaults_are_what_default_toml_says() {
    let settings = Settings::default();
    assert_eq!(settings.server.address.to_string(), "127.0.0.1:4177");
    assert!(settings.server.address.ip().is_loopback());
    assert_eq!(
        (settings.server.max_body_bytes, settings.server.workers, settings.server.queue),
        (1_048_576, 8, 256)
    );
    assert_eq!(
        (settings.server.max_connections, settings.server.rate, settings.server.burst),
        (4096, 500, 1000)
    );
    assert_eq!((settings.server.max_streams, settings.server.ping), (2048, Duration::from_secs(15)));
    assert_eq!((settings.database.url, settings.database.owner_url), (None, None));
    assert_eq!(settings.database.statement_timeout, Duration::from_secs(30));
    assert_eq!((settings.database.connections, settings.database.lock_wait), (8, Duration::from_secs(5)));
    assert_eq!((settings.agent.name.as_str(), settings.agent.zone.as_str()), ("main", "UTC"));
    assert_eq!((settings.memory.max_content_bytes, settings.memory.mask_secrets), (262_144, true));
    assert_eq!((settings.link.open_for, settings.link.batch), (Duration::from_secs(120), 200));
    assert_eq!((settings.inbox.max_pending, settings.inbox.review_by_rules), (1000, true));
    assert_eq!((settings.soul.max_entries, settings.soul.max_characters), (64, 1000));
    assert_eq!((settings.recall.limit, settings.recall.posting_budget), (10, 50000));
    assert_eq!((settings.recall.bm25_k1, settings.recall.bm25_b), (0.9, 0.4));
    assert_eq!((settings.recall.exact_up_to, settings.recall.vector_memory_bytes), (20_000, 1 << 30));
    let EmbedderSettings {
        kind,
        model,
        url,
        key,
        question_prefix,
        text_prefix,
        batch,
        timeout,
        unload_after,
    } = settings.embedder;
    assert_eq!((kind, model, url, key), (EmbedderKind::Auto, None, None, None));
    assert_eq!((question_prefix.as_str(), text_prefix.as_str()), ("", ""));
    assert_eq!((batch, timeout), (32, Duration::from_secs(30)));
    assert_eq!(unload_after, Duration::from_secs(600));
    assert_eq!(settings.context.budget_tokens, 4000);
    assert_eq!(
        settings.context.shares.values().sum::<usize>(),
        100,
        "nothing is lost, nothing is promised twice"
    );
    assert_eq!((settings.duties.lease, settings.duties.lanes), (Duration::from_secs(60), 2));
    assert_eq!(settings.host.idle_stop, Duration::from_secs(8 * 60 * 60));
    assert_eq!((settings.host.session_tokens, settings.host.prompt_tokens), (2000, 600));
    assert!(settings.host.file_messages);
    assert_eq!(settings.backup.at, "03:30");
    assert_eq!(settings.log.level, LogLevel::Info);
}

#[test]
fn the_heart_beats_by_the_standard_rules_and_goes_nowhere_unasked() {
    let HeartbeatSettings {
        enabled,
        rules,
        ladder,
        windows,
        grace,
        receipts_kept,
        channels,
        webhook_url,
        webhook_secret,
        command,
        file,
        afterthought,
        afterthought_wait,
        afterthought_wait_immediate,
        delivery_timeout,
        signals,
    } = Settings::default().heartbeat;
    assert_eq!(rules, Rules::standard(Zone::utc()));
    assert_eq!((ladder, windows), (Ladder::default(), Windows::default()));
    assert!(enabled);
    assert_eq!((grace, receipts_kept), (Duration::from_secs(2 * 3600), Duration::from_secs(90 * 86_400)));
    assert_eq!((channels, command), (vec!["list".to_owned()], Vec::<String>::new()));
    assert_eq!((webhook_url, webhook_secret, file, signals), (None, None, None, None));
    assert_eq!(delivery_timeout, Duration::from_secs(10));
    assert!(!afterthought);
    let waits = (afterthought_wait, afterthought_wait_immediate);
    assert_eq!(waits, (Duration::from_secs(120), Duration::from_secs(10)));
}

#[test]
fn nobody_thinks_unasked_and_whoever_is_asked_has_bounds() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let Settings { contemplation, thinker, lessons, agents, .. } = Settings::default();
    assert!(!contemplation.enabled && agents.is_empty());
    assert_eq!((contemplation.every, contemplation.family_every), (minutes(30), minutes(24 * 60)));
    assert_eq!((contemplation.streak, contemplation.fast_every), (3, minutes(15)));
    assert_eq!((contemplation.quiet, contemplation.retry), (minutes(3), minutes(1)));
    assert_eq!((contemplation.per_hour, contemplation.per_hour_all), (12, 120));
    assert_eq!((contemplation.active, contemplation.own_every), (None, None));
    assert_eq!((contemplation.budget_tokens, contemplation.max_tokens), (6000, 2000));
    assert_eq!(contemplation.seasoning_model, "qwen3:1.7b");
    assert_eq!(contemplation.seasoning_url, "http://127.0.0.1:11434");
    assert_eq!((contemplation.seasoning, contemplation.seasoning_timeout), (true, Duration::from_secs(8)));
    assert_eq!((contemplation.journal, contemplation.journal_folder), (true, None));
    assert_eq!(contemplation.work_lease, minutes(15));
    assert_eq!((thinker.kind, thinker.provider), (ThinkerKind::None, ThinkerProvider::Ollama));
    assert_eq!((thinker.model, thinker.url, thinker.key), (None, None, None));
    assert!(thinker.jobs.is_empty() && thinker.servers.is_empty() && thinker.command.is_empty());
    assert_eq!((thinker.webhook_url, thinker.webhook_secret), (None, None));
    assert_eq!((thinker.timeout, thinker.idle), (minutes(10), minutes(1)));
    assert_eq!((thinker.max_calls, thinker.max_bytes), (30, 4 << 20));
    assert_eq!((thinker.daily_tokens, thinker.daily_time), (200_000, minutes(120)));
    assert_eq!(thinker.lanes, 2);
    assert_eq!((lessons.every_episodes, lessons.batch, lessons.tries), (5, 20, 3));
    assert_eq!((lessons.same_overlap, lessons.reinforced), (0.8, 0.1));
    assert_eq!((lessons.thumbs_down, lessons.unhelpful), (0.05, 0.03));
    assert_eq!((lessons.half_life, lessons.floor), (minutes(60 * 24 * 60), 0.05));
    assert_eq!((lessons.proposed_confidence, lessons.proposed_occurrences), (0.9, 10));
    assert_eq!(lessons.proposed_days, 3);
    assert_eq!((lessons.injected, lessons.injected_confidence), (5, 0.3));
    assert_eq!((lessons.weight_confidence, lessons.weight_overlap), (0.4, 0.3));
    assert_eq!((lessons.weight_recency, lessons.weight_occurrences), (0.2, 0.1));
}

#[test]
fn the_shipped_file_is_a_settings_file_that_changes_nothing() {
    let resolved = Layers::new().file("default.toml", DEFAULT_TOML).unwrap().resolve().unwrap();
    assert_eq!(resolved.settings, Settings::default());
}

#[test]
fn every_key_is_read_into_its_field_by_every_layer() {
    for (key, written, change) in CHANGES {
        let mut expected = Settings::default();
        change(&mut expected);
        assert_ne!(expected, Settings::default(), "{key} is not changed by the table");
        let (section, name) = key.split_once('.').unwrap();
        let bare = serde_json::from_str::<String>(written).unwrap_or_else(|_| written.to_owned());
        let layers = [
            ("table", Layers::new().file("a.toml", &format!("[{section}]\n{name} = {written}"))),
            ("dotted", Layers::new().file("a.toml", &format!("{key} = {written}"))),
            ("json", Layers::new().file("a.json", &format!(r#"{{"{section}": {{"{name}": {written}}}}}"#))),
            ("env", Layers::new().env([(variable_of(key), &bare)])),
            ("flag", Layers::new().flag(key, &bare)),
        ];
        for (layer, layers) in layers {
            let resolved = layers.unwrap().resolve().unwrap();
            assert_eq!(resolved.settings, expected, "{key} by {layer}");
            let changed: Vec<_> =
                resolved.explain().into_iter().filter(|line| line.origin.to_string() != "default").collect();
            assert_eq!(changed.len(), 1, "{key} by {layer}");
            assert_eq!(changed[0].key, key, "{key} by {layer}");
        }
    }
}

#[test]
fn the_table_of_changes_knows_every_key() {
    let mut known: Vec<String> =
        resolve(Layers::new()).explain().iter().map(|line| line.key.clone()).collect();
    let tried: Vec<&str> = CHANGES.iter().map(|(key, _, _)| *key).collect();
    // Neither is anything without the other: they have a test of their own.
    known.retain(|key| !["server.tls_cert", "server.tls_key"].contains(&key.as_str()));
    assert_eq!(known, tried);
}

#[test]
fn a_certificate_and_its_key_are_named_together() {
    let said = |cert: &str, key: &str| {
        let layers = Layers::new().flag("server.tls_cert", cert).unwrap();
        layers.flag("server.tls_key", key).unwrap().resolve().map(|resolved| resolved.settings.server.tls)
    };
    let tls = said("cert.pem", "key.pem").unwrap().unwrap();
    assert_eq!((tls.cert.as_path(), tls.key.as_path()), (Path::new("cert.pem"), Path::new("key.pem")));
    assert_eq!(said("", "").unwrap(), None);
    let half = said("cert.pem", "").unwrap_err().to_string();
    assert!(half.contains("`server.tls_key`") && half.contains("the PEM file of the key"), "{half}");
    let half = said("", "key.pem").unwrap_err().to_string();
    assert!(half.contains("`server.tls_cert`") && half.contains("the PEM file of the certificate"), "{half}");
    for wrong in ["mind.example.org:443", "https://mind", "a b", "[::g]"] {
        let refused = Layers::new().flag("server.hosts", wrong).unwrap().resolve().unwrap_err().to_string();
        assert!(refused.contains("`server.hosts`") && refused.contains("without ports"), "{refused}");
    }
}

#[test]
fn a_later_layer_wins_whatever_the_order_of_the_calls() {
    let file = |layers: Layers| layers.file("a.toml", "server.workers = 2").unwrap();
    let env = |layers: Layers| layers.env([("SELFSAME_SERVER_WORKERS", "3")]).unwrap();
    let flag = |layers: Layers| layers.flag("server.workers", "4").unwrap();
    let cases = [
        (Layers::new(), 8, "default"),
        (file(Layers::new()), 2, "file a.toml:1"),
        (env(file(Layers::new())), 3, "environment SELFSAME_SERVER_WORKERS"),
        (file(env(Layers::new())), 3, "environment SELFSAME_SERVER_WORKERS"),
        (flag(env(file(Layers::new()))), 4, "flag --set server.workers"),
        (file(env(flag(Layers::new()))), 4, "flag --set server.workers"),
        (file(Layers::new()).file("b.toml", "\nserver.workers = 5").unwrap(), 5, "file b.toml:2"),
    ];
    for (layers, workers, origin) in cases {
        let resolved = resolve(layers);
        assert_eq!(resolved.settings.server.workers, workers, "{origin}");
        assert_eq!(resolved.origin("server.workers").unwrap().to_string(), origin);
        assert_eq!(resolved.settings.server.queue, 256, "{origin}");
    }
}

#[test]
fn explain_lists_every_key_with_value_and_origin() {
    let resolved = Layers::new()
        .file(
            "etc/selfsame.toml",
            "[server]\nworkers = 0x10\n\n[database]\nurl = 'postgres://app:pw@host/db'\n",
        )
        .unwrap()
        .file("more.json", r#"{"agent": {"name": "a \"b\""}, "recall": {"bm25_k1": 1.0}}"#)
        .unwrap()
        .env([
            ("SELFSAME_SERVER_ADDRESS", "0.0.0.0:80"),
            ("SELFSAME_SERVER_QUEUE", "007"),
            ("SELFSAME_EMBEDDER_KEY", "sk-123"),
        ])
        .unwrap()
        .flag("recall.bm25_b", "1")
        .unwrap();
    let lines: Vec<String> = resolve(resolved)
        .explain()
        .iter()
        .map(|line| format!("{} = {} ({})", line.key, line.value, line.origin))
        .collect();
    let expected = r#"
server.address = "0.0.0.0:80" (environment SELFSAME_SERVER_ADDRESS)
server.tls_cert = "" (default)
server.tls_key = "" (default)
server.hosts = "" (default)
server.insecure = false (default)
server.max_body_bytes = 1048576 (default)
server.workers = 16 (file etc/selfsame.toml:2)
server.queue = 7 (environment SELFSAME_SERVER_QUEUE)
server.max_connections = 4096 (default)
server.rate = 500 (default)
server.burst = 1000 (default)
server.max_streams = 2048 (default)
server.ping = "15s" (default)
database.url = "postgres://app:***@host/db" (file etc/selfsame.toml:5)
database.owner_url = "" (default)
database.statement_timeout = "30s" (default)
database.connections = 8 (default)
database.lock_wait = "5s" (default)
agent.name = "a \"b\"" (file more.json)
agent.zone = "UTC" (default)
memory.max_content_bytes = 262144 (default)
memory.mask_secrets = true (default)
link.open_for = "2m" (default)
link.batch = 200 (default)
inbox.max_pending = 1000 (default)
inbox.review_by_rules = true (default)
soul.max_entries = 64 (default)
soul.max_characters = 1000 (default)
recall.limit = 10 (default)
recall.posting_budget = 50000 (default)
recall.bm25_k1 = 1.0 (file more.json)
recall.bm25_b = 1.0 (flag --set recall.bm25_b)
recall.exact_up_to = 20000 (default)
recall.vector_memory_bytes = 1073741824 (default)
embedder.kind = "auto" (default)
embedder.model = "" (default)
embedder.url = "" (default)
embedder.key = "***" (environment SELFSAME_EMBEDDER_KEY)
embedder.question_prefix = "" (default)
embedder.text_prefix = "" (default)
embedder.batch = 32 (default)
embedder.timeout = "30s" (default)
embedder.unload_after = "10m" (default)
context.budget_tokens = 4000 (default)
context.share_observations = 10 (default)
context.share_lessons = 10 (default)
context.share_memories = 25 (default)
context.share_summaries = 5 (default)
context.share_people = 5 (default)
context.share_conversation = 25 (default)
context.share_diary = 5 (default)
context.share_todos = 5 (default)
context.share_calendar = 5 (default)
context.share_nudges = 5 (default)
knowledge.injected = 8 (default)
heartbeat.enabled = true (default)
heartbeat.autonomy = "suggest" (default)
heartbeat.threshold_observe = 20 (default)
heartbeat.threshold_suggest = 12 (default)
heartbeat.threshold_act = 8 (default)
heartbeat.cooldown_observe_low = "8h" (default)
heartbeat.cooldown_observe_normal = "4h" (default)
heartbeat.cooldown_observe_elevated = "2h" (default)
heartbeat.cooldown_suggest_low = "4h" (default)
heartbeat.cooldown_suggest_normal = "2h" (default)
heartbeat.cooldown_suggest_elevated = "30m" (default)
heartbeat.cooldown_act_low = "30m" (default)
heartbeat.cooldown_act_normal = "10m" (default)
heartbeat.cooldown_act_elevated = "5m" (default)
heartbeat.max_silence = "24h" (default)
heartbeat.quiet_from = "23:00" (default)
heartbeat.morning_from = "07:00" (default)
heartbeat.working_from = "10:00" (default)
heartbeat.evening_from = "17:00" (default)
heartbeat.late_night_from = "21:00" (default)
heartbeat.morning_least = "low" (default)
heartbeat.working_least = "low" (default)
heartbeat.evening_least = "normal" (default)
heartbeat.late_night_least = "elevated" (default)
heartbeat.quiet_factor = 10.0 (default)
heartbeat.morning_factor = 0.5 (default)
heartbeat.working_factor = 1.0 (default)
heartbeat.evening_factor = 1.5 (default)
heartbeat.late_night_factor = 3.0 (default)
heartbeat.deadline_window = "24h" (default)
heartbeat.deadline_first = "24h" (default)
heartbeat.deadline_second = "4h" (default)
heartbeat.deadline_third = "1h" (default)
heartbeat.overdue_every = "24h" (default)
heartbeat.continuity_after = "15m" (default)
heartbeat.continuity_within = "12h" (default)
heartbeat.velocity_within = "24h" (default)
heartbeat.pending_touched = "7d" (default)
heartbeat.pending_due = "14d" (default)
heartbeat.stalled_after = "7d" (default)
heartbeat.at_risk_within = "14d" (default)
heartbeat.question_after = "1h" (default)
heartbeat.silent_after = "7d" (default)
heartbeat.silent_due = "14d" (default)
heartbeat.conversation = "15m" (default)
heartbeat.velocity = 5 (default)
heartbeat.critical = "1h" (default)
heartbeat.first_contact_memories = 5 (default)
heartbeat.first_contact_every = "24h" (default)
heartbeat.first_contact_most = 3 (default)
heartbeat.responses_last = 20 (default)
heartbeat.responses_within = "30d" (default)
heartbeat.responses_least = 5 (default)
heartbeat.ignored_below = 0.1 (default)
heartbeat.ignored_factor = 10.0 (default)
heartbeat.selective_below = 0.3 (default)
heartbeat.selective_factor = 3.0 (default)
heartbeat.answer_within = "30m" (default)
heartbeat.base = "5m" (default)
heartbeat.shortest = "1m" (default)
heartbeat.longest = "6h" (default)
heartbeat.grace = "2h" (default)
heartbeat.receipts_kept = "90d" (default)
heartbeat.channels = "list" (default)
heartbeat.webhook_url = "" (default)
heartbeat.webhook_secret = "" (default)
heartbeat.command = "" (default)
heartbeat.file = "" (default)
heartbeat.afterthought = false (default)
heartbeat.afterthought_wait = "2m" (default)
heartbeat.afterthought_wait_immediate = "10s" (default)
heartbeat.delivery_timeout = "10s" (default)
heartbeat.signals = "" (default)
contemplation.enabled = false (default)
contemplation.every = "30m" (default)
contemplation.family_every = "24h" (default)
contemplation.streak = 3 (default)
contemplation.fast_every = "15m" (default)
contemplation.quiet = "3m" (default)
contemplation.retry = "1m" (default)
contemplation.per_hour = 12 (default)
contemplation.per_hour_all = 120 (default)
contemplation.active_start = "" (default)
contemplation.active_end = "" (default)
contemplation.budget_tokens = 6000 (default)
contemplation.max_tokens = 2000 (default)
contemplation.seasoning = true (default)
contemplation.seasoning_model = "qwen3:1.7b" (default)
contemplation.seasoning_url = "http://127.0.0.1:11434" (default)
contemplation.seasoning_timeout = "8s" (default)
contemplation.journal = true (default)
contemplation.journal_folder = "" (default)
contemplation.work_lease = "15m" (default)
thinker.kind = "none" (default)
thinker.contemplate = "" (default)
thinker.review_inbox = "" (default)
thinker.extract_lessons = "" (default)
thinker.summarize = "" (default)
thinker.phrase_claim = "" (default)
thinker.phrase_nudge = "" (default)
thinker.provider = "ollama" (default)
thinker.model = "" (default)
thinker.url = "" (default)
thinker.key = "" (default)
thinker.command = "" (default)
thinker.webhook_url = "" (default)
thinker.webhook_secret = "" (default)
thinker.timeout = "10m" (default)
thinker.idle = "60s" (default)
thinker.max_calls = 30 (default)
thinker.max_bytes = 4194304 (default)
thinker.daily_tokens = 200000 (default)
thinker.daily_time = "2h" (default)
thinker.lanes = 2 (default)
lessons.every_episodes = 5 (default)
lessons.batch = 20 (default)
lessons.tries = 3 (default)
lessons.same_overlap = 0.8 (default)
lessons.reinforced = 0.1 (default)
lessons.thumbs_down = 0.05 (default)
lessons.unhelpful = 0.03 (default)
lessons.half_life = "60d" (default)
lessons.floor = 0.05 (default)
lessons.proposed_confidence = 0.9 (default)
lessons.proposed_occurrences = 10 (default)
lessons.proposed_days = 3 (default)
lessons.injected = 5 (default)
lessons.injected_confidence = 0.3 (default)
lessons.weight_confidence = 0.4 (default)
lessons.weight_overlap = 0.3 (default)
lessons.weight_recency = 0.2 (default)
lessons.weight_occurrences = 0.1 (default)
duties.lease = "60s" (default)
duties.lanes = 2 (default)
conversation.advise_archival_at = 1000 (default)
host.idle_stop = "8h" (default)
host.session_tokens = 2000 (default)
host.prompt_tokens = 600 (default)
host.file_messages = true (default)
self_care.ceiling_tokens = 100000 (default)
self_care.after_tokens = 50000 (default)
self_care.least = 30 (default)
self_care.least_focused = 5 (default)
self_care.batch = 500 (default)
self_care.recent_messages = 20 (default)
self_care.active_within = "15m" (default)
self_care.summary_tokens = 1500 (default)
self_care.window_tokens = 24000 (default)
self_care.facts = 200 (default)
self_care.lease = "30m" (default)
backup.at = "03:30" (default)
log.level = "info" (default)"#;
    assert_eq!(lines.join("\n"), expected.trim_start());
}

#[test]
fn passwords_are_never_shown() {
    let cases = [
        ("postgres://app:secret@host/db", "postgres://app:***@host/db"),
        ("postgres://app@host:5432/db", "postgres://app@host:5432/db"),
        ("postgres://host/db", "postgres://host/db"),
        ("postgres://:secret@host", "postgres://:***@host"),
        ("postgres://app:sec/ret@host/db", "postgres://app:***@host/db"),
        ("postgres://app:sec@ret@host/db", "postgres://app:***@host/db"),
        ("postgres://app:sec?ret@host/db?a=b", "postgres://app:***@host/db?a=b"),
        ("postgres://app@host/db?password=secret&a=b", "postgres://app@host/db?password=***&a=b"),
        ("postgres://app@host/db?password=sec@ret", "postgres://app@host/db?password=***"),
        ("postgres://app@host/db?a=b&sslPassword=secret", "postgres://app@host/db?a=b&sslPassword=***"),
        ("postgres://app@host/db?p%61ssword=secret", "postgres://app@host/db?p%61ssword=***"),
    ];
    for (url, shown) in cases {
        let layers = Layers::new().flag("database.url", url).unwrap();
        assert!(!format!("{layers:?}").contains("sec"), "{url}");
        let resolved = resolve(layers);
        let explained = resolved.explain().into_iter().find(|one| one.key == "database.url").unwrap();
        assert_eq!(explained.value, format!("\"{shown}\""));
        assert!(!format!("{resolved:?}").contains("=sec"), "{url}");
        assert!(!format!("{resolved:?}").contains(":sec"), "{url}");
        let held = resolved.settings.database.url.unwrap();
        assert_eq!((held.reveal(), held.to_string().as_str()), (url, shown));
    }
}

/// A webhook's secret is one whatever it looks like, and so is all of its address that comes after the host.
#[test]
fn what_a_webhook_is_reached_and_signed_with_is_never_shown() {
    let cases = [
        ("heartbeat.webhook_secret", "hush", "***"),
        ("heartbeat.webhook_secret", "a://hush", "***"),
        ("heartbeat.webhook_url", "https://a.example/hush", "https://a.example/***"),
        ("heartbeat.webhook_url", "https://a.example:8443?t=hush", "https://a.example:8443/***"),
        ("heartbeat.webhook_url", "https://hush@a.example/x", "***"),
        ("embedder.key", "sk://hush", "***"),
    ];
    for (key, given, shown) in cases {
        let resolved = resolve(Layers::new().flag(key, given).unwrap());
        let line = resolved.explain().into_iter().find(|line| line.key == key).unwrap();
        assert_eq!(line.value, format!("\"{shown}\""));
        assert!(!format!("{resolved:?}").contains("hush"), "{given}");
    }
    let message =
        error(Layers::new().flag("heartbeat.webhook_url", "ftp://a.example/hush").unwrap().resolve());
    let expected = r#"expected "" for none, or a URL such as "https://example.org/hooks/nudges""#;
    assert_eq!(
        message,
        format!(
            "`heartbeat.webhook_url` cannot be \"ftp://a.example/***\" (flag --set heartbeat.webhook_url): {expected}"
        )
    );
    let message = error(Layers::new().flag("heartbeat.webhook_secret", "hu\u{7}sh").unwrap().resolve());
    assert!(message.starts_with("`heartbeat.webhook_secret` cannot be \"***\""), "{message}");
}

#[test]
fn passwords_are_not_shown_in_errors() {
    let expected = r#"expected "" for none, or a URL such as "postgres://user:password@host/database""#;
    let cases = [
        ("mysql://app:secret@host/db", "\"mysql://app:***@host/db\""),
        ("host=h password=secret", "\"***\""),
        ("postgres://", "\"postgres://\""),
    ];
    for (url, shown) in cases {
        let error = Layers::new().env([("SELFSAME_DATABASE_URL", url)]).unwrap().resolve().unwrap_err();
        let message =
            format!("`database.url` cannot be {shown} (environment SELFSAME_DATABASE_URL): {expected}");
        assert_eq!(error.to_string(), message);
    }
    let broken = Layers::new().file("a.toml", "database.url = 'postgres://app:secret@h").unwrap_err();
    assert!(!format!("{broken} {broken:?}").contains("secret"), "{broken:?}");
}

#[test]
fn mistakes_in_files_name_the_place_and_the_way_out() {
    #[rustfmt::skip]
    let cases = [
        // Unknown keys: near ones, right ones in the wrong section, none near.
        ("a.toml", "[server]\n\nadress = 'x'",
            "unknown setting `server.adress` (file a.toml:3): did you mean `server.address`?"),
        ("a.toml", "[sevrer]\naddress = 'x'",
            "unknown setting `sevrer.address` (file a.toml:2): did you mean `server.address`?"),
        ("a.toml", "limit = 3",
            "unknown setting `limit` (file a.toml:1): did you mean `recall.limit`?"),
        ("a.toml", "[log]\ncolour_of_the_sky = 3",
            "unknown setting `log.colour_of_the_sky` (file a.toml:2): the settings of [log] are log.level"),
        ("a.toml", "colour_of_the_sky = 3",
            "unknown setting `colour_of_the_sky` (file a.toml:1): \
             the sections are server, database, agent, memory, link, inbox, soul, recall, embedder, context, knowledge, heartbeat, contemplation, thinker, lessons, duties, conversation, host, self_care, backup, log, agents"),
        ("a.toml", "\n[colour_of_the_sky]",
            "unknown setting `colour_of_the_sky` (file a.toml:2): \
             the sections are server, database, agent, memory, link, inbox, soul, recall, embedder, context, knowledge, heartbeat, contemplation, thinker, lessons, duties, conversation, host, self_care, backup, log, agents"),
        ("a.json", r#"{"server": {"adress": null}}"#,
            "unknown setting `server.adress` (file a.json): did you mean `server.address`?"),
        // Of two mistakes the first one, by line.
        ("a.toml", "[server]\nqueues = 1\nadress = 2",
            "unknown setting `server.queues` (file a.toml:2): did you mean `server.queue`?"),
        // Sections and settings in each other's place.
        ("a.toml", "server = 5",
            "`server` is a section, not a setting (file a.toml:1): give its settings, such as `server.address`"),
        ("a.toml", "[[server]]\nworkers = 3",
            "`server` is a section, not a setting (file a.toml:1): give its settings, such as `server.address`"),
        ("a.json", r#"{"log": null}"#,
            "`log` is a section, not a setting (file a.json): give its settings, such as `log.level`"),
        ("a.toml", "server.workers.most = 3",
            "`server.workers` cannot be a table (file a.toml:1): \
             expected a whole number from 1 to 1024, such as 8"),
        // Twice.
        ("a.toml", "[server]\nworkers = 3\nworkers = 3",
            "`workers` is given twice (file a.toml:3): keep one of them"),
        ("a.toml", "[server]\nworkers = 3\n[log]\n[server]\nqueue = 1",
            "`server` is given twice (file a.toml:4): keep one of them"),
        ("a.toml", "'server.workers' = 3\n[server]\nworkers = 4",
            "`server.workers` is given twice (file a.toml:3): keep one of them"),
        ("a.json", "{\"server\": {\"workers\": 3,\n \"workers\": 3}}",
            "`workers` is given twice (file a.json:2): keep one of them"),
        ("a.json", "{\"log\": {},\n\"server\": {},\n\"log\": {}}",
            "`log` is given twice (file a.json:3): keep one of them"),
        // Not the format.
        ("a.toml", "[server]\nworkers 3",
            "file a.toml:2 is not valid TOML: key with no value, expected `=`"),
        ("a.toml", r#"{"server": {"workers": 3}}"#,
            "file a.toml:1 is not valid TOML: invalid key-value pair, expected key"),
        ("a.json", "{\"server\":\n {\"workers\": 3,}}",
            "file a.json:2 is not valid JSON: trailing comma"),
        ("a.json", "[server]",
            "file a.json:1 is not valid JSON: expected value"),
        ("a.json", "",
            "file a.json:1 is not valid JSON: EOF while parsing a value"),
        ("a.json", "[1]",
            r#"file a.json is not valid JSON: expected an object of sections, such as {"server": {"workers": 8}}"#),
    ];
    for (name, text, message) in cases {
        assert_eq!(error(Layers::new().file(name, text).and_then(Layers::resolve)), message, "{text}");
    }
}

#[test]
fn mistakes_in_variables_and_flags_name_the_way_out() {
    let variables = [
        ("SELFSAME_SERVER_ADRESS", "did you mean SELFSAME_SERVER_ADDRESS?"),
        ("SELFSAME_DATABASE_OWNERURL", "did you mean SELFSAME_DATABASE_OWNER_URL?"),
        ("SELFSAME_DATAA", "did you mean SELFSAME_DATA?"),
        (
            "SELFSAME_COLOUR_OF_THE_SKY",
            "settings are named SELFSAME_<SECTION>_<KEY>, such as SELFSAME_SERVER_ADDRESS",
        ),
    ];
    for (name, hint) in variables {
        let message = format!("unknown environment variable {name}: {hint}");
        assert_eq!(error(Layers::new().env([(name, "x")])), message);
    }
    let twice = [("SELFSAME_LOG_LEVEL", "info"), ("SELFSAME_LOG_LEVEL", "warn")];
    let message = "`log.level` is given twice (environment SELFSAME_LOG_LEVEL): keep one of them";
    assert_eq!(error(Layers::new().env(twice)), message);

    let message =
        "unknown setting `server.adress` (flag --set server.adress): did you mean `server.address`?";
    assert_eq!(error(Layers::new().flag("server.adress", "x")), message);
    let twice = Layers::new().flag("log.level", "info").unwrap().flag("log.level", "info");
    assert_eq!(error(twice), "`log.level` is given twice (flag --set log.level): keep one of them");
}

#[test]
fn variables_that_are_no_settings_are_passed_over() {
    let others = ["PATH", "SELFSAME", "XSELFSAME_SERVER_ADRESS", "SELFSAME_TEST_POSTGRES", "SELFSAME_TEST_"];
    let pairs = others.into_iter().chain(RESERVED_VARIABLES).map(|name| (name, "x"));
    assert_eq!(resolve(Layers::new().env(pairs).unwrap()).settings, Settings::default());
    // None of them may be the variable of a setting, which would then be out of reach.
    for line in resolve(Layers::new()).explain() {
        assert!(!RESERVED_VARIABLES.contains(&variable_of(&line.key).as_str()), "{}", line.key);
    }
}

#[test]
fn values_that_do_not_fit_say_what_would() {
    let address = r#"an IP address and a port, such as "127.0.0.1:4177""#;
    let count = "a whole number from 1 to 1024, such as 8";
    let timeout = r#"a duration with a unit, from 1ms to 24h, such as "30s""#;
    let url = r#""" for none, or a URL such as "postgres://user:password@host/database""#;
    let name = r#"a name without blanks around it or control characters, such as "main""#;
    let zone = r#"the IANA name of a time zone, such as "Europe/Berlin""#;
    let level = r#"one of "error", "warn", "info", "debug", "trace""#;
    // Key, what would fit, values as written in TOML that do not.
    #[rustfmt::skip]
    let cases: [(&str, &str, &[&str]); 74] = [
        ("server.address", address, &[r#""localhost:80""#, r#""127.0.0.1""#, "4177"]),
        ("server.max_body_bytes", "a whole number from 1 to 1073741824, such as 1048576", &["0", "1073741825"]),
        ("server.workers", count, &["0", "-1", "1025", "8.0", r#""8""#, "true", "9999999999999999999"]),
        ("server.queue", "a whole number from 1 to 65536, such as 256", &["0", "65537"]),
        ("server.max_connections", "a whole number from 1 to 65536, such as 4096", &["0", "65537"]),
        ("server.rate", "a whole number from 0 to 1000000, such as 500", &["-1", "1000001"]),
        ("server.burst", "a whole number from 1 to 1000000, such as 1000", &["0", "1000001"]),
        ("server.max_streams", "a whole number from 1 to 65536, such as 2048", &["0", "65537"]),
        ("server.ping", r#"a duration with a unit, from 1ms to 1h, such as "15s""#, &[r#""0s""#, r#""2h""#, "15"]),
        ("database.url", url, &["5"]),
        ("database.owner_url", url, &["false"]),
        ("database.statement_timeout", timeout, &[r#""30""#, "30", r#""0s""#, r#""25h""#, r#""soon""#]),
        ("database.connections", count, &["0", "1025"]),
        ("database.lock_wait", r#"a duration with a unit, up to 1h, such as "5s""#, &["5", r#""2h""#]),
        ("agent.name", name, &[r#""""#, r#"" a""#, r#""a ""#, r#""a\nb""#, "7"]),
        ("agent.zone", zone, &[r#""""#, r#""Europe Berlin""#, "1"]),
        ("memory.max_content_bytes", "a whole number from 1 to 1073741824, such as 262144", &["0", "1073741825"]),
        ("memory.mask_secrets", "true or false", &["1", r#""on""#]),
        ("link.open_for", r#"a duration with a unit, from 1s to 1h, such as "2m""#, &["120", r#""0s""#, r#""2h""#]),
        ("link.batch", "a whole number from 1 to 10000, such as 200", &["0", "10001"]),
        ("inbox.max_pending", "a whole number from 1 to 1000000, such as 1000", &["0", "1000001", "true"]),
        ("host.idle_stop", r#"a duration with a unit, from 1s to 365d, such as "8h""#, &["8", r#""0s""#]),
        ("host.prompt_tokens", "a whole number from 1 to 1000000, such as 600", &["0", "1000001"]),
        ("inbox.review_by_rules", "true or false", &["1", r#""yes""#]),
        ("soul.max_entries", "a whole number from 1 to 1000, such as 64", &["0", "1001"]),
        ("soul.max_characters", "a whole number from 1 to 10000, such as 1000", &["0", "10001"]),
        ("recall.limit", "a whole number from 1 to 1000, such as 10", &["0", "1001"]),
        ("recall.posting_budget", "a whole number from 1 to 10000000, such as 50000", &["0", "10000001"]),
        ("recall.bm25_k1", "a number from 0 to 10, such as 0.9", &["-0.1", "10.5", "inf"]),
        ("recall.bm25_b", "a number from 0 to 1, such as 0.4", &["1.01", "-1", r#""0.4""#, "-inf"]),
        ("recall.exact_up_to", "a whole number from 1 to 10000000, such as 20000", &["0"]),
        ("embedder.kind", r#"one of "auto", "none", "local", "ollama", "openai""#, &[r#""Auto""#, "1"]),
        ("embedder.url", r#""" for the usual place, or a URL such as "http://127.0.0.1:11434""#, &[r#""ftp://x""#, r#""http://""#]),
        ("embedder.model", r#""" for none, or a text without control characters"#, &[r#""a\u0007""#]),
        ("context.budget_tokens", "a whole number from 1 to 1000000, such as 4000", &["0", "1000001"]),
        ("context.share_memories", "a whole number from 0 to 100, such as 25", &["-1", "101"]),
        ("knowledge.injected", "a whole number from 0 to 100, such as 8", &["-1", "101"]),
        ("heartbeat.enabled", "true or false", &["1", r#""yes""#]),
        ("heartbeat.autonomy", r#"one of "observe", "suggest", "act""#, &[r#""Act""#, "1"]),
        ("heartbeat.threshold_act", "a whole number from 1 to 1000, such as 8", &["0", "1001", "8.5"]),
        ("heartbeat.cooldown_act_low", r#"a duration with a unit, from 1s to 30d, such as "30m""#, &["30", r#""0s""#, r#""31d""#]),
        ("heartbeat.quiet_from", r#"a time of day, such as "23:00""#, &[r#""24:00""#, r#""11pm""#, "23"]),
        ("heartbeat.quiet_factor", "a number from 0.01 to 1000, such as 10.0", &["0", "1000.5", "-1", r#""10""#]),
        ("heartbeat.velocity", "a whole number from 1 to 100, such as 5", &["0", "101"]),
        ("heartbeat.silent_due", r#"a duration with a unit, from 1s to 366d, such as "14d""#, &["14", r#""0s""#, r#""367d""#]),
        ("heartbeat.responses_within", r#"a duration with a unit, from 1h to 366d, such as "30d""#, &[r#""30m""#]),
        ("heartbeat.ignored_below", "a number from 0 to 1, such as 0.1", &["1.5", "-0.5"]),
        ("heartbeat.grace", r#"a duration with a unit, from 1m to 7d, such as "2h""#, &[r#""1s""#, r#""8d""#]),
        ("heartbeat.receipts_kept", r#"a duration with a unit, from 1d to 3650d, such as "90d""#, &[r#""1h""#]),
        ("heartbeat.channels", r#"names of channels with commas, out of list, webhook, command, file, such as "list""#, &[r#""list, pigeon""#, "1"]),
        ("heartbeat.command", r#""" for none, or a JSON list of a program and its arguments, such as '["/usr/bin/logger", "-t", "selfsame"]'"#, &[r#""/bin/cat""#, r#""[]""#, "7"]),
        ("heartbeat.file", r#""" for none, or a text without control characters"#, &[r#""a\u0007""#]),
        ("heartbeat.afterthought_wait", r#"a duration with a unit, from 1s to 1h, such as "2m""#, &[r#""0s""#, r#""2h""#]),
        ("heartbeat.afterthought_wait_immediate", r#"a duration with a unit, up to 1m, such as "10s""#, &[r#""61s""#, "10"]),
        ("heartbeat.delivery_timeout", r#"a duration with a unit, from 1s to 5m, such as "10s""#, &[r#""6m""#, r#""10""#]),
        ("contemplation.every", r#"a duration with a unit, from 1m to 30d, such as "30m""#, &["30", r#""30""#, r#""59s""#, r#""31d""#]),
        ("contemplation.quiet", r#"a duration with a unit, up to 24h, such as "3m""#, &["180000", r#""25h""#]),
        ("contemplation.retry", r#"a duration with a unit, from 1s to 1h, such as "1m""#, &[r#""0s""#, r#""2h""#]),
        ("contemplation.per_hour", "a whole number from 1 to 1000, such as 12", &["0", "1001"]),
        ("contemplation.active_start", r#""" for none, or a time of day such as "08:00""#, &[r#""8am""#, r#""24:00""#, "8"]),
        ("contemplation.budget_tokens", "a whole number from 500 to 1000000, such as 6000", &["499", "1000001"]),
        ("contemplation.seasoning_model", r#"a text without control characters, such as "qwen3:1.7b""#, &[r#""""#, "1"]),
        ("contemplation.seasoning_url", r#"a URL, such as "http://127.0.0.1:11434""#, &[r#""""#, r#""ftp://x""#]),
        ("contemplation.work_lease", r#"a duration with a unit, from 1m to 24h, such as "15m""#, &[r#""59s""#, r#""25h""#]),
        ("thinker.kind", r#"one of "none", "model", "command", "webhook", "agent""#, &[r#""""#, r#""Model""#, "1"]),
        ("thinker.summarize", r#"one of "none", "model", "command", "webhook", "agent""#, &[r#""Model""#, "1"]),
        ("thinker.provider", r#"one of "ollama", "openai", "anthropic", "gemini""#, &[r#""""#, r#""OpenAI""#]),
        ("thinker.timeout", r#"a duration with a unit, from 1s to 1h, such as "10m""#, &["600", r#""2h""#]),
        ("thinker.daily_tokens", "a whole number from 0 to 1000000000, such as 200000", &["-1", "1000000001"]),
        ("thinker.lanes", "a whole number from 1 to 64, such as 2", &["0", "65"]),
        ("lessons.batch", "a whole number from 1 to 1000, such as 20", &["0", "1001"]),
        ("lessons.half_life", r#"a duration with a unit, from 1d to 3650d, such as "60d""#, &["60", r#""1h""#]),
        ("lessons.floor", "a number from 0 to 1, such as 0.05", &["-0.1", "1.1"]),
        ("log.level", level, &[r#""Info""#, r#""""#, "3"]),
    ];
    for (key, expected, values) in cases {
        for written in values {
            let text = format!("\n{key} = {written}");
            let message = format!("`{key}` cannot be {written} (file a.toml:2): expected {expected}");
            assert_eq!(error(Layers::new().file("a.toml", &text).and_then(Layers::resolve)), message);
        }
    }
    // What is not shown as it was written.
    let cases = [
        ("server.workers = [8, 9]", "`server.workers` cannot be a list"),
        ("server.workers = 2020-01-01", "`server.workers` cannot be 2020-01-01"),
        ("recall.bm25_b = +nan", "`recall.bm25_b` cannot be NaN"),
        ("log.level = 'a\"'", r#"`log.level` cannot be "a\"""#),
        ("database.owner_url = 'sqlite'", "`database.owner_url` cannot be \"***\""),
    ];
    for (text, beginning) in cases {
        let message = error(Layers::new().file("a.toml", text).and_then(Layers::resolve));
        assert!(message.starts_with(&format!("{beginning} (file a.toml:1)")), "{message}");
    }
}

#[test]
fn the_shares_of_a_context_are_parts_of_one_whole() {
    let sum = |text: &str| Layers::new().file("a.toml", text).and_then(Layers::resolve);
    let message = error(sum("[context]\nshare_diary = 6\nshare_todos = 4\nshare_people = 7"));
    assert_eq!(
        message,
        "`context.share_people` cannot be 7 (file a.toml:4): expected shares of [context] that sum to at most 100, not 102"
    );
    let less = sum("[context]\nshare_diary = 10\nshare_todos = 0").unwrap().settings.context.shares;
    assert_eq!((less[&SectionKind::Diary], less.values().sum::<usize>()), (10, 100));
}

#[test]
fn the_rungs_of_a_ladder_come_one_after_the_other() {
    let set = |text: &str| Layers::new().file("a.toml", text).and_then(Layers::resolve);
    let expected = "expected rungs of which each is nearer to the deadline than the one before";
    for (text, to_blame) in [
        (
            "heartbeat.deadline_second = '24h'",
            "`heartbeat.deadline_second` cannot be \"24h\" (file a.toml:1)",
        ),
        ("heartbeat.deadline_third = '5h'", "`heartbeat.deadline_third` cannot be \"5h\" (file a.toml:1)"),
        ("heartbeat.deadline_first = '2h'", "`heartbeat.deadline_first` cannot be \"2h\" (file a.toml:1)"),
    ] {
        assert_eq!(error(set(text)), format!("{to_blame}: {expected}"));
    }
    assert_eq!(
        set("heartbeat.deadline_first = '5h'").unwrap().settings.heartbeat.ladder.before[0].as_secs(),
        18_000
    );
}

#[test]
fn a_bad_value_is_found_in_every_layer_and_behind_a_later_one() {
    let expected = "expected a whole number from 1 to 1024, such as 8";
    let by_file = Layers::new().file("a.json", r#"{"server": {"workers": null}}"#).unwrap();
    let by_env = Layers::new().env([("SELFSAME_SERVER_WORKERS", "")]).unwrap();
    let by_flag = Layers::new().flag("server.workers", "eight").unwrap();
    let huge = Layers::new().file("a.json", r#"{"server": {"workers": 18446744073709551615}}"#).unwrap();
    let cases = [
        (by_file.clone(), "null (file a.json)"),
        (by_file.flag("server.workers", "3").unwrap(), "null (file a.json)"),
        (by_env.clone(), "\"\" (environment SELFSAME_SERVER_WORKERS)"),
        (by_env.flag("server.workers", "3").unwrap(), "\"\" (environment SELFSAME_SERVER_WORKERS)"),
        (by_flag, "\"eight\" (flag --set server.workers)"),
        (huge, "18446744073709551615 (file a.json)"),
    ];
    for (layers, given) in cases {
        let message = format!("`server.workers` cannot be {given}: {expected}");
        assert_eq!(error(layers.resolve()), message);
    }
}

#[test]
fn harmless_files_are_taken() {
    let cases = [
        ("a.toml", ""),
        ("a.toml", "# nothing yet\n[server]\n[log]\n"),
        ("a.toml", "\u{feff}[server]\nworkers = 8\n"),
        ("a.toml", "[server]\r\nworkers = 8\r\n"),
        ("a.toml", "server = { workers = 8 }"),
        ("a", "server.workers = 8"),
        ("a.json", "{}"),
        ("A.JSON", "\u{feff}{\"server\": {}}"),
    ];
    for (name, text) in cases {
        let resolved = resolve(Layers::new().file(name, text).unwrap());
        assert_eq!(resolved.settings, Settings::default(), "{text:?}");
    }
}

#[track_caller]
fn resolve(layers: Layers) -> Resolved {
    layers.resolve().expect("the layers resolve")
}

#[track_caller]
fn error<T: std::fmt::Debug>(result: Result<T, ConfigError>) -> String {
    result.expect_err("a mistake is refused").to_string()
}
