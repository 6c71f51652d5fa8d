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
    (1..=40).find(|n| matches!(judge(&fence, &many(&fence, *n, look)), Verdict::InForce { .. }))
}

/// What a kind of round shows.
fn shows(ground: Ground, look: impl Fn(Role, u8) -> Option<Sight>) -> Option<Finding> {
    let fence = fence(ground);
    finding(&fence, &round(&fence, 0, look))
}

#[test]
fn three_rounds_do_where_the_decoy_is_refused_alike_and_a_quarter_second_where_not() {
    let silent = |role, family| but(Role::Deny, Sight::Silence)(role, family);
    let lonely = |role, family| but(Role::Decoy, Sight::Silence)(role, family);
    let local = |role, family| but(Role::Decoy, Sight::Local(101))(role, family);
    assert_eq!(enough(Ground::Twin, good), Some(3));
    for look in [&silent as &dyn Fn(Role, u8) -> Option<Sight>, &lonely, &local] {
        assert_eq!(enough(Ground::Twin, look), Some(14));
    }
}

#[test]
fn a_reset_counts_only_with_a_proof() {
    let reset = |role, family| but(Role::Deny, Sight::Reset)(role, family);
    assert_eq!(shows(Ground::Twin, reset), Some(Finding::Blind(Blindness::Reset)));
    assert_eq!(enough(Ground::Twin, reset), None);
    for ground in [Ground::Proof, Ground::TwinAndProof] {
        assert_eq!(enough(ground, reset), Some(14), "{ground:?}");
    }
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
fn the_twin_must_testify_to_the_address_that_is_dialled() {
    let fence = fence(Ground::Twin);
    let twin = fence.targets.iter().position(|target| target.role == Role::Control).unwrap();
    for testimony in [
        None,
        Some(Testimony { serves: "192.0.2.2:9445".parse().unwrap() }),
        Some(Testimony { serves: "192.0.2.3:9443".parse().unwrap() }),
    ] {
        let mut round = round(&fence, 0, good);
        round.seen[twin].as_mut().unwrap().testimony = testimony;
        let untestified = Some(Finding::Blind(Blindness::Untestified));
        assert_eq!(finding(&fence, &round), untestified, "{testimony:?}");
        let proven = Fence { ground: Ground::TwinAndProof, ..fence.clone() };
        assert_eq!(finding(&proven, &round), Some(Finding::Closed(Closed::AsTheDecoy)));
    }
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
fn an_earlier_round_that_is_still_under_way_is_waited_for() {
    let fence = fence(Ground::Twin);
    let mut rounds = many(&fence, 4, good);
    let deny = fence.targets.iter().position(|target| target.role == Role::Deny).unwrap();
    rounds[1].seen[deny] = None;
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
    rounds[1].seen[deny] = Some(seen(&fence, deny, Sight::Connected));
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
    rounds[1].seen[deny] = Some(seen(&fence, deny, Sight::Silence));
    assert_eq!(judge(&fence, &rounds), Verdict::Closing);
    rounds[1].seen[deny] = Some(seen(&fence, deny, refused(4)));
    assert!(matches!(judge(&fence, &rounds), Verdict::InForce { rounds: 4, .. }));
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

    /// Whatever was seen: the rounds that carry a verdict are the last ones that are known, in each of them every
    /// control answered and no deny target or decoy did, and nothing that is known of a later round speaks
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
            let known = rounds.iter().rposition(|round| round.seen.iter().all(Option::is_some)).unwrap();
            let carrying: Vec<_> = (0..rounds.len())
                .filter(|first| first + count <= known + 1)
                .filter(|first| rounds[*first..first + count].iter().all(|round| holds(&fence, round)))
                .filter(|first| !rounds[first + count..].iter().any(|round| speaks_against(&fence, round)))
                .collect();
            prop_assert!(!carrying.is_empty(), "{rounds:#?}");
        }
    }
}

fn sights(fence: &Fence, round: &Round, role: Role) -> Vec<(bool, Option<Sight>)> {
    let targets = fence.targets.iter().zip(&round.seen).filter(|(target, _)| target.role == role);
    targets.map(|(target, seen)| (target.at.is_ipv4(), seen.map(|seen| seen.dialled.sight))).collect()
}

fn holds(fence: &Fence, round: &Round) -> bool {
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
        && round.seen.iter().all(Option::is_some)
}

fn speaks_against(fence: &Fence, round: &Round) -> bool {
    let any = |role| sights(fence, round, role).iter().any(|(_, sight)| *sight == Some(Sight::Connected));
    let lost = |role| {
        let lost = |(_, sight): &(bool, Option<Sight>)| sight.is_some_and(|sight| sight != Sight::Connected);
        sights(fence, round, role).iter().any(lost)
    };
    any(Role::Deny) || any(Role::Decoy) || (fence.ground.has_twin() && lost(Role::Control))
}
