//! The export of an Oozie database (`OozieDBExportCLI`): one file for each table, one JSON object for each row.
//!
//! Lines in, typed rows out. Must not depend on files, on howdah's database, or on what is done with the rows.

mod blob;
mod date;
mod fields;
mod logic_dependencies;
mod missing;
mod recorded_action;
mod row;
mod signed_bytes;
mod state;
mod zone;

pub use blob::Blob;
pub use date::LocalSeconds;
pub use fields::Fields;
pub use missing::Missing;
pub use recorded_action::{RecordedAction, RecordedEvent};
pub use row::{ActionRow, BundleRow, CoordinatorRow, WorkflowRow};
pub use state::{JobState, MemberState, OpenAction, numbers, ranges};
pub use zone::{ZoneClues, ZoneFound};

/// The table of coordinator jobs.
pub const COORDINATORS: &str = "ooziedb_cj.json";
/// The table of coordinator actions.
pub const ACTIONS: &str = "ooziedb_ca.json";
/// The table of workflow jobs.
pub const WORKFLOWS: &str = "ooziedb_wf.json";
/// The table of bundle jobs.
pub const BUNDLES: &str = "ooziedb_bnj.json";
