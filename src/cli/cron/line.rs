//! The line that ticks a database.

use std::path::PathBuf;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::Failure;
use crate::cli::session;
use howdah_engine::format::quoted;
use howdah_host::environment;
use howdah_words::error::{Error, ErrorCode};

/// The line of a crontab that ticks a database every minute.
#[derive(Debug)]
pub(super) struct Line {
    /// The path of this program.
    pub(super) program: String,
    pub(super) database: PathBuf,
    /// The site file of this command.
    pub(super) site: Option<String>,
    /// The mounts of this command, without those of the site file, which are read from there.
    pub(super) mounts: Vec<String>,
    /// The home folder with which cron starts a command of this user.
    pub(super) home: Option<PathBuf>,
}

impl Line {
    /// Returns the line with the program, the database, the site file and the mounts of this command.
    pub(super) fn of(global: &GlobalArgs) -> Result<Self, Failure> {
        let program = environment::installed_program().map_err(|error| Error::new(ErrorCode::H0140, error))?;
        let line = Self {
            program: program.display().to_string(),
            database: session::database(global)?,
            site: session::settings(global)?.file.map(|site| site.display().to_string()),
            mounts: session::given_mounts(global)?.texts().collect(),
            home: environment::home_in_table()?,
        };
        match line.command().iter().find(|word| word.chars().any(char::is_control)) {
            Some(word) => {
                let error = Error::new(ErrorCode::H0002, format!("[{word}] cannot be part of one line"));
                Err(error.help("use paths without line ends and control characters").into())
            }
            None => Ok(line),
        }
    }

    /// Returns the program with the options that name the database, the site file and the mounts.
    pub(super) fn command(&self) -> Vec<String> {
        let options = [("--db", self.database.display().to_string())].into_iter();
        let options = options.chain(self.site.iter().map(|site| ("--site", site.clone())));
        let options = options.chain(self.mounts.iter().map(|mount| ("--mount", mount.clone())));
        let words = options.flat_map(|(name, value)| [name.to_owned(), value]);
        std::iter::once(self.program.clone()).chain(words).collect()
    }

    /// Returns the line as it stands in a crontab.
    pub(super) fn text(&self) -> String {
        let words: Vec<String> = self.command().iter().map(|word| in_crontab(word)).collect();
        format!("* * * * * {} tick --quiet", words.join(" "))
    }
}

/// Returns a word as a command in a crontab has it; there a percent sign would end the command.
pub(super) fn in_crontab(word: &str) -> String {
    quoted(word).replace('%', "\\%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let line = Line {
            program: "/opt/howdah".to_owned(),
            database: PathBuf::from("/a b/100%$x.db"),
            site: None,
            mounts: Vec::new(),
            home: None,
        };
        assert_eq!(line.text(), "* * * * * /opt/howdah --db '/a b/100\\%$x.db' tick --quiet");
    }
}
