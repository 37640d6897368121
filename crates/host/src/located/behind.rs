//! What a path of a mount table (viewfs) is behind its link, on the server that has it. Asks no server.

use std::io;

use super::Located;
use crate::file_store::Holder;

/// A path behind a link.
pub(super) struct Behind {
    /// On the server of the link; shown as in the mount table.
    pub(super) place: Located,
    /// Whether the path is the link itself.
    pub(super) is_link: bool,
}

impl Located {
    /// The path behind its link; `None` for a path in no link of a mount table.
    pub(super) fn behind(&self) -> io::Result<Option<Behind>> {
        Ok(match self.holder()? {
            Holder::Link { address, path, is_link } => {
                let (shown, uri) = (self.shown.clone(), self.uri.clone());
                Some(Behind { place: Self { shown, uri, path: path.into(), server: Some(address) }, is_link })
            }
            Holder::Store | Holder::Table => None,
        })
    }

    /// Which store has it.
    pub(super) fn holder(&self) -> io::Result<Holder> {
        match (&self.server, self.path.to_str()) {
            (Some(address), Some(path)) => address.holder(path),
            _ => Ok(Holder::Store),
        }
    }

    /// The server that answers for the path; `None` for this machine.
    pub fn answering_server(&self) -> Option<String> {
        let behind = self.behind().ok().flatten().and_then(|behind| behind.place.server);
        behind.or_else(|| self.server.clone()).map(|address| address.server.clone())
    }
}
