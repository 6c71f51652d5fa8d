//! `network-barrier.json`: the reference's barrier, judged by its canary.

use std::collections::BTreeMap;

use ql3_ops::barrier::reference::Round;
use ql3_ops::barrier::reference::Targets;
use ql3_ops::barrier::reference::Verdict;
use ql3_ops::exit::Exit;
use serde_json::Value;

use super::Case;
use super::Sheet;
use super::text;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let verdict = judge(case);
        assert_eq!(serde_json::to_string(&verdict.message()).unwrap(), case.text("message"));
        // The reference has one number for all that is not ready.
        assert_eq!(u64::from(verdict.exit() != Exit::Done), case.number("exit"));
    });
}

fn judge(case: &mut Case) -> Verdict {
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
    let [api_host, api_port, canary_host, canary_port] =
        GOOD.map(|(name, _)| environment.get(name).map(String::as_str));
    let resolves = case.maybe("canaryResolves").is_none_or(|value| value.as_bool().unwrap());
    let rounds = rounds(case.maybe("probes"));
    if let Err(verdict) = Targets::read(api_host, api_port, canary_host, canary_port) {
        return verdict;
    }
    if !resolves {
        return Verdict::CanaryUnresolved;
    }
    // A list that ends without a verdict, or a sentence instead of one, is time running out.
    rounds.into_iter().find_map(Round::verdict).unwrap_or(Verdict::PolicyNotReady)
}

fn rounds(probes: Option<Value>) -> Vec<Round> {
    let pair = |pair: &Value| Round { api: pair[0].as_bool().unwrap(), canary: pair[1].as_bool().unwrap() };
    match probes {
        None => Vec::new(),
        Some(Value::Array(pairs)) => pairs.iter().map(pair).collect(),
        Some(sentence) => {
            let sentence = text(sentence);
            let (repeated, _) = sentence.split_once(" until").expect("a pair that is repeated until the end");
            vec![pair(&serde_json::from_str(repeated).unwrap()); 600]
        }
    }
}

const GOOD: [(&str, &str); 4] = [
    ("KUBERNETES_SERVICE_HOST", "10.43.0.1"),
    ("KUBERNETES_SERVICE_PORT_HTTPS", "443"),
    ("QL3_NETWORK_POLICY_DENY_CANARY_HOST", "c.ns.svc"),
    ("QL3_NETWORK_POLICY_DENY_CANARY_PORT", "9443"),
];
