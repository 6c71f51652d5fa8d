//! Pure: what follows from the answer to the one write, and from the one look after it (ADR-0262).
//!
//! There is no row that leads to a second write.

/// What the one write was answered with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reply {
    /// A success whose object is a Secret, but not with the keyring that was sent.
    Altered,
    /// 409: somebody else wrote first.
    Conflict,
    /// A success with the keyring that was sent.
    Exact,
    /// Any other answer that is not a success.
    Refused,
    /// No answer that can be used; the write may or may not have taken effect, now or a little later.
    Silent,
    /// It certainly never left.
    Unsent,
}

/// What to do after the write.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// It is done.
    Done,
    /// Read once, because of this reply.
    Look(Doubt),
    /// Give up without reading.
    Stop,
}

/// Why a look is needed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Doubt {
    /// See [`Reply::Altered`].
    Altered,
    /// See [`Reply::Conflict`].
    Conflict,
    /// See [`Reply::Silent`].
    Silent,
    /// See [`Reply::Unsent`].
    Unsent,
}

/// What the look showed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sight {
    /// Nothing: there was no usable answer.
    Blind,
    /// The key retired by the very preparation, with the very result that was sent.
    Exact,
    /// Something else, under another resource version: a write that is still under way must fail.
    Moved,
    /// The object as it was read before the write: a write that is still under way may yet succeed.
    Same,
    /// A Secret that is not the keyring's any more; whether our write is in it cannot be said.
    Unfit,
}

/// How it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Something between us and the store changes what is written.
    Altered,
    /// Another writer was first; nothing of ours was written.
    Overtaken,
    /// The key is retired as ordered.
    Settled,
    /// The write was lost and can no longer take effect.
    Superseded,
    /// Another writer was first, and what it left is not the keyring's.
    Unfit,
    /// Nothing was sent.
    Unsent,
    /// Nothing could settle what became of the write.
    Unsettled,
}

/// After the write.
pub fn after_write(reply: Reply) -> Next {
    match reply {
        Reply::Altered => Next::Look(Doubt::Altered),
        Reply::Conflict => Next::Look(Doubt::Conflict),
        Reply::Exact => Next::Done,
        Reply::Refused => Next::Stop,
        Reply::Silent => Next::Look(Doubt::Silent),
        Reply::Unsent => Next::Look(Doubt::Unsent),
    }
}

/// After the look.
///
/// A look that shows nothing settles nothing, whatever the reply was: what stands between may have sent the
/// write a second time, so that even a 409 can follow a write that took effect.
pub fn after_look(doubt: Doubt, sight: Sight) -> Verdict {
    match (doubt, sight) {
        (_, Sight::Exact) => Verdict::Settled,
        (Doubt::Unsent, _) => Verdict::Unsent,
        (_, Sight::Blind) | (Doubt::Altered | Doubt::Silent, Sight::Same) | (Doubt::Silent, Sight::Unfit) => {
            Verdict::Unsettled
        }
        (Doubt::Altered, Sight::Moved | Sight::Unfit) => Verdict::Altered,
        (Doubt::Conflict, Sight::Moved | Sight::Same) => Verdict::Overtaken,
        (Doubt::Conflict, Sight::Unfit) => Verdict::Unfit,
        (Doubt::Silent, Sight::Moved) => Verdict::Superseded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBTS: [Doubt; 4] = [Doubt::Altered, Doubt::Conflict, Doubt::Silent, Doubt::Unsent];
    const SIGHTS: [Sight; 5] = [Sight::Blind, Sight::Exact, Sight::Moved, Sight::Same, Sight::Unfit];

    #[test]
    fn only_the_exact_keyring_settles_whatever_the_doubt() {
        for doubt in DOUBTS {
            for sight in SIGHTS {
                let settled = after_look(doubt, sight) == Verdict::Settled;
                assert_eq!(settled, sight == Sight::Exact, "{doubt:?} {sight:?}");
            }
        }
    }

    #[test]
    fn a_silent_write_is_unsettled_unless_the_version_moved_on() {
        assert_eq!(after_look(Doubt::Silent, Sight::Blind), Verdict::Unsettled);
        assert_eq!(after_look(Doubt::Silent, Sight::Same), Verdict::Unsettled);
        assert_eq!(after_look(Doubt::Silent, Sight::Unfit), Verdict::Unsettled);
        assert_eq!(after_look(Doubt::Silent, Sight::Moved), Verdict::Superseded);
    }

    #[test]
    fn a_write_that_left_is_unsettled_whenever_the_look_shows_nothing() {
        for doubt in DOUBTS {
            let expected = if doubt == Doubt::Unsent { Verdict::Unsent } else { Verdict::Unsettled };
            assert_eq!(after_look(doubt, Sight::Blind), expected, "{doubt:?}");
        }
    }

    #[test]
    fn an_altered_write_is_unsettled_while_the_version_has_not_moved() {
        assert_eq!(after_look(Doubt::Altered, Sight::Same), Verdict::Unsettled);
        assert_eq!(after_look(Doubt::Altered, Sight::Moved), Verdict::Altered);
        assert_eq!(after_look(Doubt::Altered, Sight::Unfit), Verdict::Altered);
    }

    #[test]
    fn a_conflict_that_was_looked_into_is_never_unsettled() {
        for sight in SIGHTS.into_iter().filter(|sight| *sight != Sight::Blind) {
            assert_ne!(after_look(Doubt::Conflict, sight), Verdict::Unsettled, "{sight:?}");
        }
    }
}
