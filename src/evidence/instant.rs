//! The date and time strings of ECMA-262, section 21.4.1.32.

/// Whether the text is one: a date to the year, month or day, or such a date with a time, whose fields are
/// in range. A shape that only an engine's own parser would take, such as `3 August 2026`, is none.
pub(super) fn is_instant(text: &str) -> bool {
    match text.split_once('T') {
        None => is_date(text),
        Some((date, time)) => is_date(date) && is_time(time),
    }
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, or with a sign and six digits of the year.
fn is_date(text: &str) -> bool {
    let (digits, rest) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (6, rest),
        None => (4, text),
    };
    let mut fields = rest.split('-');
    let year = fields.next().is_some_and(|field| field.len() == digits && is_digits(field));
    let month = fields.next().is_none_or(|field| in_range(field, 1, 12));
    let day = fields.next().is_none_or(|field| in_range(field, 1, 31));
    // A year of minus zero is excluded by name.
    year && month && day && fields.next().is_none() && !text.starts_with("-000000")
}

/// `HH:mm`, `HH:mm:ss` or `HH:mm:ss.s…`, then nothing, `Z` or `±HH:mm`. Midnight may be written as `24:00`.
fn is_time(text: &str) -> bool {
    let clock = match text.strip_suffix('Z') {
        Some(clock) => clock,
        None => match text.split_once(['+', '-']) {
            None => text,
            Some((clock, offset)) => {
                if !offset.split_once(':').is_some_and(|(h, m)| in_range(h, 0, 23) && in_range(m, 0, 59)) {
                    return false;
                }
                clock
            }
        },
    };
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(clock, f)| (clock, Some(f)));
    let fields: Vec<_> = clock.split(':').collect();
    let midnight = fields.first() == Some(&"24");
    let zero = |text: &str| text.bytes().all(|byte| byte == b'0');
    let rest_is_zero = fields.iter().skip(1).all(|field| zero(field)) && fraction.is_none_or(zero);
    let hour = fields.first().is_some_and(|field| in_range(field, 0, 23)) || midnight && rest_is_zero;
    let others = fields.iter().skip(1).all(|field| in_range(field, 0, 59));
    let fraction_fits = fraction.is_none_or(|f| fields.len() == 3 && !f.is_empty() && is_digits(f));
    (2..=3).contains(&fields.len()) && hour && others && fraction_fits
}

fn in_range(field: &str, low: u8, high: u8) -> bool {
    field.len() == 2
        && is_digits(field)
        && field.parse().is_ok_and(|number: u8| (low..=high).contains(&number))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_standard_writes_is_an_instant_and_nothing_near_it() {
        let good = [
            "2026-08-03T00:00:00.000Z",
            "2026",
            "2026-08",
            "2026-08-03",
            "+002026-08-03T10:11Z",
            "2026-08-03T10:11:12+01:30",
            "2026-08-03T10:11",
            "2026-08-03T24:00:00.0",
        ];
        let bad = [
            "",
            "T",
            "not a time",
            "2026-13-03",
            "2026-00-03",
            "2026-08-32",
            "2026-8-3",
            "2026-08-03T",
            "2026-08-03T25:00Z",
            "2026-08-03T24:01Z",
            "2026-08-03T10:60Z",
            "2026-08-03T10:11:12.Z",
            "2026-08-03T10:11.5Z",
            "2026-08-03T10:11:12+1:30",
            "2026-08-03T10Z",
            "2026-08-03-01",
            "-000000",
            "26-08-03",
            "2026-08-03T10:11:12ZZ",
        ];
        assert_eq!(good.map(is_instant), [true; 8]);
        assert_eq!(bad.map(is_instant), [false; 19]);
    }
}
