//! `network-barrier.json`: the reference's rule, which is ours with a canary that nothing vouches for.

use std::collections::BTreeMap;
use std::time::Duration;

use ql3_ops::barrier::Error;
use ql3_ops::barrier::fence::Fence;
use ql3_ops::barrier::fence::Role;
use ql3_ops::barrier::round::Round;
use ql3_ops::barrier::round::Seen;
use ql3_ops::barrier::settings::Alone;
use ql3_ops::barrier::settings::Settings;
use ql3_ops::barrier::sight::Dialled;
use ql3_ops::barrier::sight::Sight;
use ql3_ops::barrier::verdict;
use ql3_ops::barrier::word::Word;
use ql3_ops::names;
use serde_json::Value;

use super::Case;
use super::Sheet;
use super::text;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let result = judge(case);
        let (word, exit) = match &result {
            Ok(()) => (Word::PolicyReady, 0),
            Err(error) => (error.word(), error.code().exit.number()),
        };
        assert_eq!(word.message(), case.text("message"));
        // The reference has one number for all that is not ready.
        assert_eq!(u64::from(exit != 0), case.number("exit"));
    });
}

fn judge(case: &mut Case) -> Result<(), Error> {
    // A case names only what differs from a good environment.
    let mut environment: BTreeMap<String, String> = GOOD.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    if let Some(Value::Object(members)) = case.maybe("env") {
        for (name, value) in members {
            assert!(environment.contains_key(&name), "{name}");
            environment.remove(&name);
            if !value.is_null() {
                environment.insert(name, text(value));
            }
        }
    }
    let resolves = case.maybe("canaryResolves").is_none_or(|value| value.as_bool().unwrap());
    let rounds = case.maybe("probes");
    let lookup = |name: &str| environment.get(name).map(Into::into);
    let settings = Settings::read(&lookup, Alone::Allowed)?;
    if !resolves {
        return Err(Error::CanaryUnresolved(names::Error::Absent));
    }
    let address = "192.0.2.1".parse().unwrap();
    let api = "192.0.2.2:443".parse().unwrap();
    let fence = Fence::new(&[api], &[address], settings.canary.port, None, &[], settings.ground);
    // A list that ends without a verdict, or a sentence instead of one, is time running out.
    verdict::judge(&fence, &self::rounds(&fence, rounds)).result()
}

/// Rounds in which what was not reached sent a reset.
fn rounds(fence: &Fence, probes: Option<Value>) -> Vec<Round> {
    let pairs = match probes {
        None => Vec::new(),
        Some(Value::Array(pairs)) => pairs,
        Some(sentence) => {
            let sentence = text(sentence);
            let (repeated, _) = sentence.split_once(" until").expect("a pair that is repeated until the end");
            vec![serde_json::from_str(repeated).unwrap(); 600]
        }
    };
    let mut rounds = Vec::new();
    for pair in pairs {
        let [api, canary] = [0, 1].map(|index: usize| pair[index].as_bool().unwrap());
        let mut round = Round::begin(fence, Duration::from_millis(50), Duration::from_millis(250));
        for (target, seen) in fence.targets.iter().zip(&mut round.seen) {
            let reached = if target.role == Role::Api { api } else { canary };
            let sight = if reached { Sight::Connected } else { Sight::Reset };
            *seen = Some(Seen { dialled: Dialled { sight, took: Duration::ZERO }, testimony: None });
        }
        rounds.push(round);
    }
    rounds
}

const GOOD: [(&str, &str); 4] = [
    ("KUBERNETES_SERVICE_HOST", "10.43.0.1"),
    ("KUBERNETES_SERVICE_PORT_HTTPS", "443"),
    ("QL3_NETWORK_POLICY_DENY_CANARY_HOST", "c.ns.svc"),
    ("QL3_NETWORK_POLICY_DENY_CANARY_PORT", "9443"),
];
