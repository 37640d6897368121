//! Stores, engines and other machines: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

#[path = "../../crates/executor/src/file_operation/table.rs"]
mod file_operation_table;
mod git;
mod hdfs;
mod java;
mod metastore;
mod not_run;
#[cfg(feature = "object-store")]
mod objects;
mod server_outage;
mod slurm;
mod ssh;
mod store_failure;
mod store_proxy;
mod stores;
mod streaming;
#[path = "../shared/tiers.rs"]
mod tiers;
mod vendors;
