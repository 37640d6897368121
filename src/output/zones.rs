//! Zones, offsets and converted times, for people and for other programs.

use crate::output::form::Form;
use crate::output::json;
use crate::output::screen::{Layout, Screen};
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::{add_line, block};
use howdah_answers::check::zones::change::ClockChangeView;
use howdah_answers::check::zones::{Conversion, Converted, OffsetView, ZoneList, ZoneView};
use howdah_words::error::Result;

const COLUMNS: [Column; 5] = [
    column("ZONE", Keep::Always),
    column("OFFSET", Keep::Always),
    column("DST", Keep::Until(1)),
    column("NEXT CHANGE", Keep::Until(2)),
    column("TO", Keep::Until(2)),
];

/// Prints the list of zones.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn list(list: &ZoneList, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    match form {
        Form::Json => json::print(&mut screen, list),
        Form::Text => {
            let layout = screen.layout();
            screen.write(list_text(list, layout))
        }
        Form::Quiet => {
            let mut ids = String::new();
            list.zones.iter().for_each(|zone| add_line(&mut ids, zone.id));
            screen.write(ids)
        }
    }
}

fn list_text(list: &ZoneList, layout: Layout) -> String {
    let row = |zone: &ZoneView| {
        let change = zone.next_change.as_ref();
        vec![
            zone.id.to_owned(),
            zone.offset.clone(),
            if zone.daylight_saving { "yes" } else { "no" }.to_owned(),
            change.map(|change| change.at.clone()).unwrap_or_default(),
            change.map(|change| change.offset.clone()).unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = list.zones.iter().map(row).collect();
    let mut text = table::render(&COLUMNS, &rows, layout);
    let count = match rows.len() {
        1 => "1 zone".to_owned(),
        count => format!("{count} zones"),
    };
    add_line(
        &mut text,
        format!("\n{count} at {} (tz database {}, {})", list.time, list.tz_database, list.tz_database_place),
    );
    text
}

/// Prints an offset, or the difference of two.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn offset(view: &OffsetView, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    match form {
        Form::Json => json::print(&mut screen, view),
        Form::Quiet => screen.write(format!("{}\n", view.tz_offset.unwrap_or(view.offset_minutes))),
        Form::Text => screen.write(offset_text(view)),
    }
}

fn offset_text(view: &OffsetView) -> String {
    let zone = |view: &OffsetView| {
        let season = if view.daylight_saving { ", summer time" } else { "" };
        format!("{} minutes ({}){season}; {} there", view.offset_minutes, view.offset, view.local_time)
    };
    let difference = view.tz_offset.zip(view.other.as_ref()).map(|(minutes, other)| {
        format!("{minutes} minutes, for a dataset in {} and a coordinator in {}", view.zone, other.zone)
    });
    let other = view.other.as_ref().map(|other| (other.zone.as_str(), Some(zone(other))));
    let mut lines = vec![("At", Some(view.time.clone())), (view.zone.as_str(), Some(zone(view)))];
    lines.extend(other);
    lines.push(("coord:tzOffset()", difference));
    block(&lines)
}

/// Prints a time in another zone.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn conversion(conversion: &Conversion, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    match form {
        Form::Json => json::print(&mut screen, conversion),
        Form::Quiet => {
            let mut times = String::new();
            conversion
                .instants
                .iter()
                .for_each(|found| add_line(&mut times, format!("{}{}", found.local_time, found.offset)));
            screen.write(times)
        }
        Form::Text => screen.write(conversion_text(conversion)),
    }
}

fn conversion_text(conversion: &Conversion) -> String {
    let zone = conversion.zone.as_str();
    let instants = match (conversion.instants.as_slice(), &conversion.given) {
        ([first, second], _) => {
            let (first, second) = (converted_text(first, zone), converted_text(second, zone));
            format!("The first time:\n{first}\nThe second time, which counts:\n{second}")
        }
        ([taken], Some(_)) => {
            format!("It counts as if the clocks had not been put forward:\n{}", converted_text(taken, zone))
        }
        (instants, _) => instants.iter().map(|found| converted_text(found, zone)).collect(),
    };
    match &conversion.given {
        Some(given) if given.kind == "gap" => {
            format!("This is in a gap: the clocks went from {} to {}.\n\n{instants}", given.from, given.to)
        }
        Some(given) => {
            format!("This is in a fold: the clocks went back from {} to {}.\n\n{instants}", given.to, given.from)
        }
        None => instants,
    }
}

fn converted_text(found: &Converted, zone: &str) -> String {
    let marked = |change: &ClockChangeView| format!("{} on that day: {}", change.kind, change.in_words);
    block(&[
        ("UTC", Some(found.utc.clone())),
        ("Processing", found.processing.clone()),
        (zone, Some(format!("{}{} ({})", found.local_time, found.offset, found.weekday)).filter(|_| zone != "UTC")),
        ("Clocks", found.clock_change.as_ref().map(marked)),
    ])
}
