//! One process of the table, as every system reports it. Must not depend on the system.

/// One line of the process table.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::processes) struct Entry {
    pub(in crate::processes) pid: i32,
    pub(in crate::processes) group: i32,
    pub(in crate::processes) session: i32,
    pub(in crate::processes) start_time: String,
}
