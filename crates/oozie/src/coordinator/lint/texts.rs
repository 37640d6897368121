//! Texts in a definition that do not mean what their author intended: patterns of dates, datasets that are not used,
//! days of the week in a cron frequency.
//!
//! Works on the document, so it needs no property.

use std::collections::BTreeSet;

use memchr::memchr_iter;

use crate::coordinator::outline::Outline;
use howdah_calendar::Frequency;
use howdah_el::{Call, ExprKind, Template, Value, is_literal};
use howdah_words::error::{Error, ErrorCode, Location};
use howdah_xml::{Document, Element, Text};

/// Returns W0124 for patterns and W0125 for unused datasets.
pub fn document_warnings(document: &Document) -> Vec<Error> {
    let mut warnings = Vec::new();
    patterns(&document.root, document, &mut warnings);
    warnings.extend(unused_datasets(document));
    warnings
}

/// Sets of days that people mean when they count as in cron, where Monday is 1 and Saturday and Sunday are 6 and 7.
const AS_IN_CRON: [&[u32]; 6] =
    [&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 7], &[1, 3, 5], &[6, 7], &[5, 6, 7]];

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Returns W0123 for a cron frequency whose numbers are the working days or the weekend of cron: here 1 is Sunday.
pub(super) fn days_of_week(outline: &Outline) -> Option<Error> {
    let Frequency::Cron(cron) = &outline.schedule.as_ref()?.frequency else { return None };
    let field = cron.text().split_whitespace().nth(4)?;
    let days = numbered_days(field)?;
    let place = outline.frequency_place.clone()?;
    let is_meant_as_in_cron = AS_IN_CRON.iter().any(|meant| meant.iter().eq(&days));
    let names: Vec<&str> = days.iter().filter_map(|day| DAYS.get(*day as usize - 1).copied()).collect();
    is_meant_as_in_cron.then(|| Error::with(ErrorCode::W0123, &[&field, &names.join(", ")]).at(place))
}

/// Returns the days of a field that has numbers only; `None` for any other.
fn numbered_days(field: &str) -> Option<BTreeSet<u32>> {
    let mut days = BTreeSet::new();
    for part in field.split(',') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last, step) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?, step.parse::<usize>().ok()?);
        if step == 0 || first < 1 || last > 7 || (first == last && step > 1) {
            return None;
        }
        days.extend((first..=last).step_by(step));
    }
    Some(days)
}

/// Adds W0124 for each pattern of `coord:formatTime` below an element that is probably wrong.
fn patterns(element: &Element, document: &Document, warnings: &mut Vec<Error>) {
    let texts = element.attributes.iter().map(|attribute| &attribute.value).chain(element.texts());
    for text in texts.filter(|text| formats_a_time(&text.value)) {
        let Ok(template) = Template::parse(&text.value) else { continue };
        warnings.extend(template.calls().filter_map(|call| pattern(call, text, document)));
    }
    for child in element.elements() {
        patterns(child, document, warnings);
    }
}

/// Returns whether a text may call `formatTime`: parsing only these texts saves most of the work.
fn formats_a_time(text: &str) -> bool {
    const SHORTEST: usize = "${formatTime(t,'')}".len();
    let bytes = text.as_bytes();
    bytes.len() >= SHORTEST && memchr_iter(b'T', bytes).any(|at| bytes[..at].ends_with(b"format"))
}

fn pattern(call: &Call, text: &Text, document: &Document) -> Option<Error> {
    let [_, pattern] = call.arguments.as_slice() else { return None };
    let ExprKind::Literal(Value::Text(letters)) = &pattern.kind else { return None };
    let (found, instead) = misused(letters).filter(|_| call.name == "formatTime")?;
    let warning = Error::with(ErrorCode::W0124, &[letters, &found]).help(format!("write {instead}"));
    Some(warning.at(document.locate(text.locate(pattern.span))))
}

/// Returns the letters of a pattern that are wrong next to the others, with their meaning and what to write instead.
fn misused(pattern: &str) -> Option<(&'static str, &'static str)> {
    // Text between quotes is copied.
    let letters: BTreeSet<char> = pattern.split('\'').step_by(2).flat_map(str::chars).collect();
    let has = |some: &[char]| some.iter().any(|letter| letters.contains(letter));
    if has(&['Y']) && !has(&['w', 'W']) {
        Some((
            "Y is the year of the week, which differs from the year around the first of January",
            "yyyy for the year",
        ))
    } else if has(&['D']) && has(&['M', 'd']) {
        Some(("D is the day of the year", "dd for the day of the month"))
    } else if has(&['m']) && has(&['y', 'Y']) && !has(&['M', 'L']) && (!has(&HOURS) || runs(pattern, 'm') > 1) {
        Some(("m is the minute", "MM for the month"))
    } else if has(&['M']) && has(&HOURS) && !has(&['m']) && (runs(pattern, 'M') > 1 || !has(&['d', 'D'])) {
        Some(("M is the month", "mm for the minute"))
    } else if has(&['h', 'K']) && !has(&['a', 'H', 'k']) {
        Some(("h and K count to 12, so two hours of a day have one text", "HH for the hour, or a beside it"))
    } else if has(&['S']) && has(&['m']) && !has(&['s']) {
        Some(("S is the millisecond", "ss for the second"))
    } else {
        None
    }
}

/// The letters of hours.
const HOURS: [char; 4] = ['H', 'h', 'k', 'K'];

/// Returns how often a letter, once or several times in a row, is in a pattern.
fn runs(pattern: &str, letter: char) -> usize {
    let bare: Vec<&str> = pattern.split('\'').step_by(2).collect();
    bare.iter().flat_map(|part| part.split(|other| other != letter)).filter(|run| !run.is_empty()).count()
}

/// Returns W0125 for each dataset of the definition that no event names.
fn unused_datasets(document: &Document) -> Vec<Error> {
    let root = &document.root;
    let lists = ["input-events", "output-events"].into_iter().filter_map(|list| root.child(list));
    let events: Vec<&Text> = lists.flat_map(Element::elements).filter_map(|event| event.attribute("dataset")).collect();
    if events.iter().any(|dataset| !is_literal(&dataset.value)) {
        return Vec::new();
    }
    let used: BTreeSet<&str> = events.iter().map(|dataset| dataset.value.trim()).collect();
    let datasets = root.child("datasets").into_iter().flat_map(|datasets| datasets.children_named("dataset"));
    let names = datasets.filter_map(|dataset| dataset.attribute("name"));
    let unused = names.filter(|name| is_literal(&name.value) && !used.contains(name.value.trim()));
    let place = |name: &Text| -> Location { document.locate(name.span) };
    unused.map(|name| Error::new(ErrorCode::W0125, &name.value).at(place(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn check(xml: &str, expect: &[&str]) {
        let document = read(&SourceText::new("c.xml", xml)).unwrap();
        let reported = |problem: &Error| {
            let place = problem.location().expect("a place");
            format!("{} {}", problem.code(), &place.source.text[place.span.start..place.span.end])
        };
        assert_eq!(document_warnings(&document).iter().map(reported).collect::<Vec<_>>(), expect, "{xml}");
    }

    #[test]
    fn patterns_that_are_probably_wrong() {
        for (pattern, expect) in [
            ("YYYY-MM-DD", true),
            ("yyyy-MM-DD", true),
            ("YYYY", true),
            ("yyyy/mm/dd", true),
            ("yyyy-MM-dd HH:mm", false),
            ("YYYY-ww", false),
            ("yyyyDDD", false),
            ("HHmm", false),
            ("yyyyMMddhh", true),
            ("KK:mm", true),
            ("hh:mm a", false),
            ("yyyy-mm-dd HH:mm", true),
            ("yyyy-MM-dd HH:MM", true),
            ("HH:MM", true),
            ("MMHH", true),
            ("MM-dd HH", false),
            ("HH:mm:SS", true),
            ("HH:mm:ss.SSS", false),
            ("yyyy'h'", false),
            ("'Year'yyyy'D'", false),
            ("${p}", false),
        ] {
            let xml = format!("<a><b c='${{1}}'>x ${{coord:formatTime(coord:nominalTime(), \"{pattern}\")}}</b></a>");
            let place = format!("W0124 \"{pattern}\"");
            let expect: Vec<&str> = expect.then_some(place.as_str()).into_iter().collect();
            check(&xml, &expect);
        }
        check("<a b=\"${formatTime(t,'Y')}\"/>", &["W0124 'Y'"]);
    }

    #[test]
    fn numbers_of_days() {
        for (field, expect) in [
            ("1-5", Some(5)),
            ("6,7", Some(2)),
            ("6-7", Some(2)),
            ("1,2,3,4,5", Some(5)),
            ("1-5/2", Some(3)),
            ("1-5,7", Some(6)),
            ("MON-FRI", None),
            ("*", None),
            ("2#1", None),
            ("1/2", None),
        ] {
            assert_eq!(numbered_days(field).map(|days| days.len()), expect, "{field}");
        }
    }

    #[test]
    fn datasets_that_no_event_names() {
        let xml = |events: &str| {
            format!("<c><datasets><dataset name='a'/><dataset name='b'/><include>x</include></datasets>{events}</c>")
        };
        check(&xml(""), &["W0125 a", "W0125 b"]);
        check(&xml("<input-events><data-in dataset='a'/></input-events>"), &["W0125 b"]);
        let both =
            "<input-events><data-in dataset='a'/></input-events><output-events><data-out dataset='b'/></output-events>";
        check(&xml(both), &[]);
        check(&xml("<input-events><data-in dataset='${which}'/></input-events>"), &[]);
    }
}
