//! `howdah completions`: completes the command line in shells.
//!
//! The script of a shell only asks this program, which answers from the definition of the command line and, for jobs
//! and their parts, from the database. Hidden verbs and options are left out. Must never write, and never print an
//! error: what cannot be read completes nothing.

mod values;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::time::Duration;

use clap::{Args, Command, ValueEnum};
use clap_complete::env::{CompleteEnv, EnvCompleter as _, Fish, Zsh};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::output::screen::Screen;
use howdah_host::{variables, watch};

/// Says that a shell asks; the value is the name of the shell.
const VARIABLE: &str = "HOWDAH_COMPLETE";
/// A person waits for the answer: after this time there is none, such as when the database is locked.
const LONGEST_ANSWER: Duration = Duration::from_secs(2);
/// Asks this program.
const BASH: &str = include_str!("howdah.bash");
/// Makes the script of zsh a function of its path too.
const AUTOLOAD: &str = include_str!("autoload.zsh");

/// Print the completions of a shell
///
/// The script asks howdah at each completion, so it offers the jobs of the database by name, and by id once its
/// beginning is typed; behind @ the actions or nodes of the job; statuses, time zones, the keys of filters.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah completions bash > ~/.local/share/bash-completion/completions/howdah\n\
\x20 howdah completions zsh  > ~/.zfunc/_howdah\n\
\x20 howdah completions fish > ~/.config/fish/completions/howdah.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: CompletedShell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script of a shell.
pub(crate) fn completions(arguments: &CompletionsArgs) -> Result<Status, Failure> {
    Screen::open().write_bytes(script(arguments.shell))?;
    Ok(Status::Done)
}

fn script(shell: CompletedShell) -> Vec<u8> {
    let mut text = Vec::new();
    // A list takes all bytes, so writing to it cannot fail.
    let _ = match shell {
        CompletedShell::Bash => text.write_all(BASH.as_bytes()),
        CompletedShell::Zsh => Zsh
            .write_registration(VARIABLE, "howdah", "howdah", "howdah", &mut text)
            .and_then(|()| text.write_all(AUTOLOAD.as_bytes())),
        CompletedShell::Fish => Fish.write_registration(VARIABLE, "howdah", "howdah", "howdah", &mut text),
    };
    text
}

/// Answers a shell that asks what may come next on its command line; returns whether one asked. `database` is what that
/// line gives for `--db`.
///
/// # Errors
/// A shell that is not known, and standard output that cannot be written.
pub(crate) fn answer(
    command: fn() -> Command,
    arguments: &[OsString],
    database: Option<&OsStr>,
) -> Result<bool, clap::Error> {
    if variables::get(VARIABLE).is_none() {
        return Ok(false);
    }
    watch::end_after(LONGEST_ANSWER, Status::Done.number().into());
    let global = GlobalArgs { db: database.map(Into::into), quiet: true, ..GlobalArgs::default() };
    CompleteEnv::with_factory(|| values::offered(visible(&command()), &global))
        .var(VARIABLE)
        .try_complete(arguments, None)
}

/// Returns the command line without its hidden verbs and options.
pub(super) fn visible(command: &Command) -> Command {
    let mut shown = Command::default().name("howdah").version(env!("CARGO_PKG_VERSION")).subcommand_required(true);
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    shown
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test creates the files that it uses")]
mod tests {
    use std::path::{Path, PathBuf};

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;
    use crate::cli::man::pages;

    #[test]
    fn hidden_verbs_and_options_are_left_out() {
        let command = visible(&Cli::command());
        let verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert!(verbs.contains(&"explain") && !verbs.contains(&"runner"), "{verbs:?}");
        assert!(!command.get_arguments().any(|argument| argument.get_long() == Some("now")));
        let names: Vec<String> = pages(&Cli::command()).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"howdah.1".to_owned()) && names.contains(&"howdah-info.1".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("runner") || name.contains("attempt")), "{names:?}");
    }

    /// Returns the name under which the shell looks for its completions.
    fn file_name(shell: CompletedShell) -> &'static str {
        match shell {
            CompletedShell::Bash => "howdah.bash",
            CompletedShell::Zsh => "_howdah",
            CompletedShell::Fish => "howdah.fish",
        }
    }

    /// After a change of the command line, run `UPDATE_GENERATED=1 cargo test generated`.
    #[test]
    fn the_generated_files_match_this_program() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shells = [CompletedShell::Bash, CompletedShell::Zsh, CompletedShell::Fish];
        let completions = shells.map(|shell| (root.join("completions").join(file_name(shell)), script(shell)));
        let pages = pages(&Cli::command()).into_iter().map(|(name, page)| (root.join("man").join(name), page));
        let files: Vec<(PathBuf, Vec<u8>)> = completions.into_iter().chain(pages).collect();
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            for (path, text) in &files {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }
        for (path, text) in &files {
            let stored = std::fs::read(path).unwrap_or_default();
            assert!(stored == *text, "{} is out of date: UPDATE_GENERATED=1 cargo test generated", path.display());
        }
        let stored = ["completions", "man"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap().count());
        assert_eq!(stored.iter().sum::<usize>(), files.len(), "a file belongs to a verb that no longer exists");
    }
}
