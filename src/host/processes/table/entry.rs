//! One process of the table, as every system reports it. Must not depend on the system.

/// One line of the process table.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::host::processes) struct Entry {
    pub(in crate::host::processes) pid: i32,
    pub(in crate::host::processes) group: i32,
    pub(in crate::host::processes) session: i32,
    pub(in crate::host::processes) start_time: String,
}
