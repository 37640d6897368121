//! `howdah config`: every setting in force, and where it comes from; needs no database.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::config::{self, ConfigView, Origin, SettingView, UnknownView};
use crate::output::screen::Screen;
use crate::output::{diagnostic, json};
use howdah_engine::settings::catalogue::{Setting, catalogue};
use howdah_engine::settings::{HADOOP_FOLDER, ZoneChoice};
use howdah_host::file_store;
use howdah_host::mounts::Mounts;
use howdah_host::variables;
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, did_you_mean};

/// Show every setting in force, and where it comes from
///
/// Lists the database, the site file, the mounts and each property of settings.md with its value and its origin: the
/// default, the site file with the line, a variable of the environment, or an option of the command line. Values whose
/// names look secret are hidden. Below are the properties of the site file that howdah does not read; one that is
/// nearly the name of a setting is also a warning (W0131).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah config\n\
\x20 howdah config --changed\n\
\x20 howdah config purge\n\
\x20 howdah --site /etc/howdah/site.xml config --json")]
pub(crate) struct ConfigArgs {
    /// Show only names that contain this text; letter case does not count
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Show only what is not the default
    #[arg(long)]
    changed: bool,
}

/// Shows the settings.
pub(crate) fn config(global: &GlobalArgs, arguments: &ConfigArgs) -> Result<Status, Failure> {
    let (file, given) = match session::site_properties(global)? {
        Some((file, given)) => (Some(file), given),
        None => (None, ParsedProperties::default()),
    };
    let (listed, unknown) = catalogue(&given);
    let mut rows = of_command(global, file.as_deref())?;
    rows.extend(listed.into_iter().map(|setting| of_site(setting, &given)));
    if let Some(text) = &arguments.text {
        let given = unknown.iter().map(|unknown| unknown.name.as_str());
        check_text(text, rows.iter().map(|row| row.name.as_str()).chain(given))?;
    }
    let wanted = arguments.text.as_deref().unwrap_or_default().to_lowercase();
    rows.retain(|row| {
        row.name.to_lowercase().contains(&wanted) && !(arguments.changed && row.origin == Origin::Default)
    });
    let unknown = unknown.into_iter().map(|unknown| UnknownView {
        line: line(&given, &unknown.name),
        name: unknown.name,
        near: unknown.near,
    });
    let view = ConfigView { settings: rows, unknown: unknown.collect() };
    let mut screen = Screen::open();
    let layout = screen.layout();
    screen.write(if global.is_json() { json::text(&view) } else { config::render(&view, layout) })?;
    match problems(global) {
        Err(failure) => Err(failure),
        Ok(warnings) => {
            if !global.quiet {
                diagnostic::explain(&warnings);
            }
            Ok(Status::Done)
        }
    }
}

/// Returns the warnings about the settings.
///
/// # Errors
/// The values that cannot be used: H0121 for settings, H0120 for mounts.
fn problems(global: &GlobalArgs) -> Result<Vec<Error>, Failure> {
    let settings = session::settings(global)?;
    session::mounts(global, &settings)?;
    Ok(settings.warnings)
}

/// Refuses a text that is part of no name.
///
/// # Errors
/// H0002.
fn check_text<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let names: Vec<&str> = names.collect();
    let wanted = text.to_lowercase();
    if names.iter().any(|name| name.to_lowercase().contains(&wanted)) {
        return Ok(());
    }
    let parts: BTreeSet<&str> = names.iter().flat_map(|name| name.split('.')).collect();
    let near = did_you_mean(&wanted, parts);
    let help = near.map_or_else(|| "`howdah config` lists all".to_owned(), |near| format!("did you mean {near}?"));
    Err(Error::new(ErrorCode::H0002, format!("no name of a setting contains [{text}]")).help(help))
}

/// Returns what options and variables decide: the database, the site file and the mounts.
fn of_command(global: &GlobalArgs, file: Option<&Path>) -> Result<Vec<SettingView>, Error> {
    let named = |option: Option<&PathBuf>, flag: &'static str, variable: &'static str| match option {
        Some(_) => Origin::CommandLine(flag),
        None if variables::get(variable).is_some() => Origin::Environment(variable),
        None => Origin::Default,
    };
    let path = |path: &Path| path.display().to_string();
    let (database, site) = (global.db.as_ref(), global.site.as_ref());
    let mut rows = vec![
        SettingView::new("database", path(&session::database(global)?), named(database, "--db", "HOWDAH_DB")),
        SettingView::new("site file", file.map(path).unwrap_or_default(), named(site, "--site", "HOWDAH_SITE")),
    ];
    let mount = |text: &str, origin: Origin| SettingView::new("mount", text.trim().to_owned(), origin);
    rows.extend(global.mounts.iter().map(|text| mount(text, Origin::CommandLine("--mount"))));
    let of_environment = variables::get("HOWDAH_MOUNTS").unwrap_or_default();
    let of_environment = Mounts::split(&of_environment).filter(|text| !text.is_empty());
    rows.extend(of_environment.map(|text| mount(text, Origin::Environment("HOWDAH_MOUNTS"))));
    Ok(rows)
}

fn of_site(setting: Setting, given: &ParsedProperties) -> SettingView {
    let zone = (setting.name == ZoneChoice::PROPERTY).then(|| variables::get("HOWDAH_ZONE_DATA")).flatten();
    if let Some(value) = zone {
        return SettingView::new(&setting.name, value, Origin::Environment("HOWDAH_ZONE_DATA"));
    }
    let is_open = setting.name == HADOOP_FOLDER && setting.value.is_empty();
    if let Some(folder) = is_open.then(file_store::folder_of_environment).flatten() {
        return SettingView::new(&setting.name, folder, Origin::Environment(file_store::FOLDER_VARIABLE));
    }
    let origin = if setting.is_given { Origin::Site { line: line(given, &setting.name) } } else { Origin::Default };
    let view = SettingView::new(&setting.name, setting.value, origin);
    match &setting.unusable {
        Some(unusable) => view.instead_of(unusable),
        None => view,
    }
}

/// Returns the line of the site file that gives a property.
fn line(given: &ParsedProperties, name: &str) -> Option<usize> {
    given.locate(name).map(|place| place.line_column().0)
}
