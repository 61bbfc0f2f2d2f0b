//! Who may say what, and when.

use selfsame_core::conversation::{Role, RoleProblem, TimeProblem, agents_channel, said_at, voice};
use selfsame_core::id::{AgentId, Id, PrincipalId};
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller, Privacy, Provenance};

fn maya() -> PrincipalId {
    PrincipalId::of(Id::from_bytes([1; 16]))
}

/// The author and the trust of what is filed in this role.
fn filed(role: Option<Role>, filer: &Caller, is_host: bool) -> Result<(Role, Author, f64), RoleProblem> {
    let (role, author) = voice(role, filer, is_host)?;
    let provenance = Provenance::stated(&author, None, Privacy::Shared);
    Ok((role, provenance.author(), provenance.trust().value()))
}

#[test]
fn whoever_speaks_for_itself_has_one_role() {
    let (operator, principal, agent) =
        (Caller::operator(maya()), Caller::principal(maya()), Caller::agent(Some(maya())));
    assert_eq!(filed(None, &operator, false), Ok((Role::User, Author::Principal, 1.0)));
    assert_eq!(filed(None, &principal, false), Ok((Role::User, Author::Principal, 0.8)));
    assert_eq!(filed(None, &agent, false), Ok((Role::Assistant, Author::Agent, 0.5)));
    for (caller, own) in [(principal, Role::User), (agent, Role::Assistant)] {
        for role in Role::ALL {
            assert_eq!(filed(Some(*role), &caller, false).is_ok(), *role == own, "{caller} as {role:?}");
        }
    }
    assert_eq!(filed(Some(Role::System), &operator, false), Ok((Role::System, Author::Principal, 1.0)));
    for role in [Role::Assistant, Role::Peer, Role::Tool] {
        assert!(filed(Some(role), &operator, false).is_err(), "{role:?}");
    }
}

#[test]
fn a_host_names_roles_and_is_believed_by_them() {
    let host = Caller::agent(Some(maya()));
    assert_eq!(filed(Some(Role::User), &host, true), Ok((Role::User, Author::Principal, 0.8)));
    assert_eq!(filed(Some(Role::Assistant), &host, true), Ok((Role::Assistant, Author::Agent, 0.5)));
    assert_eq!(filed(Some(Role::Tool), &host, true), Ok((Role::Tool, Author::Tool, 0.4)));
    assert_eq!(filed(Some(Role::Peer), &host, true), Ok((Role::Peer, Author::Tool, 0.4)));
    assert!(matches!(filed(Some(Role::System), &host, true), Err(RoleProblem::NotYours { .. })));
    assert_eq!(filed(None, &host, true), Err(RoleProblem::Unnamed));
    assert_eq!(filed(Some(Role::User), &Caller::agent(None), true), Err(RoleProblem::NoPrincipal));
}

#[test]
fn a_message_is_never_before_the_one_it_follows() {
    let time = Time::from_micros;
    assert_eq!(said_at(None, None, time(10)), Ok(time(10)));
    assert_eq!(said_at(None, Some(time(12)), time(10)), Ok(time(12)));
    assert_eq!(said_at(Some(time(5)), None, time(10)), Ok(time(5)));
    assert_eq!(said_at(Some(time(5)), Some(time(5)), time(10)), Ok(time(5)));
    assert_eq!(
        said_at(Some(time(4)), Some(time(5)), time(10)),
        Err(TimeProblem::Earlier { at: time(4), last: time(5) })
    );
    assert_eq!(said_at(Some(time(11)), None, time(10)), Err(TimeProblem::Future(time(11))));
}

#[test]
fn two_agents_share_one_channel() {
    let (one, other) = (AgentId::of(Id::from_bytes([1; 16])), AgentId::of(Id::from_bytes([2; 16])));
    assert_eq!(agents_channel(one, other), agents_channel(other, one));
}
