//! Parses the text of a cron frequency: five fields, each a list of values, ranges, steps and day rules.
//!
//! Decides which texts are cron frequencies. Must not depend on when they fire.

use super::Cron;
use super::field::Field;
use super::rule::DayRule;
use howdah_words::error::Span;

/// The error for a text that is not a cron frequency.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CronError {
    /// The part of the text that is wrong.
    pub span: Span,
    /// What is wrong with it.
    pub message: String,
}

type Result<T> = std::result::Result<T, CronError>;

/// A piece of the text and where it starts.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    start: usize,
}

/// One element of a list.
enum Item {
    /// Bit *n* is value *n*.
    Values(u64),
    /// A day rule; in a list it counts with the smallest day of the list, as in Quartz.
    Day(DayRule),
}

impl Cron {
    /// Reads an expression of exactly five fields with single blanks between them; blanks at the end are ignored.
    pub fn parse(text: &str) -> Result<Self> {
        let [minute, hour, day_of_month, month, day_of_week] = fields(text)?;
        let minutes = values(Field::Minute, minute)?;
        let hours = values(Field::Hour, hour)?;
        let months = values(Field::Month, month)?;
        let (days, other_days) = match (day_of_month.text, day_of_week.text) {
            ("?", "?") => {
                return Err(day_of_week.error("only one of day of month and day of week can be '?'".to_owned()));
            }
            ("?", _) => (day_rule(Field::DayOfWeek, day_of_week)?, None),
            (_, "?") => (day_rule(Field::DayOfMonth, day_of_month)?, None),
            ("*", _) => (day_rule(Field::DayOfWeek, day_of_week)?, None),
            (_, "*") => (day_rule(Field::DayOfMonth, day_of_month)?, None),
            _ => {
                let other = day_rule(Field::DayOfWeek, day_of_week)?;
                (day_rule(Field::DayOfMonth, day_of_month)?, Some(other))
            }
        };
        Ok(Self { text: text.to_owned(), minutes, hours, months, days, other_days })
    }
}

fn fields(text: &str) -> Result<[Piece<'_>; 5]> {
    let whole = text.trim_end_matches(' ');
    let mut start = 0;
    let mut pieces = Vec::new();
    for part in whole.split(' ').take(Field::ALL.len() + 1) {
        pieces.push(Piece { text: part, start });
        start += part.len() + 1;
    }
    if let Some(empty) = pieces.iter().find(|piece| piece.text.is_empty()) {
        return Err(empty.error("must have 5 fields with a single blank between them".to_owned()));
    }
    pieces.try_into().map_err(|_| {
        let message = "must have 5 fields: minute, hour, day of month, month, day of week".to_owned();
        CronError { span: Span::new(0, whole.len()), message }
    })
}

/// Returns the values of a field that is not a day field, or the error that it has a rule for days.
fn values(field: Field, piece: Piece<'_>) -> Result<u64> {
    piece.list().try_fold(0, |all, item| match read_item(field, item)? {
        Item::Values(values) => Ok(all | values),
        Item::Day(_) => Err(item.error(format!("'{}' is not a valid {}", item.text, field.name()))),
    })
}

/// Returns the rule of a day field; a list may have at most one `W` or `#`, and no `L` with other days.
fn day_rule(field: Field, piece: Piece<'_>) -> Result<DayRule> {
    let mut days = 0;
    let mut rule = None;
    for item in piece.list() {
        match read_item(field, item)? {
            Item::Values(values) => days |= values,
            Item::Day(_) if rule.is_some() => {
                return Err(item.error("only one day with L, W or # is allowed".to_owned()));
            }
            Item::Day(special) => rule = Some(special),
        }
        let last = item.text.contains(['L', 'l']) && item.text.len() < piece.text.len();
        if last {
            return Err(piece.error(format!("L cannot be combined with other values of the {}", field.name())));
        }
    }
    let least = |day: u32| (days | 1 << day).trailing_zeros();
    Ok(match rule {
        Some(DayRule::Nearest(day)) => DayRule::Nearest(least(day)),
        Some(DayRule::Nth { weekday, number }) => DayRule::Nth { weekday: least(weekday), number },
        Some(rule) => rule,
        None if field == Field::DayOfWeek => DayRule::Weekdays(days),
        None => DayRule::Days(days),
    })
}

fn read_item(field: Field, item: Piece<'_>) -> Result<Item> {
    let upper = item.text.to_ascii_uppercase();
    if let Some(rule) = read_rule(field, item, &upper)? {
        return Ok(rule);
    }
    if let Some((first, last)) = read_names(field, item, &upper)? {
        return Ok(Item::Values(between(field, (first, last), 1)));
    }
    read_numbers(field, item).map(Item::Values)
}

/// Reads `L`, `LW`, `L-n`, `L-nW`, `nW` of the month; `L`, `nL`, `n#k`, also with a name, of the week.
fn read_rule(field: Field, item: Piece<'_>, upper: &str) -> Result<Option<Item>> {
    match field {
        Field::DayOfMonth => read_month_rule(item, upper).map(|rule| rule.map(Item::Day)),
        Field::DayOfWeek if upper == "L" => Ok(Some(Item::Values(1 << 7))),
        Field::DayOfWeek => read_week_rule(item, upper).map(|rule| rule.map(Item::Day)),
        Field::Minute | Field::Hour | Field::Month => Ok(None),
    }
}

fn read_month_rule(item: Piece<'_>, upper: &str) -> Result<Option<DayRule>> {
    let (day, weekday) = upper.strip_suffix('W').map_or((upper, false), |day| (day, true));
    let Some(rest) = day.strip_prefix('L') else {
        if weekday && !day.is_empty() {
            return number(Field::DayOfMonth, item, day).map(|day| Some(DayRule::Nearest(day)));
        }
        return Ok(None);
    };
    let before = match rest.strip_prefix('-') {
        Some(digits) => digits.parse().ok().filter(|before| *before <= 30 && all_digits(digits)),
        None if rest.is_empty() => Some(0),
        None => None,
    };
    let before = before.ok_or_else(|| item.error("L can be followed by '-', a number up to 30, and W".to_owned()))?;
    Ok(Some(if weekday { DayRule::LastWeekday { before } } else { DayRule::Last { before } }))
}

fn read_week_rule(item: Piece<'_>, upper: &str) -> Result<Option<DayRule>> {
    let weekday = |text: &str| match Field::DayOfWeek.number_of(text) {
        Some(number) => Ok(number),
        None => number(Field::DayOfWeek, item, text),
    };
    if let Some(day) = upper.strip_suffix('L') {
        return weekday(day).map(|day| Some(DayRule::LastOf(day)));
    }
    let Some((day, count)) = upper.split_once('#') else { return Ok(None) };
    let number = count.parse().ok().filter(|number| (1..=5).contains(number) && all_digits(count));
    let number = number.ok_or_else(|| item.error("a number from 1 to 5 must follow '#'".to_owned()))?;
    Ok(Some(DayRule::Nth { weekday: weekday(day)?, number }))
}

/// Reads `NAME` or `NAME-NAME`; `None` when the item does not start with a letter.
fn read_names(field: Field, item: Piece<'_>, upper: &str) -> Result<Option<(u32, u32)>> {
    if !upper.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Ok(None);
    }
    let (first, last) = upper.split_once('-').unwrap_or((upper, upper));
    match (field.number_of(first), field.number_of(last)) {
        (Some(first), Some(last)) => Ok(Some((first, last))),
        (Some(_), None) if last.starts_with(|digit: char| digit.is_ascii_digit()) => {
            Err(item.error("a range cannot mix a name and a number".to_owned()))
        }
        _ => Err(item.error(format!("'{}' is not a valid {}", item.text, field.name()))),
    }
}

/// Reads `*`, `*/n`, `/n`, `n`, `n/n`, `n-n`, `n-n/n`.
fn read_numbers(field: Field, item: Piece<'_>) -> Result<u64> {
    let (base, step) = match item.text.split_once('/') {
        Some((base, step)) => (base, Some(step)),
        None => (item.text, None),
    };
    let (least, greatest) = field.range();
    let (first, last) = match (base.split_once('-'), base) {
        (None, "*") => (least, greatest),
        (None, "") if step.is_some() => (least, greatest),
        (None, _) => {
            let first = number(field, item, base)?;
            (first, if step.is_some() { greatest } else { first })
        }
        (Some((first, last)), _) => (number(field, item, first)?, number(field, item, last)?),
    };
    let step = match step {
        None => 1,
        Some(digits) => {
            let limit = if base.contains('-') { u32::MAX } else { widest_step(field) };
            let step = digits.parse().ok().filter(|step| all_digits(digits) && *step <= limit);
            step.ok_or_else(|| item.error(format!("a step of the {} is a number up to {limit}", field.name())))?
        }
    };
    // A step of zero repeats every value of `*`, and adds none after a number.
    let (last, step) = match (step, base) {
        (0, "*" | "") => (last, 1),
        (0, _) => (first, 1),
        _ => (last, step),
    };
    Ok(between(field, (first, last), step))
}

/// Returns the widest step that may follow `*` or a number.
fn widest_step(field: Field) -> u32 {
    field.range().1
}

/// Returns the values from `first` to `last`; wraps after the greatest value of the field.
fn between(field: Field, (first, last): (u32, u32), step: u32) -> u64 {
    let (least, greatest) = field.range();
    let size = greatest - least + 1;
    let end = if last < first { last + size } else { last };
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    (first..=end).step_by(step).fold(0, |values, value| values | 1 << ((value - least) % size + least))
}

/// Returns a value of the field.
fn number(field: Field, item: Piece<'_>, digits: &str) -> Result<u32> {
    let (least, greatest) = field.range();
    digits.parse().ok().filter(|value| all_digits(digits) && (least..=greatest).contains(value)).ok_or_else(|| {
        item.error(format!(
            "'{}' is not a valid {}: write a number from {least} to {greatest}",
            item.text,
            field.name()
        ))
    })
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Piece<'a> {
    fn error(self, message: String) -> CronError {
        CronError { span: Span::new(self.start, self.start + self.text.len()), message }
    }

    /// Returns the pieces between commas.
    fn list(self) -> impl Iterator<Item = Piece<'a>> {
        let mut start = self.start;
        self.text.split(',').map(move |text| {
            let piece = Piece { text, start };
            start += text.len() + 1;
            piece
        })
    }
}
