//! What the tests of the command share: a folder of their own, howdah as a process, and the programs beside it.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

pub mod application;
pub mod attempt_folder;
pub mod corpus;
pub mod database;
pub mod dice;
pub mod engines;
pub mod here;
pub mod http_message;
pub mod mail_server;
pub mod one_action;
pub mod oozie_export;
pub mod ports;
pub mod receiver;
pub mod revenue;
pub mod sandbox;
pub mod second_user;
pub mod source;
pub mod sshd;
pub mod store_application;
pub mod store_proxy;
pub mod strace;
pub mod terminal;
pub mod web_server;
