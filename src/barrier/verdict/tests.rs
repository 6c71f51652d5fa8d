use std::net::IpAddr;
use std::net::SocketAddr;

use proptest::prelude::*;

use super::*;
use crate::barrier::round::Seen;
use crate::barrier::sight::Dialled;
use crate::barrier::sight::Icmp;
use crate::barrier::sight::Notice;
use crate::barrier::testimony::Testimony;

const DENY: u16 = 9443;
const CONTROL: u16 = 9444;

/// One API server, one dual-stack canary, one decoy a family.
fn fence(ground: Ground) -> Fence {
    let ips = |texts: [&str; 2]| texts.map(|text| text.parse::<IpAddr>().unwrap());
    let api: Vec<SocketAddr> = ips(["192.0.2.1", "2001:db8::1"]).map(|ip| SocketAddr::new(ip, 443)).into();
    let control = ground.has_twin().then_some(CONTROL);
    let decoys = ips(["198.51.100.254", "2001:db8:ffff:ffff::1"]);
    Fence::new(&api, &ips(["192.0.2.2", "2001:db8::2"]), DENY, control, &decoys, ground)
}

fn refused(family: u8) -> Sight {
    let (icmp, from) = match family {
        4 => (Icmp { kind: 3, code: 3 }, "192.0.2.254"),
        _ => (Icmp { kind: 1, code: 4 }, "2001:db8::fe"),
    };
    Sight::Refused(Notice { icmp, from: Some(from.parse().unwrap()) })
}

fn seen(fence: &Fence, index: usize, sight: Sight) -> Seen {
    let target = fence.targets[index];
    let testimony =
        (target.role == Role::Control).then(|| Testimony { serves: SocketAddr::new(target.at.ip(), DENY) });
    Seen { dialled: Dialled { sight, took: Duration::from_millis(1) }, testimony }
}

/// A round as `look` says, for each role and family.
fn round(fence: &Fence, number: u64, look: impl Fn(Role, u8) -> Option<Sight>) -> Round {
    let mut round = Round::begin(fence, Duration::from_millis(20 * number), PATIENCE_LEAST);
    for (index, target) in fence.targets.iter().enumerate() {
        let family = if target.at.is_ipv4() { 4 } else { 6 };
        round.seen[index] = look(target.role, family).map(|sight| seen(fence, index, sight));
    }
    round
}

/// The policy is in force, and refuses.
#[expect(clippy::unnecessary_wraps, reason = "one of several ways to look at a round")]
fn good(role: Role, family: u8) -> Option<Sight> {
    let sight = match role {
        Role::Api | Role::Control => Sight::Connected,
        Role::Decoy | Role::Deny => refused(family),
    };
    Some(sight)
}

/// [`good`], with one role seen otherwise.
fn but(role: Role, sight: Sight) -> impl Fn(Role, u8) -> Option<Sight> {
    move |asked, family| if asked == role { Some(sight) } else { good(asked, family) }
}

fn many(fence: &Fence, rounds: u64, look: impl Fn(Role, u8) -> Option<Sight> + Copy) -> Vec<Round> {
    (0..rounds).map(|number| round(fence, number, look)).collect()
}

/// How many rounds of a kind are enough, at most 40.
fn enough(ground: Ground, look: impl Fn(Role, u8) -> Option<Sight> + Copy) -> Option<u64> {
    let fence = fence(ground);
    (1..=60).find(|n| matches!(judge(&fence, &many(&fence, *n, look)), Verdict::InForce { .. }))
}

/// What a kind of round shows.
fn shows(ground: Ground, look: impl Fn(Role, u8) -> Option<Sight>) -> Option<Finding> {
    let fence = fence(ground);
    finding(&fence, &round(&fence, 0, look))
}

#[test]
fn sixty_milliseconds_do_where_the_decoy_is_refused_alike_and_four_tenths_of_a_second_where_not() {
    let silent = |role, family| but(Role::Deny, Sight::Silence)(role, family);
    let lonely = |role, family| but(Role::Decoy, Sight::Silence)(role, family);
    let local = |role, family| but(Role::Decoy, Sight::Local(101))(role, family);
    let elsewhere = |role, family| match (role, refused(family)) {
        (Role::Decoy, Sight::Refused(notice)) => Some(Sight::Refused(Notice { from: None, ..notice })),
        _ => good(role, family),
    };
    assert_eq!(enough(Ground::Twin, good), Some(4));
    for look in [&silent as &dyn Fn(Role, u8) -> Option<Sight>, &lonely, &local, &elsewhere] {
        assert_eq!(enough(Ground::Twin, look), Some(21));
    }
}

#[test]
fn however_far_apart_few_rounds_are_not_enough() {
    let fence = fence(Ground::Twin);
    let silent = |role, family| but(Role::Deny, Sight::Silence)(role, family);
    let enough = |look: &dyn Fn(Role, u8) -> Option<Sight>| {
        (1..=60).find(|rounds| {
            let rounds: Vec<_> = (0..*rounds).map(|number| round(&fence, 50 * number, look)).collect();
            matches!(judge(&fence, &rounds), Verdict::InForce { .. })
        })
    };
    assert_eq!((enough(&good), enough(&silent)), (Some(3), Some(20)));
}

/// A kernel that limits ICMP errors lets two rounds of them through, then the deny port is silent.
#[test]
fn between_refusals_a_deny_port_that_has_not_answered_beside_its_twin_is_the_same_state() {
    let fence = fence(Ground::Twin);
    let awaited =
        |role, family| if matches!(role, Role::Deny | Role::Decoy) { None } else { good(role, family) };
    let rounds = |alike: u64, all: u64| {
        let look = |number| {
            if number < alike { round(&fence, number, good) } else { round(&fence, number, awaited) }
        };
        (0..all).map(look).collect::<Vec<_>>()
    };
    assert!(matches!(judge(&fence, &rounds(2, 4)), Verdict::InForce { rounds: 4, .. }));
    assert_eq!(judge(&fence, &rounds(2, 3)), Verdict::Closing);
    // However long: a port that is silent must be waited for.
    assert_eq!(judge(&fence, &rounds(1, 60)), Verdict::Closing);
    assert_eq!(judge(&fence, &rounds(0, 60)), Verdict::Blind(None));
    // The answer of one of them undoes it, and so does a twin that is still awaited.
    let mut open = rounds(2, 4);
    open[2] = round(&fence, 2, but(Role::Deny, Sight::Connected));
    assert!(matches!(judge(&fence, &open), Verdict::Open(_)));
    let mut lost = rounds(2, 4);
    lost[3] = round(&fence, 3, |_role, _family| None);
    assert_eq!(judge(&fence, &lost), Verdict::Closing);
    // Nobody vouches that the deny port would have answered by now.
    let unvouched = Fence { ground: Ground::Proof, ..fence.clone() };
    assert_eq!(judge(&unvouched, &rounds(2, 9)), Verdict::Closing);
}

#[test]
fn a_reset_counts_only_with_a_proof_and_a_living_twin() {
    let reset = |role, family| but(Role::Deny, Sight::Reset)(role, family);
    for ground in [Ground::Twin, Ground::Proof] {
        assert_eq!(shows(ground, reset), Some(Finding::Blind(Blindness::Reset)), "{ground:?}");
        assert_eq!(enough(ground, reset), None, "{ground:?}");
    }
    assert_eq!(enough(Ground::TwinAndProof, reset), Some(21));
    assert_eq!(enough(Ground::CanaryAlone, reset), Some(1));
}

#[test]
fn each_thing_that_may_be_wrong_has_its_finding() {
    let blind = |why| Some(Finding::Blind(why));
    for (role, sight, finding) in [
        (Role::Api, Sight::Silence, blind(Blindness::ApiLost)),
        (Role::Api, Sight::Reset, blind(Blindness::ApiLost)),
        (Role::Api, refused(4), blind(Blindness::ApiLost)),
        (Role::Api, Sight::Local(24), blind(Blindness::Local(24))),
        (Role::Control, Sight::Silence, blind(Blindness::CanaryLost)),
        (Role::Control, refused(6), blind(Blindness::CanaryLost)),
        (Role::Control, Sight::Local(24), blind(Blindness::Local(24))),
        (Role::Deny, Sight::Unreachable(None), blind(Blindness::NoWay)),
        (Role::Deny, Sight::Local(101), blind(Blindness::Local(101))),
        (Role::Decoy, Sight::Connected, blind(Blindness::Intercepted)),
        (Role::Decoy, Sight::Reset, Some(Finding::Closed(Closed::Otherwise))),
        (Role::Decoy, Sight::Unreachable(None), Some(Finding::Closed(Closed::Otherwise))),
        (Role::Deny, Sight::Filtered(None), Some(Finding::Closed(Closed::Otherwise))),
    ] {
        assert_eq!(shows(Ground::Twin, but(role, sight)), finding, "{role:?} {sight:?}");
    }
    let fence = fence(Ground::Twin);
    let open = shows(Ground::Twin, but(Role::Deny, Sight::Connected));
    let first = fence.targets.iter().position(|target| target.role == Role::Deny).unwrap();
    assert_eq!(open, Some(Finding::Open(first)));
}

#[test]
fn one_open_family_is_open_and_one_silent_control_is_blind() {
    let in_six = |role, sight| {
        move |asked, family| if asked == role && family == 6 { Some(sight) } else { good(asked, family) }
    };
    assert!(matches!(shows(Ground::Twin, in_six(Role::Deny, Sight::Connected)), Some(Finding::Open(_))));
    let lost = Some(Finding::Blind(Blindness::CanaryLost));
    assert_eq!(shows(Ground::Twin, in_six(Role::Control, Sight::Silence)), lost);
    // One API address that answers is enough, but without a twin each family needs one.
    assert!(matches!(shows(Ground::Twin, in_six(Role::Api, Sight::Silence)), Some(Finding::Closed(_))));
    let unproven = Some(Finding::Blind(Blindness::FamilyUnproven));
    assert_eq!(shows(Ground::Proof, in_six(Role::Api, Sight::Silence)), unproven);
}

#[test]
fn the_twin_must_testify_to_what_is_dialled_and_with_a_proof_at_least_to_its_port() {
    let fence = fence(Ground::Twin);
    let twin = fence.targets.iter().position(|target| target.role == Role::Control).unwrap();
    let closed = Some(Finding::Closed(Closed::AsTheDecoy));
    let untestified = Some(Finding::Blind(Blindness::Untestified));
    for (serves, alone, with_a_proof) in [
        (None, untestified, untestified),
        (Some("192.0.2.2:9445"), untestified, untestified),
        (Some("192.0.2.3:9443"), untestified, closed),
        (Some("192.0.2.2:9443"), closed, closed),
    ] {
        let mut round = round(&fence, 0, good);
        let testimony = serves.map(|serves| Testimony { serves: serves.parse().unwrap() });
        round.seen[twin].as_mut().unwrap().testimony = testimony;
        assert_eq!(finding(&fence, &round), alone, "{serves:?}");
        let proven = Fence { ground: Ground::TwinAndProof, ..fence.clone() };
        assert_eq!(finding(&proven, &round), with_a_proof, "{serves:?}");
    }
}

#[test]
fn silence_is_not_called_slow_before_an_answer_says_how_slow() {
    let fence = fence(Ground::Twin);
    let awaited = |role, family| match role {
        Role::Api => None,
        Role::Deny => Some(Sight::Silence),
        Role::Control | Role::Decoy => good(role, family),
    };
    let unplugged = |role, family| but(Role::Api, Sight::Silence)(role, family);
    let mut round = round(&fence, 0, awaited);
    round.seen[2].as_mut().unwrap().dialled.took = Duration::from_millis(500);
    assert_eq!(finding(&fence, &round), None);
    assert_eq!(shows(Ground::Twin, unplugged), Some(Finding::Blind(Blindness::ApiLost)));
}

#[test]
fn a_decoy_that_may_still_answer_is_waited_for() {
    let awaited = |role, family| if role == Role::Decoy && family == 6 { None } else { good(role, family) };
    assert_eq!(shows(Ground::Twin, awaited), None);
}

#[test]
fn a_decoy_of_a_family_without_deny_targets_is_not_waited_for() {
    let mut fence = fence(Ground::Twin);
    fence.targets.retain(|target| target.role != Role::Deny || target.at.is_ipv4());
    let round = round(
        &fence,
        0,
        |role, family| if role == Role::Decoy && family == 6 { None } else { good(role, family) },
    );
    assert_eq!(finding(&fence, &round), Some(Finding::Closed(Closed::AsTheDecoy)));
}

#[test]
fn silence_is_worth_nothing_while_answers_are_slow() {
    let fence = fence(Ground::Twin);
    let mut round = round(&fence, 0, but(Role::Deny, Sight::Silence));
    let api = round.seen[0].as_mut().unwrap();
    api.dialled.took = Duration::from_millis(20);
    assert_eq!(finding(&fence, &round), Some(Finding::Closed(Closed::Otherwise)));
    round.seen[0].as_mut().unwrap().dialled.took = Duration::from_millis(21);
    assert_eq!(finding(&fence, &round), Some(Finding::Blind(Blindness::Slow)));
    round.patience = Duration::from_millis(210);
    assert_eq!(finding(&fence, &round), Some(Finding::Closed(Closed::Otherwise)));
}

#[test]
fn patience_is_ten_times_an_answer_within_bounds() {
    let ms = Duration::from_millis;
    assert_eq!(
        [0, 20, 21, 100, 200, 900].map(|t| patience(ms(t))),
        [200, 200, 210, 1000, 2000, 2000].map(ms)
    );
}

#[test]
fn an_earlier_round_of_which_too_little_is_known_is_waited_for() {
    let fence = fence(Ground::Twin);
    let mut rounds = many(&fence, 4, good);
    let index = |role| fence.targets.iter().position(|target| target.role == role).unwrap();
    let (twin, deny) = (index(Role::Control), index(Role::Deny));
    rounds[1].seen[twin] = None;
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
    rounds[1].seen[twin] = Some(seen(&fence, twin, Sight::Silence));
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
    rounds[1].seen[twin] = Some(seen(&fence, twin, Sight::Connected));
    assert!(matches!(judge(&fence, &rounds), Verdict::InForce { rounds: 4, .. }));
    rounds[1].seen[deny] = Some(seen(&fence, deny, Sight::Connected));
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
}

fn sight() -> impl Strategy<Value = Option<Sight>> {
    prop_oneof![
        4 => Just(Some(Sight::Connected)),
        4 => Just(Some(refused(4))),
        1 => Just(Some(refused(6))),
        2 => Just(Some(Sight::Silence)),
        1 => Just(Some(Sight::Reset)),
        1 => Just(Some(Sight::Filtered(None))),
        1 => Just(Some(Sight::Unreachable(None))),
        1 => Just(Some(Sight::Local(24))),
        1 => Just(None),
    ]
}

/// Rounds that are mostly good, so that the property is not vacuous.
fn some_round(ground: Ground) -> impl Strategy<Value = Vec<Option<Sight>>> {
    let fence = fence(ground);
    let good: Vec<_> =
        fence.targets.iter().map(|t| good(t.role, if t.at.is_ipv4() { 4 } else { 6 })).collect();
    let wild = proptest::collection::vec(sight(), good.len());
    let slip = (Just(good.clone()), 0..good.len(), sight()).prop_map(|(mut round, index, sight)| {
        round[index] = sight;
        round
    });
    prop_oneof![8 => Just(good), 2 => slip, 1 => wild]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Whatever was seen: there is a row of rounds in each of which every control answered and no deny target or
    /// decoy is known to have, two of them known as a whole; and nothing that is known of a later round speaks
    /// against it.
    #[test]
    fn in_force_is_never_said_without_controls_nor_over_an_open_round(
        (ground, looks) in prop_oneof![Just(Ground::Twin), Just(Ground::Proof), Just(Ground::TwinAndProof)]
            .prop_flat_map(|ground| (Just(ground), proptest::collection::vec(some_round(ground), 1..24))),
    ) {
        let fence = fence(ground);
        let rounds: Vec<_> = (0u64..).zip(&looks).map(|(number, look)| {
            let mut round = round(&fence, number, |_, _| None);
            for (index, seen) in round.seen.iter_mut().enumerate() {
                *seen = look[index].map(|sight| self::seen(&fence, index, sight));
            }
            round
        }).collect();
        if let Verdict::InForce { rounds: count, .. } = judge(&fence, &rounds) {
            prop_assert!(count >= 3);
            let carrying: Vec<_> = (0..=rounds.len() - count)
                .filter(|first| rounds[*first..first + count].iter().all(|round| answered(&fence, round)))
                .filter(|first| !rounds[*first..].iter().any(|round| speaks_against(&fence, round)))
                .filter(|first| {
                    let whole = |round: &&Round| round.seen.iter().all(Option::is_some);
                    rounds[*first..first + count].iter().filter(whole).count() >= 2
                })
                .collect();
            prop_assert!(!carrying.is_empty(), "{rounds:#?}");
        }
    }
}

fn sights(fence: &Fence, round: &Round, role: Role) -> Vec<(bool, Option<Sight>)> {
    let targets = fence.targets.iter().zip(&round.seen).filter(|(target, _)| target.role == role);
    targets.map(|(target, seen)| (target.at.is_ipv4(), seen.map(|seen| seen.dialled.sight))).collect()
}

fn answered(fence: &Fence, round: &Round) -> bool {
    let answered = |role| {
        let connected = sights(fence, round, role).into_iter().filter(|(_, s)| *s == Some(Sight::Connected));
        connected.map(|(is_v4, _)| is_v4).collect::<Vec<_>>()
    };
    let controls = if fence.ground.has_twin() { answered(Role::Control) } else { answered(Role::Api) };
    controls.contains(&true)
        && controls.contains(&false)
        && !answered(Role::Api).is_empty()
        && answered(Role::Deny).is_empty()
        && answered(Role::Decoy).is_empty()
}

fn speaks_against(fence: &Fence, round: &Round) -> bool {
    let any = |role| sights(fence, round, role).iter().any(|(_, sight)| *sight == Some(Sight::Connected));
    let lost = |role| {
        let lost = |(_, sight): &(bool, Option<Sight>)| sight.is_some_and(|sight| sight != Sight::Connected);
        sights(fence, round, role).iter().any(lost)
    };
    any(Role::Deny) || any(Role::Decoy) || (fence.ground.has_twin() && lost(Role::Control))
}
