//! Rules that come and go.

use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::Sender;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use super::Result;
use super::net::Family;
use super::net::Spaces;
use super::rules::Prepared;

/// Changes the node between two sets of rules until dropped.
pub(crate) struct Flapper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Flapper {
    /// Begins with the first, which is in force when this returns.
    pub(crate) fn new(net: &Spaces, family: Family, rules: [&str; 2], times: [Duration; 2]) -> Result<Self> {
        Prepared::new(net, family, rules[0])?.land()?;
        let handle = net.clone();
        let rules = rules.map(str::to_owned);
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut due = Instant::now();
            for turn in 0.. {
                due += times[turn % 2];
                // Read and parsed before its time, so that the change comes on time.
                let Ok(prepared) = Prepared::new(&handle, family, &rules[(turn + 1) % 2]) else { return };
                let wait = due.saturating_duration_since(Instant::now());
                let told = stopped.recv_timeout(wait);
                let landed = prepared.land();
                if told != Err(RecvTimeoutError::Timeout) || landed.is_err() {
                    return;
                }
            }
        });
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Flapper {
    fn drop(&mut self) {
        drop(self.stop.take());
        drop(self.thread.take().map(JoinHandle::join));
    }
}
