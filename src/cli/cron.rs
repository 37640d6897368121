//! `howdah cron`: what starts howdah regularly, for cron or systemd.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{crontab_line, session};
use crate::output::screen::Screen;
use crate::output::text;
use howdah_engine::format::quoted;
use howdah_host::{clock, crontab, environment, files};
use howdah_words::error::{Error, ErrorCode, Result};

/// Print the line for a crontab, or units for systemd, with the absolute paths of this program and its database
///
/// The line has the program, the database, the site file and the mounts that this command has. With --install it is
/// added to your crontab. A line there that ticks the same database gets this program, site file and mounts, and keeps
/// its schedule, its other options and what comes after them; all other lines stay as they are. The table as it was is
/// kept beside the database, in a file whose name ends in .crontab.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah cron\n\
\x20 howdah cron --install --db /srv/howdah/howdah.db\n\
\x20 howdah cron --systemd ~/.config/systemd/user && systemctl --user enable --now howdah-tick.timer")]
pub(crate) struct CronArgs {
    /// Add the line to your crontab
    #[arg(long, conflicts_with = "systemd")]
    install: bool,
    /// Write howdah.service (the daemon), howdah-tick.service and howdah-tick.timer (a tick every minute) into this
    /// folder; use one of the two
    #[arg(long, value_name = "DIR")]
    systemd: Option<PathBuf>,
}

/// Says whether the words after the program are a tick of a database, as the command line reads them.
type IsTick = fn(&[String], &Path) -> bool;

/// How often a change is tried again that another program has undone, and how long that may take.
const TRIES: usize = 5;
const SETTLE: Duration = Duration::from_millis(100);

/// The units, with a place for the command.
const UNITS: [(&str, &str); 3] = [
    ("howdah.service", include_str!("../../systemd/howdah.service")),
    ("howdah-tick.service", include_str!("../../systemd/howdah-tick.service")),
    ("howdah-tick.timer", include_str!("../../systemd/howdah-tick.timer")),
];

/// The place of the command in a unit.
const COMMAND: &str = "@COMMAND@";

/// Prints or installs what starts howdah.
pub(crate) fn cron(global: &GlobalArgs, arguments: &CronArgs, ticks: IsTick) -> Result<Status, Failure> {
    let command = command(global)?;
    if let Some(folder) = &arguments.systemd {
        write_units(folder, &command)?;
        return Ok(Status::Done);
    }
    if arguments.install {
        install(&command, &session::database(global)?, ticks)?;
    } else {
        Screen::open().write(format!("{}\n", crontab_line(&shell_line(&command))))?;
    }
    Ok(Status::Done)
}

/// Returns the program with the options that name the database, the site file and the mounts of this command.
fn command(global: &GlobalArgs) -> Result<Vec<String>, Failure> {
    let settings = session::settings(global)?;
    let program = environment::installed_program().map_err(|error| Error::new(ErrorCode::H0140, error))?;
    let program = program.display().to_string();
    let mut words = vec![program, "--db".to_owned(), session::database(global)?.display().to_string()];
    if let Some(site) = &settings.file {
        words.extend(["--site".to_owned(), site.display().to_string()]);
    }
    // Those of the site file are read from there.
    for mount in session::given_mounts(global)?.texts() {
        words.extend(["--mount".to_owned(), mount]);
    }
    match words.iter().find(|word| word.chars().any(char::is_control)) {
        Some(word) => {
            let error = Error::new(ErrorCode::H0002, format!("[{word}] cannot be part of one line"));
            Err(error.help("use paths without line ends and control characters").into())
        }
        None => Ok(words),
    }
}

fn shell_line(command: &[String]) -> String {
    command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Returns the line of a crontab; there a percent sign would end the command.
fn crontab_line(command: &str) -> String {
    format!("* * * * * {command} tick --quiet").replace('%', "\\%")
}

/// Adds the line to the crontab, or renews the words that start howdah in each line that ticks the same database. All
/// other bytes stay, and the table as it was is kept beside the database.
fn install(command: &[String], database: &Path, ticks: IsTick) -> Result<()> {
    let failed = |message: String| Error::new(ErrorCode::H0140, message).help("add the line that `howdah cron` prints");
    let shell = shell_line(command);
    let line = crontab_line(&shell);
    let is_meant = |words: &[String]| ticks(words, database);
    let kept = beside(database);
    for _ in 0..TRIES {
        let before = crontab::read().map_err(failed)?;
        let (after, has_one) = crontab_line::merged(&before, (&line, &shell.replace('%', "\\%")), is_meant);
        if after == before {
            text::aside("the crontab has this line already");
            return Ok(());
        }
        if !before.is_empty() {
            files::write(&kept, &before)?;
        }
        crontab::write(after.clone()).map_err(failed)?;
        // Another program may have written its own table at the same moment.
        clock::pause(SETTLE);
        if crontab::read().map_err(failed)? != after {
            continue;
        }
        let what = if has_one { "the line in the crontab was replaced" } else { "the line was added to the crontab" };
        let where_before = if before.is_empty() { String::new() } else { format!("; as it was: {}", kept.display()) };
        text::aside(&format!("{what}{where_before}"));
        return Ok(());
    }
    Err(failed("the crontab is changed by another program at the same time".to_owned()))
}

/// The crontab as it was before the last change, beside the database.
fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".crontab");
    name.into()
}

fn write_units(folder: &Path, command: &[String]) -> Result<()> {
    files::create_folder(folder)?;
    let line = command.iter().map(|word| unit_word(word)).collect::<Vec<_>>().join(" ");
    for (name, unit) in UNITS {
        files::write(&folder.join(name), unit.replace(COMMAND, &line).as_bytes())?;
    }
    Ok(())
}

/// Returns a word as a unit of systemd quotes it: `%` and `$` are special there.
fn unit_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@=,%".contains(&byte);
    if escaped.bytes().all(is_plain) { escaped } else { format!("\"{escaped}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_each_reader() {
        let words = ["/opt/howdah", "--db", "/a b/100%$x.db"].map(str::to_owned);
        assert_eq!(crontab_line(&shell_line(&words)), "* * * * * /opt/howdah --db '/a b/100\\%$x.db' tick --quiet");
        assert_eq!(unit_word(&words[2]), "\"/a b/100%%$$x.db\"");
        assert_eq!(unit_word("/opt/howdah"), "/opt/howdah");
    }

    #[test]
    fn every_unit_but_the_timer_has_a_command() {
        for (name, unit) in UNITS {
            assert_eq!(unit.matches(COMMAND).count(), usize::from(name.ends_with(".service")), "{name}");
        }
    }
}
