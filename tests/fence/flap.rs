//! Rules that come and go.

use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::Sender;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use super::Result;
use super::family::Family;
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
        let [first, _] = rules;
        Prepared::new(net, family, first)?.land()?;
        let handle = net.clone();
        let rules = rules.map(str::to_owned);
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut due = Instant::now();
            let [first, second] = &rules;
            for (time, next) in times.iter().zip([second, first]).cycle() {
                due += *time;
                // Read and parsed before its time, so that the change comes on time.
                let Ok(prepared) = Prepared::new(&handle, family, next) else { return };
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
