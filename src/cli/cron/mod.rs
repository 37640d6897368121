//! `howdah cron`: what starts howdah regularly, for cron or systemd.

mod install;
mod line;
mod table;
mod ticks;
mod words;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::cron::line::Line;
use crate::cli::exit::{Failure, Status};
use crate::output::screen::Screen;
use howdah_host::files;
use howdah_words::error::Result;

/// Print the line for a crontab, or units for systemd, with the absolute paths of this program and its database
///
/// The line has the program, the database, the site file and the mounts that this command has. With --install it is
/// added to your crontab. A line there that ticks the same database gets them instead, and keeps its schedule, its
/// redirections and its other options; every other line stays as it is, and the old crontab is kept in a file.
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

/// The units, with a place for the command.
const UNITS: [(&str, &str); 3] = [
    ("howdah.service", include_str!("../../../systemd/howdah.service")),
    ("howdah-tick.service", include_str!("../../../systemd/howdah-tick.service")),
    ("howdah-tick.timer", include_str!("../../../systemd/howdah-tick.timer")),
];

/// The place of the command in a unit.
const COMMAND: &str = "@COMMAND@";

/// Prints or installs what starts howdah.
pub(crate) fn cron(global: &GlobalArgs, arguments: &CronArgs) -> Result<Status, Failure> {
    let line = Line::of(global)?;
    if let Some(folder) = &arguments.systemd {
        write_units(folder, &line.command())?;
    } else if arguments.install {
        install::install(&line)?;
    } else {
        Screen::open().write(format!("{}\n", line.text()))?;
    }
    Ok(Status::Done)
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
        assert_eq!(unit_word("/a b/100%$x.db"), "\"/a b/100%%$$x.db\"");
        assert_eq!(unit_word("/opt/howdah"), "/opt/howdah");
    }

    #[test]
    fn every_unit_but_the_timer_has_a_command() {
        for (name, unit) in UNITS {
            assert_eq!(unit.matches(COMMAND).count(), usize::from(name.ends_with(".service")), "{name}");
        }
    }
}
