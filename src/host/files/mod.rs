//! Reads and writes files safely: with limits on size, checked encoding, and protection against power cuts.
//!
//! Must not depend on formats. `deletion` deletes, which needs more care; `presence` checks whether something exists.

mod folder;
mod open;
mod read;
mod write;

pub(crate) use std::fs::File;

pub(crate) use folder::{
    Entry, absolute, create_folder, create_private_folder, find, find_folder, is_folder, link, list, list_entries,
    look, make_folders, make_private_folder, remove_made_folder, resolved,
};
pub(super) use open::{PLAIN, flags};
pub(crate) use open::{append, create, open, open_plain, open_regular};
pub(crate) use read::{
    decode, end_of, read_end, read_from, read_standard_input, read_start, read_start_of_plain, read_text, start_of,
    start_of_last_lines,
};
pub(crate) use write::{
    Lasting, add, cannot_write, create_exclusively, has_full_disk, open_to_append, remove, remove_empty_folder,
    replace, replace_with, space, sync_parent, write, write_atomically, write_atomically_for_all, write_new, write_own,
};

#[cfg(test)]
mod tests;
