//! What reading the receipts and orders has in common.

use serde::Deserialize;
use serde_json::Value;

use super::Error;

/// Reads an object with exactly the members of `T`; anything else is a [`Error::Shape`] of `what`.
///
/// The check for an object is ours: `serde` would also read a struct from an array.
pub(super) fn object<'a, T: Deserialize<'a>>(what: &'static str, value: &'a Value) -> Result<T, Error> {
    if !value.is_object() {
        return Err(Error::Shape(what));
    }
    T::deserialize(value).map_err(|_detail| Error::Shape(what))
}

/// A time or count that every JSON reader holds exactly.
pub(super) fn integer(name: &'static str, value: u64) -> Result<u64, Error> {
    if value <= MAX_INTEGER { Ok(value) } else { Err(Error::Member(name)) }
}

/// 2^53 - 1, the largest integer that an ECMAScript number holds safely.
pub(super) const MAX_INTEGER: u64 = 9_007_199_254_740_991;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::keyring::Request;

    #[test]
    fn a_list_of_the_right_values_is_no_object() {
        assert_eq!(Request::from_value(&json!(["key", "a", "b", "c"])), Err(Error::Shape("request")));
    }

    #[test]
    fn integers_end_where_ecmascript_counts_no_further() {
        assert_eq!(integer("time", MAX_INTEGER), Ok(MAX_INTEGER));
        assert_eq!(integer("time", MAX_INTEGER + 1), Err(Error::Member("time")));
    }
}
