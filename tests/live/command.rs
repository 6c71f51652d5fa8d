//! The programs that an operator types: kubectl and ours.

use std::io::Write;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;

use crate::Result;

/// The namespace of everything.
pub(crate) const NAMESPACE: &str = "qinglong3-system";

/// A variable that `hack/live` or `hack/lab env` sets.
pub(crate) fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|_absent| format!("{name} is not set: start this with hack/live").into())
}

/// `kubectl ARGUMENTS`; what it prints.
pub(crate) fn kubectl(arguments: &[&str]) -> Result<String> {
    said("kubectl", run(kubectl_command(arguments)?, None)?)
}

/// The same, with something on stdin.
pub(crate) fn send(arguments: &[&str], text: &str) -> Result<String> {
    said("kubectl", run(kubectl_command(arguments)?, Some(text))?)
}

/// `kubectl get ARGUMENTS` as JSON.
pub(crate) fn get(arguments: &[&str]) -> Result<Value> {
    let text = kubectl(&[&["get", "--output=json"], arguments].concat())?;
    Ok(serde_json::from_str(&text)?)
}

/// The first word that `kubectl` prints, whether it succeeds or not.
pub(crate) fn word(arguments: &[&str]) -> Result<(String, bool)> {
    let output = run(kubectl_command(arguments)?, None)?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok((text.split_whitespace().next().unwrap_or_default().to_owned(), output.status.success()))
}

/// `ql3-ops ARGUMENTS`, with something on stdin; what it prints.
pub(crate) fn ops(arguments: &[&str], text: &str) -> Result<String> {
    let mut command = Command::new(variable("QL3_LIVE_BINARY")?);
    command.args(arguments);
    said("ql3-ops", run(command, Some(text))?)
}

/// A file of a node, as its programs see it.
pub(crate) fn node_file(node: &str, path: &str) -> Result<String> {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/hack/lab"));
    command.args(["node", node, "cat", path]);
    said("hack/lab", run(command, None)?)
}

/// Looks again and again until there is something. Each look is a program of its own, which is pause enough.
pub(crate) fn until<T>(what: &str, seconds: u64, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(seconds) {
        if let Some(seen) = look()? {
            return Ok(seen);
        }
    }
    Err(format!("not within {seconds} s: {what}").into())
}

/// A member by its pointer (RFC 6901), as text; nothing where it is absent.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A member by its pointer, as a number.
pub(crate) fn number(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer).and_then(Value::as_u64).and_then(|number| number.try_into().ok())
}

/// A member by its pointer, as a list.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn kubectl_command(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new("kubectl");
    command.env("KUBECONFIG", variable("QL3_LAB_KUBECONFIG")?);
    command.arg("--namespace").arg(NAMESPACE).args(arguments);
    Ok(command)
}

fn run(mut command: Command, text: Option<&str>) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.unwrap_or_default().as_bytes())?;
    }
    Ok(child.wait_with_output()?)
}

fn said(program: &str, output: Output) -> Result<String> {
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    Err(format!("{program}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into())
}
