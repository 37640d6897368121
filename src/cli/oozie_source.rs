//! An Oozie that a command line names: the address of its server, or a folder of its answers.

use std::path::Path;

use howdah_host::environment;
use howdah_host::files::{self, Entry};
use howdah_host::oozie_server::{OozieServer, is_url};
use howdah_move::oozie::Answers;
use howdah_words::error::Error;

/// Returns the answers of the Oozie that a source names; `None` when it is something else.
///
/// # Errors
/// H0240 for an address that is not one, H0113 when the machine cannot tell what is there.
pub(super) fn answers(source: &Path) -> Result<Option<Answers>, Error> {
    if let Some(url) = source.to_str().filter(|text| is_url(text)) {
        return OozieServer::new(url, &environment::user_name()?).map(Answers::Server).map(Some);
    }
    let is_folder = matches!(files::look(source)?, Some(Entry::Folder));
    Ok(if is_folder && Answers::is_in(source)? { Some(Answers::Folder(source.to_owned())) } else { None })
}
