//! The zone rules that are compiled in: `zones.txt`, which has the rules of chrono-tz, a line for each zone.
//!
//! A text is not touched before a line of it is read. Tables of pointers would be written by the loader each time the
//! program starts, which took a fifth of the time of a short command. Must not depend on the zones that Java knows.
//!
//! A line has four parts, with tabs between them: the id; the settings of the clocks as `offset,saving,name` with
//! seconds; the changes, each as the seconds since the one before it (the first since 1970) and the letter of the
//! setting that starts, `a` for the first one; and the rule that repeats every year. A zone with the rules of another
//! one has only the id and `=` with the other id.

use super::setting::Setting;
use super::yearly_rule::YearlyRule;
use super::zone_table::ZoneTable;

/// The release of the tz database that is compiled in.
pub const RELEASE: &str = "2025b";

/// Lines in the order of their ids, as bytes.
const ZONES: &str = include_str!("zones.txt");

/// Returns the ids of all zones, in order.
pub(super) fn ids() -> impl Iterator<Item = &'static str> + Clone {
    ZONES.lines().filter_map(|line| line.split('\t').next())
}

/// Returns an id as it is kept here; `None` where there is no such zone.
pub(super) fn find(id: &str) -> Option<&'static str> {
    line(id).map(|(id, _)| id)
}

/// Returns the rules of a zone; `None` where there is no such zone.
pub(super) fn table(id: &str) -> Option<ZoneTable> {
    let (_, rules) = line(id)?;
    let (_, rules) = rules.strip_prefix('=').map_or(Some(("", rules)), line)?;
    let mut parts = rules.split('\t');
    let settings: Vec<Setting> = parts.next()?.split(' ').map(setting).collect::<Option<_>>()?;
    let changes = changes(parts.next()?, &settings)?;
    let rule = parts.next().filter(|rule| !rule.is_empty());
    let rule = rule.map(|rule| YearlyRule::parse(rule).ok_or(())).transpose().ok()?;
    Some(ZoneTable { first: settings.first()?.clone(), changes, rule })
}

/// Returns the id and the rest of its line.
fn line(id: &str) -> Option<(&'static str, &'static str)> {
    let mut rest = ZONES;
    while !rest.is_empty() {
        // The line in the middle of what is left.
        let before = memchr::memrchr(b'\n', &rest.as_bytes()[..rest.len() / 2]);
        let start = before.map_or(0, |end| end + 1);
        let end = start + memchr::memchr(b'\n', &rest.as_bytes()[start..])?;
        let (found, rules) = rest[start..end].split_once('\t')?;
        match id.cmp(found) {
            std::cmp::Ordering::Less => rest = &rest[..start],
            std::cmp::Ordering::Equal => return Some((found, rules)),
            std::cmp::Ordering::Greater => rest = &rest[end + 1..],
        }
    }
    None
}

fn setting(text: &str) -> Option<Setting> {
    let mut parts = text.split(',');
    let (offset, saving) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Setting { offset, saving, name: parts.next()?.into() })
}

fn changes(text: &str, settings: &[Setting]) -> Option<Vec<(i64, Setting)>> {
    let mut at = 0;
    let change = |part: &str| {
        let (seconds, letter) = part.split_at_checked(part.len() - 1)?;
        at += seconds.parse::<i64>().ok()?;
        let number = letter.bytes().next()?.checked_sub(b'a')?;
        Some((at, settings.get(usize::from(number))?.clone()))
    };
    text.split_inclusive(|c: char| c.is_ascii_lowercase()).map(change).collect()
}

#[cfg(test)]
mod tests;
