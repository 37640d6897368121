//! `howdah man`: the manual pages, one for howdah and one for each verb.
//!
//! Generated from the definition of the command line, with the sections that it lacks: examples, exit statuses, the
//! environment, the files. The same program always writes the same pages.

use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli::complete::visible;
use crate::cli::exit::{Failure, Status};
use crate::output::screen::Screen;
use howdah_host::files;
use howdah_words::error::{Class, ErrorCode, Result};

/// Write the manual pages
///
/// Writes one page for howdah and one for each verb. Without a folder, the page of howdah itself goes to standard
/// output.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah man ~/.local/share/man/man1 && man howdah-explain\n\
\x20 howdah man | man -l -")]
pub(crate) struct ManArgs {
    /// The folder for the pages; it is created if it does not exist
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// Writes the manual pages of the whole command line.
pub(crate) fn man(command: &Command, arguments: &ManArgs) -> Result<Status, Failure> {
    match &arguments.directory {
        Some(directory) => write_pages(command, directory)?,
        None => Screen::open().write_bytes(&pages(command)[0].1)?,
    }
    Ok(Status::Done)
}

fn write_pages(command: &Command, directory: &Path) -> Result<()> {
    files::create_folder(directory)?;
    for (name, page) in pages(command) {
        files::write(&directory.join(name), &page)?;
    }
    Ok(())
}

/// Returns the file name and text of every page, the one of howdah itself first.
pub(super) fn pages(command: &Command) -> Vec<(String, Vec<u8>)> {
    let mut command = visible(command).disable_help_subcommand(true);
    command.build();
    // `howdah db check` is described on the page of `howdah db`.
    let verbs: Vec<Command> = command.get_subcommands().cloned().collect();
    std::iter::once(command).chain(verbs).map(page).collect()
}

fn page(command: Command) -> (String, Vec<u8>) {
    let verbs: Vec<Command> = command.get_subcommands().cloned().collect();
    let is_top = command.get_name() == "howdah";
    let is_check = command.get_name() == "howdah-validate" || command.get_name() == "validate";
    let examples = examples(&command);
    let man = Man::new(command).date("").manual("howdah").source(concat!("howdah ", env!("CARGO_PKG_VERSION")));
    let name = man.get_filename();
    let mut text = Vec::new();
    let written = man.render_title(&mut text).and_then(|()| {
        man.render_name_section(&mut text)?;
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        text.extend(examples.into_bytes());
        let mut roff = Roff::new();
        if !verbs.is_empty() {
            subcommands(&mut roff, &verbs, is_top);
        }
        if is_check {
            warnings(&mut roff);
        }
        common_sections(&mut roff);
        roff.to_writer(&mut text)
    });
    written.expect("writing to memory never fails");
    (name, text)
}

/// Returns the examples of a verb, each on its own line; empty when it has none.
fn examples(command: &Command) -> String {
    let Some(help) = command.get_after_help().map(ToString::to_string) else { return String::new() };
    let mut section = String::from(".SH EXAMPLES\n.nf\n");
    for line in help.lines().skip(1) {
        section.push_str(&line.trim_start().replace('\\', "\\e").replace('-', "\\-"));
        section.push('\n');
    }
    section + ".fi\n"
}

fn subcommands(roff: &mut Roff, verbs: &[Command], have_pages: bool) {
    roff.control("SH", [if have_pages { "VERBS" } else { "SUBCOMMANDS" }]);
    for verb in verbs {
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        let name = if have_pages { format!("howdah-{}(1)", verb.get_name()) } else { usage(verb) };
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(about)]);
        if let Some(long) = verb.get_long_about().filter(|_| !have_pages) {
            for paragraph in long.to_string().split("\n\n").skip(1) {
                roff.control("IP", []);
                roff.text([roman(paragraph.to_owned())]);
            }
        }
        for argument in own_arguments(verb).filter(|_| !have_pages) {
            roff.control("IP", []);
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            roff.text([bold(spelling(argument)), roman(format!(": {help}"))]);
        }
    }
}

/// Returns a verb with its arguments, such as `backup FILE`.
fn usage(verb: &Command) -> String {
    let written = own_arguments(verb).map(|argument| {
        let spelling = spelling(argument);
        if argument.is_required_set() { spelling } else { format!("[{spelling}]") }
    });
    std::iter::once(verb.get_name().to_owned()).chain(written).collect::<Vec<_>>().join(" ")
}

/// Returns the arguments that only this verb has.
fn own_arguments(verb: &Command) -> impl Iterator<Item = &Arg> {
    verb.get_arguments().filter(|argument| !argument.is_global_set() && argument.get_id() != "help")
}

/// Returns an argument as it is typed, such as `FILE` or `--to ZONE`.
fn spelling(argument: &Arg) -> String {
    // A flag also has a name for its value, which is not part of the command line.
    let names = argument.get_value_names().filter(|_| argument.get_action().takes_values()).unwrap_or_default();
    let values = names.iter().map(ToString::to_string);
    let option = argument.get_long().map(|name| format!("--{name}"));
    option.into_iter().chain(values).collect::<Vec<_>>().join(" ")
}

/// Writes every code of a warning or note, with its message and what to do about it.
fn warnings(roff: &mut Roff) {
    roff.control("SH", ["WARNINGS AND NOTES"]);
    let text = "The codes for --allow and --deny. In a message, `...` is a name or a value. Codes that \
                start with E or H are errors and always count.";
    roff.text([roman(text)]);
    for code in ErrorCode::ALL {
        let Some(advice) = code.advice() else { continue };
        let kind = if code.class() == Class::Note { " (note)" } else { "" };
        roff.control("TP", []);
        roff.text([bold(code.as_str()), roman(kind)]);
        roff.text([roman(format!("{}.", code.summary()))]);
        roff.control("IP", []);
        roff.text([roman(sentence(advice))]);
    }
}

/// Returns advice as its own sentence.
fn sentence(advice: &str) -> String {
    let mut letters = advice.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// The exit statuses; a test compares them with [`Status`].
const EXIT_STATUS: [(&str, &str); 6] = [
    ("0", "Done."),
    (
        "1",
        "Refused, or what was looked at is not as it should be: a job of `howdah run` did not succeed, a definition \
         has errors, a tick met a fault.",
    ),
    ("2", "The command line is wrong."),
    ("70", "A defect of howdah; please report it."),
    ("75", "Try again later: another process is running, such as another tick, or a file system gave no answer."),
    ("124", "What poll waits for is not over in time."),
];

const ENVIRONMENT: [(&str, &str); 8] = [
    ("HOWDAH_DB", "The database, when --db is not given."),
    ("HOWDAH_SITE", "The site file, when --site is not given."),
    (
        "HOWDAH_MOUNTS",
        "Mounts of the form URI-PREFIX=DIR or URI-PREFIX=SERVER, separated by commas or blanks; --mount adds to them.",
    ),
    (
        "HOWDAH_ZONE_DATA",
        "The source of the time zone rules: auto, system or built-in; overrides the site's howdah.zone.data.",
    ),
    ("TZDIR", "Where this machine's zone data are; /usr/share/zoneinfo when not set."),
    ("NO_COLOR", "When set, nothing is coloured. Outside a terminal nothing is coloured anyway."),
    ("XDG_STATE_HOME", "Where the default database is; $HOME/.local/state when not set."),
    ("XDG_CONFIG_HOME", "Where the default site file is; $HOME/.config when not set."),
];

const FILES: [(&str, &str); 6] = [
    ("$XDG_STATE_HOME/howdah/howdah.db", "The default database."),
    (
        "DATABASE.runs/",
        "The output of every attempt, one folder per workflow job (the name of the database without .db).",
    ),
    (
        "DATABASE.tick.lock, DATABASE.runner.lock, DATABASE.courier.lock, DATABASE.rerun.lock",
        "Locked while a tick, a runner, a courier (which delivers notifications and alerts) or a rerun is running.",
    ),
    ("DATABASE.v1.bak", "The database as it was before a newer howdah gave it new tables."),
    ("DATABASE.runner.log, DATABASE.courier.log", "What runners and couriers in the background printed."),
    ("$XDG_CONFIG_HOME/howdah/site.xml", "The default site file: settings under Oozie's names."),
];

fn common_sections(roff: &mut Roff) {
    let sections: [(&str, &[(&str, &str)]); 3] =
        [("EXIT STATUS", &EXIT_STATUS), ("ENVIRONMENT", &ENVIRONMENT), ("FILES", &FILES)];
    for (title, lines) in sections {
        roff.control("SH", [title]);
        for (name, text) in lines {
            roff.control("TP", []);
            roff.text([bold(*name)]);
            roff.text([roman(*text)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_page_of_validate_has_every_warning() {
        let page =
            pages(&Cli::command()).into_iter().find(|(name, _)| name == "howdah-validate.1").map(|(_, page)| page);
        let page = String::from_utf8(page.expect("validate has a page")).unwrap();
        for code in ErrorCode::ALL.iter().filter(|code| code.advice().is_some()) {
            assert!(page.contains(&format!("\n\\fB{code}\\fR")), "{code}");
        }
    }

    #[test]
    fn the_exit_statuses_match_the_program() {
        let statuses =
            [Status::Done, Status::Unsuccessful, Status::Usage, Status::Defect, Status::Busy, Status::TimedOut];
        for ((number, _), status) in EXIT_STATUS.iter().zip(statuses) {
            assert_eq!(number.parse(), Ok(status.number()));
        }
    }
}
