//! Access to the machine: clock, files, locks, processes, environment, memory, and messages over the network. Decides
//! nothing.
//!
//! Must not depend on definitions, jobs or a database: it imports only `error` and `model`, and reports what exists and
//! what is alive. It is the only module that reads the clock, the environment and the process table.
#![expect(clippy::disallowed_methods, reason = "only this module may use the machine")]

pub mod account;
pub mod acting;
pub mod alert_command;
mod archive;
pub mod attempt;
pub mod brief_command;
pub mod call;
pub mod children;
pub mod clock;
pub mod command;
pub mod command_environment;
pub mod crontab;
mod default_store;
pub mod deletion;
pub mod environment;
pub mod fault;
pub mod file_store;
pub mod files;
pub mod folder_events;
mod folders;
pub mod fork_server;
mod forward_proxy;
pub mod found;
pub mod glob;
pub mod handover;
pub mod http;
pub mod inheritance;
pub mod line_files;
pub mod located;
pub mod lock;
pub mod log_file;
mod looks;
pub mod mail;
pub mod metadata;
#[cfg(feature = "hcat")]
mod metastore;
pub mod mounts;
pub mod oozie_server;
pub mod ownership;
#[cfg(any(feature = "hdfs", feature = "serve"))]
pub mod partner;
pub mod pipes;
pub mod place;
pub mod presence;
pub mod processes;
mod script;
pub mod session;
pub mod shell_word;
pub mod slurm;
pub mod start_journal;
pub mod terminal;
pub mod termination;
pub mod thread_pool;
mod tree;
pub mod trusted_path;
mod uri;
pub mod user_set;
pub mod user_table;
pub mod variables;
pub mod watch;
#[cfg(feature = "serve")]
pub mod web;
pub mod writable;
pub mod zone_files;
