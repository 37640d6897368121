//! `howdah completions`: completes the command line in shells.
//!
//! Generated only from the definition of the command line, so the same program always prints the same text. Hidden
//! verbs and options are left out.

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

use crate::cli::exit::{Failure, Status};
use crate::output::screen::Screen;

/// Print the completions of a shell
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

impl CompletedShell {
    fn generator(self) -> Shell {
        match self {
            Self::Bash => Shell::Bash,
            Self::Zsh => Shell::Zsh,
            Self::Fish => Shell::Fish,
        }
    }
}

/// Prints completions of the whole command line.
pub(crate) fn completions(command: &Command, arguments: &CompletionsArgs) -> Result<Status, Failure> {
    Screen::open().write_bytes(completions_of(command, arguments.shell))?;
    Ok(Status::Done)
}

fn completions_of(command: &Command, shell: CompletedShell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell.generator(), &mut visible(command), "howdah", &mut text);
    text
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
        for shell in [CompletedShell::Bash, CompletedShell::Zsh, CompletedShell::Fish] {
            let text = String::from_utf8(completions_of(&Cli::command(), shell)).unwrap();
            assert!(text.contains("explain") && text.contains("jobtype"), "{shell:?}");
            assert!(!text.contains("runner") && !text.contains("--now"), "{shell:?}");
        }
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
        let completions = shells
            .map(|shell| (root.join("completions").join(file_name(shell)), completions_of(&Cli::command(), shell)));
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
