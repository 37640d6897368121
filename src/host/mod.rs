//! Access to the machine: clock, files, locks, processes, environment, memory, and messages over the network. Decides
//! nothing.
//!
//! Must not depend on definitions, jobs or a database: it imports only `error` and `model`, and reports what exists and
//! what is alive. It is the only module that reads the clock, the environment and the process table.
#![expect(clippy::disallowed_methods, reason = "only this module may use the machine")]

pub(crate) mod account;
pub(crate) mod acting;
pub(crate) mod alert_command;
mod archive;
pub(crate) mod attempt;
pub(crate) mod brief_command;
pub(crate) mod call;
pub(crate) mod children;
pub(crate) mod clock;
pub(crate) mod command;
pub(crate) mod command_environment;
pub(crate) mod crontab;
mod default_store;
pub(crate) mod deletion;
pub(crate) mod environment;
pub(crate) mod fault;
pub(crate) mod file_store;
pub(crate) mod files;
pub(crate) mod folder_events;
mod folders;
pub(crate) mod fork_server;
mod forward_proxy;
pub(crate) mod found;
mod glob;
pub(crate) mod handover;
pub(crate) mod http;
pub(crate) mod inheritance;
pub(crate) mod line_files;
pub(crate) mod located;
pub(crate) mod lock;
pub(crate) mod log_file;
mod looks;
pub(crate) mod mail;
pub(crate) mod metadata;
#[cfg(feature = "hcat")]
mod metastore;
pub(crate) mod mounts;
pub(crate) mod oozie_server;
pub(crate) mod ownership;
#[cfg(feature = "serve")]
pub(crate) mod partner;
pub(crate) mod pipes;
pub(crate) mod place;
pub(crate) mod presence;
pub(crate) mod processes;
mod script;
pub(crate) mod shell_word;
pub(crate) mod slurm;
pub(crate) mod terminal;
pub(crate) mod termination;
pub(crate) mod thread_pool;
#[cfg(test)]
#[path = "../../tests/tier/mod.rs"]
#[allow(dead_code, reason = "shared with the programs of tests")]
mod tier;
mod tree;
mod uri;
pub(crate) mod user_table;
pub(crate) mod variables;
pub(crate) mod watch;
#[cfg(feature = "serve")]
pub(crate) mod web;
pub(crate) mod writable;
pub(crate) mod zone_files;
