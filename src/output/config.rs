//! `config`: the settings in force.

use serde::{Serialize, Serializer};

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::add_line;
use crate::output::visible::visible;
use crate::query::secret_name;

const COLUMNS: [Column; 3] =
    [column("NAME", Keep::Always), column("ORIGIN", Keep::Until(1)), column("VALUE", Keep::Wrap(20))];

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
        Self { name: name.to_owned(), value: secret_name::shown(name, value), origin }
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

/// Returns the table, and what is not read below it.
pub(crate) fn render(view: &ConfigView, layout: Layout) -> String {
    let row = |setting: &SettingView| vec![setting.name.clone(), setting.origin.words(), setting.value.clone()];
    let rows: Vec<Vec<String>> = view.settings.iter().map(row).collect();
    let mut text = if rows.is_empty() { String::new() } else { table::render(&COLUMNS, &rows, layout) };
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
