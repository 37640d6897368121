//! `config`: the settings in force.

use serde::{Serialize, Serializer};

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::add_line;
use crate::output::visible::visible;
use howdah_words::model::secret_text;

const COLUMNS: [Column; 3] =
    [column("NAME", Keep::Always), column("ORIGIN", Keep::Always), column("VALUE", Keep::Wrap(LEAST_VALUE))];

/// The least room for values in a table; with less each setting has lines of its own.
const LEAST_VALUE: usize = 20;

/// How many names that are not read are listed.
const MOST_UNKNOWN: usize = 10;

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ConfigView {
    pub(crate) settings: Vec<SettingView>,
    /// The properties of the site file that howdah does not read.
    pub(crate) unknown: Vec<UnknownView>,
}

/// A setting with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SettingView {
    pub(crate) name: String,
    /// Hidden when the name says that it is a secret; empty when the setting has no value.
    pub(crate) value: String,
    #[serde(serialize_with = "origin")]
    pub(crate) origin: Origin,
}

impl SettingView {
    /// Returns a setting, its value hidden when it is a secret.
    pub(crate) fn new(name: &str, value: String, origin: Origin) -> Self {
        Self { name: name.to_owned(), value: secret_text::shown_setting(name, value), origin }
    }

    /// Returns the setting with a given value that cannot be used, so that the default counts.
    pub(crate) fn instead_of(self, unusable: &str) -> Self {
        let given = secret_text::shown_setting(&self.name, unusable.to_owned());
        let value = match self.value.as_str() {
            "" => format!("[{given}] cannot be used"),
            default => format!("{default} (default; [{given}] cannot be used)"),
        };
        Self { value, ..self }
    }
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    /// The site file, in this line.
    Site {
        line: Option<usize>,
    },
    /// A variable of the environment.
    Environment(&'static str),
    /// An option of the command line.
    CommandLine(&'static str),
}

impl Origin {
    fn words(&self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::Site { line: Some(line) } => format!("site file, line {line}"),
            Self::Site { line: None } => "site file".to_owned(),
            Self::Environment(name) => format!("environment ({name})"),
            Self::CommandLine(option) => format!("command line ({option})"),
        }
    }
}

fn origin<S: Serializer>(origin: &Origin, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&origin.words())
}

/// A property of the site file that howdah does not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UnknownView {
    pub(crate) name: String,
    pub(crate) line: Option<usize>,
    /// The setting that was probably meant.
    pub(crate) near: Option<String>,
}

/// Returns a setting as a line with its name and origin, and its value below.
fn paragraph(setting: &SettingView, width: usize) -> String {
    let mut text = String::new();
    let origin = format!("  {}", setting.origin.words());
    let name = visible(&setting.name);
    if cells::width(&name) + cells::width(&origin) <= width {
        add_line(&mut text, name + &origin);
    } else {
        add_line(&mut text, name);
        add_line(&mut text, origin);
    }
    let value = if setting.value.is_empty() { "-".to_owned() } else { visible(&setting.value) };
    for line in cells::wrapped(&value, width.saturating_sub(4)) {
        add_line(&mut text, format!("    {line}"));
    }
    text
}

/// Returns the table, and what is not read below it.
pub(crate) fn render(view: &ConfigView, layout: Layout) -> String {
    let row = |setting: &SettingView| vec![setting.name.clone(), setting.origin.words(), setting.value.clone()];
    let rows: Vec<Vec<String>> = view.settings.iter().map(row).collect();
    let widest = |column: usize| rows.iter().map(|row| cells::width(&row[column])).max().unwrap_or(0);
    let least = widest(0) + widest(1) + LEAST_VALUE + 4;
    let mut text = match layout.width.filter(|width| least > *width) {
        _ if rows.is_empty() => String::new(),
        Some(width) => view.settings.iter().map(|setting| paragraph(setting, width)).collect(),
        None => table::render(&COLUMNS, &rows, layout),
    };
    if view.unknown.is_empty() {
        return text;
    }
    add_line(&mut text, "\nNot read by howdah:");
    for unknown in view.unknown.iter().take(MOST_UNKNOWN) {
        let line = unknown.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let near = unknown.near.as_deref().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        add_line(&mut text, format!("  {}{line}{near}", visible(&unknown.name)));
    }
    let more = view.unknown.len().saturating_sub(MOST_UNKNOWN);
    if more > 0 {
        add_line(&mut text, format!("  and {more} more; --json lists all"));
    }
    text
}
