//! Every command line of the bundle, parsed by the program's own parser.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use ql3_ops::barrier;
use ql3_ops::barrier::settings::Alone;
use ql3_ops::cli;
use ql3_ops::cli::Order;
use ql3_ops::cluster::Authority;
use ql3_ops::retire;
use serde_json::Value;

use super::RETIREMENTS;
use super::containers;
use super::pod;
use super::pods;
use super::texts;
use crate::support::kustomize::objects;
use crate::support::kustomize::one;

fn parse(container: &Value) -> Order {
    assert_eq!(container.get("command"), None, "the image's entry point is the program");
    let words = std::iter::once("ql3-ops".to_owned()).chain(texts(&container["args"]));
    let words: Vec<_> = words.map(OsString::from).collect();
    cli::parse(&words).unwrap_or_else(|report| panic!("{words:?}: {}", report.stderr)).order
}

fn barrier_of(container: &Value) -> barrier::Order {
    let Order::Barrier(order) = parse(container) else { panic!("another verb") };
    order
}

fn retirement_of(container: &Value) -> retire::Order {
    let Order::Retire(order) = parse(container) else { panic!("another verb") };
    order
}

#[test]
fn every_container_of_the_bundle_is_started_with_arguments_that_parse() {
    let mut parsed = 0;
    for (_folder, workload) in pods() {
        for container in containers(pod(&workload)) {
            parse(&container);
            parsed += 1;
        }
    }
    assert_eq!(parsed, 10, "three Jobs of two containers, two canaries, two controls");
}

#[test]
fn the_job_waits_for_its_policy_and_asks_again() {
    for folder in RETIREMENTS {
        let job = one(&objects(folder), "Job");
        let [init, main] = containers(pod(&job)).try_into().unwrap();

        let order = barrier_of(&init);
        let barrier::Task::Check { alone, token, .. } = order.task else { panic!("{:?}", order.task) };
        assert_eq!(alone, Alone::Refused);
        let mount = "/var/run/secrets/kubernetes.io/serviceaccount";
        assert_eq!(token, PathBuf::from(mount).join("token"));

        let run = retirement_of(&main);
        let retire::Task::Run { command_file, guard } = run.task else { panic!("{:?}", run.task) };
        assert_eq!(guard, retire::Guard::Recheck);
        let mounts = &main["volumeMounts"];
        assert_eq!(mounts[0]["mountPath"], command_file.to_str().unwrap());
        assert_eq!(mounts[0]["subPath"], "command.json", "a link would be refused");
        let Authority::InCluster(env) = run.authority else { panic!("a kubeconfig") };
        assert_eq!((env.mount, &mounts[2]["mountPath"]), (PathBuf::from(mount), &mount.into()));

        // The program ends first and says why; the kubelet's token outlives both.
        let seconds = |value: &Value| Duration::from_secs(value.as_u64().unwrap());
        let job_ends = seconds(&job["spec"]["activeDeadlineSeconds"]);
        assert!(order.budget + run.budget < job_ends, "{:?} + {:?}", order.budget, run.budget);
        let token = &pod(&job)["volumes"][2]["projected"]["sources"][0]["serviceAccountToken"];
        assert!(job_ends < seconds(&token["expirationSeconds"]));
    }
}

#[test]
fn the_canary_listens_where_the_job_and_its_policy_look() {
    let canary = objects("kustomize/canary/base");
    let deployment = one(&canary, "Deployment");
    let container = &containers(pod(&deployment))[0];
    let order = barrier_of(container);
    let barrier::Task::Canary(ports) = order.task else { panic!("{:?}", order.task) };
    let listening = [ports.deny.port(), ports.control.port()];
    assert!(ports.deny.ip().is_unspecified() && ports.control.ip().is_unspecified());
    assert_eq!(listening, [9443, 9444]);

    let service = one(&canary, "Service");
    let numbers = |list: &Value, name: &str| -> Vec<u64> {
        list.as_array().unwrap().iter().map(|port| port[name].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&service["spec"]["ports"], "port"), listening.map(u64::from));
    assert_eq!(numbers(&container["ports"], "containerPort"), listening.map(u64::from));
    // Behind an address of the Service's own, the canary's testimony would be about another address.
    assert_eq!(service["spec"]["clusterIP"], "None");
    assert_eq!(service["spec"]["selector"], deployment["spec"]["selector"]["matchLabels"]);
}

#[test]
fn the_control_ends_before_its_job_does() {
    let job = one(&objects("kustomize/canary/control"), "Job");
    let order = barrier_of(&containers(pod(&job))[0]);
    assert!(matches!(order.task, barrier::Task::Control { .. }), "{:?}", order.task);
    assert!(order.budget < Duration::from_secs(job["spec"]["activeDeadlineSeconds"].as_u64().unwrap()));
}
