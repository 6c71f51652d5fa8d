//! The Pods: what is mounted where, as whom they run, and what becomes of a failure.

use std::collections::BTreeSet;

use ql3_ops::exit::Exit;
use serde_json::Value;
use serde_json::json;

use super::RETIREMENTS;
use super::containers;
use super::pod;
use super::pods;
use crate::support::kustomize::objects;
use crate::support::kustomize::one;

#[test]
fn a_container_that_fails_for_good_ends_the_job_with_its_reason() {
    for folder in RETIREMENTS {
        let job = one(&objects(folder), "Job");
        let rules = job["spec"]["podFailurePolicy"]["rules"].as_array().unwrap();
        // First, or a code that a drained Pod ended with would be taken for its own.
        assert_eq!(
            rules[0],
            json!({ "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] })
        );
        // A panic is a bug that nobody noticed. What is in no rule counts, and the Job has no second try.
        let fails = Exit::ALL.iter().filter(|exit| !exit.may_pass()).map(|exit| exit.number());
        let fails: BTreeSet<u8> = fails.chain([101]).collect();
        let expected = containers(pod(&job)).into_iter().map(|container| {
            let codes = json!({ "containerName": container["name"], "operator": "In", "values": fails });
            json!({ "action": "FailJob", "onExitCodes": codes })
        });
        assert_eq!(rules[1..], expected.collect::<Vec<_>>());
        assert_eq!(job["spec"]["backoffLimit"], 0);
        assert_eq!(pod(&job)["restartPolicy"], "Never", "the rules need it");
    }
}

#[test]
fn the_token_is_in_one_container_only() {
    for (folder, workload) in pods() {
        let pod = pod(&workload);
        assert_eq!(pod["automountServiceAccountToken"], false, "{folder}");
        for container in containers(pod) {
            let mounts = container.get("volumeMounts");
            assert_eq!(
                mounts.is_some(),
                container["name"] == "retirement",
                "{folder}: {}",
                container["name"]
            );
            assert_eq!(container.get("envFrom"), None, "{folder}");
            assert_eq!(container["terminationMessagePolicy"], "File", "{folder}");
        }
    }
    for folder in RETIREMENTS {
        let job = one(&objects(folder), "Job");
        let pod = pod(&job);
        assert_eq!(pod["initContainers"].as_array().unwrap().len(), 1);
        assert_eq!(pod["initContainers"][0]["name"], "network-policy-ready");
        let mounts = pod["containers"][0]["volumeMounts"].as_array().unwrap();
        assert!(mounts.iter().all(|mount| mount["readOnly"] == true), "{folder}");
        let names: Vec<_> = pod["volumes"].as_array().unwrap().iter().map(|volume| &volume["name"]).collect();
        assert_eq!(names, mounts.iter().map(|mount| &mount["name"]).collect::<Vec<_>>(), "all and no other");
        let token = &pod["volumes"][2]["projected"];
        assert_eq!(
            token["sources"][0],
            json!({ "serviceAccountToken": { "path": "token", "expirationSeconds": 600 } })
        );
    }
}

#[test]
fn every_pod_is_the_images_user_without_any_privilege() {
    for (folder, workload) in pods() {
        let security = &pod(&workload)["securityContext"];
        for id in ["runAsUser", "runAsGroup"] {
            assert_eq!(security[id], 10001, "{folder}");
        }
        assert_eq!(
            (&security["runAsNonRoot"], &security["seccompProfile"]["type"]),
            (&true.into(), &"RuntimeDefault".into())
        );
        for container in containers(pod(&workload)) {
            let expected = json!({
                "allowPrivilegeEscalation": false,
                "readOnlyRootFilesystem": true,
                "capabilities": { "drop": ["ALL"] },
            });
            assert_eq!(container["securityContext"], expected, "{folder}");
        }
        for name in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostAliases"] {
            assert_eq!(pod(&workload).get(name), None, "{folder}");
        }
    }
}

#[test]
fn memory_is_what_the_program_needs_and_no_more() {
    for (folder, workload) in pods() {
        for container in containers(pod(&workload)) {
            let memory = if container["name"] == "retirement" { "32Mi" } else { "16Mi" };
            for kind in ["requests", "limits"] {
                assert_eq!(container["resources"][kind]["memory"], memory, "{folder}");
            }
            let milli = |kind: &str| -> u32 {
                let text = container["resources"][kind]["cpu"].as_str().unwrap();
                text.strip_suffix('m').unwrap().parse().unwrap()
            };
            assert!(milli("requests") <= 25 && milli("limits") >= 100, "{folder}");
        }
    }
}

#[test]
fn labels_are_those_that_the_reference_knows() {
    for folder in RETIREMENTS {
        for object in objects(folder) {
            let mut labels = json!({
                "app.kubernetes.io/name": "ql3-prompt-output-key-retirement",
                "app.kubernetes.io/component": "ai-maintenance",
                "app.kubernetes.io/part-of": "qinglong3",
            });
            if object["kind"] == "Job" {
                labels["qinglong.io/execution-model"] = "caller-driven".into();
                assert_eq!(object["spec"]["template"]["metadata"]["labels"], labels);
            }
            assert_eq!(object["metadata"]["labels"], labels, "{folder}: {}", object["kind"]);
            let is_everywhere = object["kind"].as_str().unwrap().starts_with("Cluster");
            let namespace = if is_everywhere { Value::Null } else { "qinglong3-system".into() };
            assert_eq!(object["metadata"]["namespace"], namespace, "{folder}: {}", object["kind"]);
        }
    }
}
