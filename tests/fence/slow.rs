//! A long line to the server: a relay in a namespace of its own carries each frame later.

use std::io::BufRead;
use std::io::BufReader;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;

use super::Result;
use super::net::Net;
use super::net::Place;

/// The relay; ends when dropped.
pub(crate) struct Line {
    relay: Child,
}

impl Line {
    /// A round trip over it takes that many milliseconds more.
    pub(crate) fn new(net: &Net, milliseconds: u64) -> Result<Self> {
        net.put_wire_before_server()?;
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &net.name(Place::Wire), "python3", "-c", RELAY]);
        command.arg((milliseconds / 2).to_string()).args(["far", "near"]);
        let mut relay = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut ready = String::new();
        BufReader::new(relay.stdout.take().ok_or("no pipe")?).read_line(&mut ready)?;
        let line = Self { relay };
        if ready == "ready\n" { Ok(line) } else { Err("the relay did not start".into()) }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        drop(self.relay.kill());
        drop(self.relay.wait());
    }
}

const RELAY: &str = include_str!("slow.py");
