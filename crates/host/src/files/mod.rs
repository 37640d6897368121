//! Reads and writes files safely: with limits on size, checked encoding, and protection against power cuts.
//!
//! Must not depend on formats. `deletion` deletes, which needs more care; `presence` checks whether something exists.

mod folder;
mod open;
mod read;
mod write;

pub use std::fs::File;

pub use folder::{
    Entry, absolute, create_folder, create_private_folder, find, find_folder, is_folder, link, list, list_entries,
    look, make_folders, make_private_folder, remove_made_folder, resolved,
};
pub(crate) use open::open_plain;
pub(super) use open::{PLAIN, flags};
pub use open::{append, create, open, open_regular, open_to_change};
pub(crate) use read::start_of;
pub use read::{
    decode, end_of, read_end, read_from, read_standard_input, read_start, read_start_of_plain, read_text,
    start_of_last_lines,
};
pub use write::{
    Lasting, add, cannot_write, create_exclusively, has_full_disk, open_to_append, remove, remove_empty_folder,
    replace, space, sync_parent, write, write_atomically_for_all,
};
pub(crate) use write::{replace_with, write_atomically, write_new, write_own};

#[cfg(test)]
mod tests;
