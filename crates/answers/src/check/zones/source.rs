//! Which zone data are used: those that are compiled in, or the machine's.
//!
//! Decides by the site's setting and the two releases when the first zone is needed; a command that needs no zone opens
//! no file.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use howdah_calendar::ZoneTable;
use howdah_calendar::zone_data::{Supply, ZoneData, ZoneSource, built_in_release};
use howdah_engine::settings::ZoneChoice;
use howdah_host::found::{Found, Unknown};
use howdah_host::metadata;
use howdah_host::zone_files::ZoneFiles;
use howdah_words::error::Error;

/// The text for a release that is not known.
const UNKNOWN_RELEASE: &str = "unknown";

/// The subject of a message that is not about one zone.
const ALL: &str = "any zone";

/// The machine's zone data, as far as they are used.
pub struct MachineZones {
    files: ZoneFiles,
    /// Decided when the first zone is needed.
    choice: Box<dyn Fn() -> ZoneChoice + Send + Sync>,
    /// Reports a defect to the user.
    say: Box<dyn Fn(&str) + Send + Sync>,
    /// The release of the machine's data when they are used.
    decided: OnceLock<Option<String>>,
    /// What was already reported to the user.
    reported: Mutex<BTreeSet<&'static str>>,
}

impl MachineZones {
    /// Creates the source for the data of this machine.
    pub fn new(
        choice: impl Fn() -> ZoneChoice + Send + Sync + 'static,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let (choice, say) = (Box::new(choice), Box::new(say));
        Self { files: ZoneFiles::of_machine(), choice, say, decided: OnceLock::new(), reported: Mutex::default() }
    }

    /// Returns the release of the machine's data; `None` where the compiled-in data are used.
    fn release(&self) -> Result<Option<&str>, Unknown> {
        if let Some(decided) = self.decided.get() {
            return Ok(decided.as_deref());
        }
        let decided = self.decide((self.choice)())?;
        Ok(self.decided.get_or_init(|| decided).as_deref())
    }

    fn decide(&self, choice: ZoneChoice) -> Result<Option<String>, Unknown> {
        match choice {
            ZoneChoice::BuiltIn => Ok(None),
            // A release is a year of four digits, then letters: releases sort as their texts.
            ZoneChoice::Auto => {
                Ok(self.files.release().known()?.filter(|release| release.as_str() > built_in_release()))
            }
            ZoneChoice::System if matches!(metadata::of(self.files.folder()), Found::Absent) => {
                self.report_once(ALL, &format!("there is no folder [{}]", self.files.folder().display()));
                Ok(None)
            }
            ZoneChoice::System => {
                let release = self.files.release().known().ok().flatten();
                Ok(Some(release.unwrap_or_else(|| UNKNOWN_RELEASE.to_owned())))
            }
        }
    }

    /// Reports why the machine's data are not used, once for each zone.
    fn report_once(&self, what: &'static str, why: &impl ToString) {
        if self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(what) {
            let why = why.to_string();
            (self.say)(&format!(
                "warning: the machine's zone data are not used for {what}, the built-in ones ({}) are: {why}",
                built_in_release()
            ));
        }
    }
}

impl ZoneSource for MachineZones {
    fn data(&self) -> Option<ZoneData> {
        match self.release() {
            Ok(release) => release.map(|release| ZoneData {
                release: release.to_owned(),
                place: self.files.folder().display().to_string(),
            }),
            Err(unknown) => {
                self.report_once(ALL, &Error::from(unknown));
                None
            }
        }
    }

    fn rules(&self, region: &'static str) -> Supply {
        match self.release() {
            Ok(None) => return Supply::Nothing,
            Ok(Some(_)) => {}
            Err(unknown) => {
                self.report_once(ALL, &Error::from(unknown));
                return Supply::NotNow;
            }
        }
        match self.files.zone(region).map(|bytes| ZoneTable::read(&bytes)) {
            Found::Present(Ok(table)) => return Supply::Rules(table),
            Found::Present(Err(damage)) => self.report_once(region, &damage),
            Found::Absent => {
                self.report_once(region, &format!("[{}] has no file for it", self.files.folder().display()));
            }
            Found::Unknown(unknown) => {
                self.report_once(region, &Error::from(unknown));
                return Supply::NotNow;
            }
        }
        Supply::Nothing
    }
}
