//! The next nominal times of a frequency: the frequency in words, a table of times, the days with gaps and folds
//! marked.

use crate::output::form::Form;
use crate::output::json;
use crate::output::screen::{Layout, Screen};
use crate::output::table::{self, Column, Keep, column, number};
use crate::output::text::{add_line, block};
use howdah_answers::check::next::{DueTime, Forecast};
use howdah_words::error::Result;

const COLUMNS: [Column; 4] = [
    number("#", Keep::Until(1)),
    column("NOMINAL TIME", Keep::Always),
    column("LOCAL TIME", Keep::Always),
    column("CLOCKS", Keep::Wrap(20)),
];

/// Prints the times.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(forecast: &Forecast, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    match form {
        Form::Json => json::print(&mut screen, forecast),
        Form::Text => {
            let layout = screen.layout();
            screen.write(render(forecast, layout))
        }
        Form::Quiet => {
            let mut lines = String::new();
            forecast.times.iter().for_each(|due| add_line(&mut lines, &due.nominal_time));
            screen.write(lines)
        }
    }
}

fn render(forecast: &Forecast, layout: Layout) -> String {
    let frequency = match forecast.time_unit {
        "CRON" => format!("{} (cron)", forecast.frequency),
        unit => format!("{} {unit}", forecast.frequency),
    };
    let mut text = block(&[
        ("Frequency", Some(frequency)),
        ("In words", Some(forecast.in_words.clone())),
        ("Clock", Some(forecast.clock.clone())),
        ("Start", Some(forecast.start_time.clone())),
        ("End", forecast.end_time.clone()),
    ]);
    if !forecast.times.is_empty() {
        let rows: Vec<Vec<String>> = forecast.times.iter().map(row).collect();
        text.push('\n');
        text.push_str(&table::render(&COLUMNS, &rows, layout));
    }
    if forecast.complete {
        let count = forecast.times.len();
        text.push('\n');
        add_line(
            &mut text,
            match count {
                0 => "No time before the end.".to_owned(),
                _ => format!("No further time before the end: {count} in all."),
            },
        );
    }
    text
}

fn row(due: &DueTime) -> Vec<String> {
    let change = due.clock_change.as_ref().map(|change| format!("{}: {}", change.kind, change.in_words));
    let marks: Vec<String> = change.into_iter().chain(due.note.clone()).collect();
    vec![
        due.action_number.to_string(),
        due.nominal_time.clone(),
        format!("{} {} {}", due.weekday, due.local_time.replace('T', " "), due.offset),
        marks.join("; "),
    ]
}
