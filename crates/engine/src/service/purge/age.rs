//! Ages as an operator writes them: `30d`, `12h`, `2w`.

use howdah_words::model::time::{DAY, HOUR};

/// The oldest age: older than any date in use.
const OLDEST_DAYS: i64 = 365 * 1000;

/// Returns the seconds of an age; a sentence for an invalid text.
pub fn parse(text: &str) -> Result<i64, String> {
    let refuse = || "it must be a number with h (hours), d (days) or w (weeks) behind it, such as 30d".to_owned();
    let number = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = match &text[number.len()..] {
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return Err(refuse()),
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refuse());
    }
    let number: i64 = number.parse().map_err(|_| refuse())?;
    number
        .checked_mul(unit)
        .filter(|seconds| *seconds <= OLDEST_DAYS * DAY)
        .ok_or_else(|| "it is more than a thousand years".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_a_number_and_a_unit() {
        let check = |text: &str, expect: Option<i64>| assert_eq!(parse(text).ok(), expect, "{text}");
        check("30d", Some(30 * DAY));
        check("12h", Some(12 * HOUR));
        check("2w", Some(14 * DAY));
        check("0d", Some(0));
        for wrong in
            ["", "30", "d", "-1d", "+1d", "1.5d", "1 d", "30D", "30m", "1d2h", "٣d", "400000d", "99999999999999999999d"]
        {
            check(wrong, None);
        }
    }
}
