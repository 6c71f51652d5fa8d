//! A time as a person reads it.

/// Milliseconds since 1970-01-01 UTC as RFC 3339 in whole seconds, such as `2026-11-29T16:00:00Z`.
///
/// The civil date comes from the day number by the proleptic Gregorian calendar's cycle of 400 years.
pub fn utc(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    // Years are counted from March, so that a leap day is a year's last.
    let from_march = day + 719_468;
    let (cycle, day_of_cycle) = (from_march / 146_097, from_march % 146_097);
    let year = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) =
        (cycle * 400 + year + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_days_and_turns_of_the_year_are_where_they_belong() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"),
            (1_785_715_200_000, "2026-08-03T00:00:00Z"),
            (1_798_761_599_000, "2026-12-31T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(milliseconds), text);
        }
    }
}
