//! Whether a house is ready, and what is wrong with it.

use selfsame_core::contemplation::{WorkKind, WorkState, keeps_from_thinking};
use selfsame_core::duty::Health;
use selfsame_core::id::{DutyId, Id};
use selfsame_core::readiness::{
    AgentFound, DutyCounts, DutyFound, Found, HeartCounts, Readiness, ThinkingCounts, troubles,
};
use selfsame_core::time::Time;

fn duty(kind: &str, health: Health, last_error: Option<&str>) -> DutyFound {
    DutyFound {
        id: DutyId::of(Id::NIL),
        kind: kind.into(),
        health,
        next_at: Time::from_micros(1_900_000_000_000_000),
        last_error: last_error.map(str::to_owned),
    }
}

fn agent(name: &str, hearts: (u64, u64), thinking: (u64, u64)) -> AgentFound {
    AgentFound {
        name: name.into(),
        hearts: HeartCounts { failing: hearts.0, missed: hearts.1 },
        thinking: ThinkingCounts { dead: thinking.0, parked: thinking.1 },
    }
}

#[test]
fn one_duty_behind_its_time_is_enough() {
    let of = |healths: &[Health]| healths.iter().copied().collect::<DutyCounts>();
    assert_eq!(of(&[]).readiness(), Readiness::Ready);
    assert_eq!(of(&[Health::Fine, Health::Fine]).readiness(), Readiness::Ready);
    for wrong in [Health::Late, Health::Dead] {
        assert_eq!(of(&[Health::Fine, wrong]).readiness(), Readiness::Degraded, "{wrong:?}");
    }
    let mixed = of(&[Health::Late, Health::Fine, Health::Dead, Health::Dead]);
    assert_eq!(mixed, DutyCounts { all: 4, late: 1, dead: 2 });
    let words: Vec<&str> = Readiness::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(words, ["ready", "degraded"]);
}

#[test]
fn what_is_well_is_not_spoken_of() {
    let found = Found {
        duties: vec![duty("sweep", Health::Fine, Some("it failed once, and was done since"))],
        model: None,
        agents: vec![agent("main", (0, 0), (0, 0))],
    };
    assert_eq!(troubles(&found), Vec::<String>::new());
}

#[test]
fn each_trouble_says_what_to_do() {
    let found = Found {
        duties: vec![
            duty("sweep", Health::Dead, Some("the broom is broken")),
            duty("decay", Health::Late, None),
            duty("backup", Health::Fine, None),
        ],
        model: Some(("small".into(), "no answer for 5 s".into())),
        agents: vec![
            agent("main", (1, 0), (0, 2)),
            agent("second", (0, 0), (0, 0)),
            agent("third", (2, 3), (1, 1)),
        ],
    };
    assert_eq!(
        troubles(&found),
        [
            "duty sweep was given up (the broom is broken): `selfsame duty requeue dut_00000000000000000000000000` tries again",
            "duty decay is late since 2030-03-17T17:46:40Z",
            "the model small does not answer: no answer for 5 s",
            "agent main: 1 heart fails (`selfsame heartbeat status` says why)",
            "agent main: 2 thoughts wait for another day's budget (`selfsame work list` says why)",
            "agent third: 2 hearts fail (`selfsame heartbeat status` says why), 3 reminders missed in 7 days (`selfsame nudge list` has them)",
            "agent third: 1 thought given up in 7 days, 1 thought waits for another day's budget (`selfsame work list` says why)",
        ]
    );
}

#[test]
fn work_is_open_until_it_is_done_given_up_or_not_wanted() {
    let open: Vec<&str> =
        WorkState::ALL.iter().filter(|state| state.is_open()).map(|state| state.as_str()).collect();
    assert_eq!(open, ["ready", "leased", "parked"]);
}

#[test]
fn only_other_work_that_waits_and_is_young_keeps_from_thinking() {
    let (since, later) = (Time::from_micros(1_000), Time::from_micros(1_001));
    for &kind in WorkKind::ALL {
        for &state in WorkState::ALL {
            let keeps = keeps_from_thinking(kind, state, later, since);
            assert_eq!(
                keeps,
                kind != WorkKind::Contemplate && state == WorkState::Ready,
                "{kind:?} {state:?}"
            );
            assert!(!keeps_from_thinking(kind, state, since, since), "it is old: {kind:?} {state:?}");
        }
    }
}
