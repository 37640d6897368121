//! The action bodies with their own namespaces.

use super::family::Family;
use super::particle::{Type, any_number, at_least, choice, elements, one, optional, sequence};
use super::shared::{CONFIGURATION, FLAG, LAUNCHER_SINCE_1_0, PREPARE, RESOURCE_MANAGER, TEXT, V1_0};
use super::version::SchemaVersion;

const V0_1: SchemaVersion = SchemaVersion::new(0, 1);
const V0_2: SchemaVersion = SchemaVersion::new(0, 2);
const V0_3: SchemaVersion = SchemaVersion::new(0, 3);
const V0_4: SchemaVersion = SchemaVersion::new(0, 4);
const V0_5: SchemaVersion = SchemaVersion::new(0, 5);
const V0_6: SchemaVersion = SchemaVersion::new(0, 6);

/// Every family of this file.
pub(super) static FAMILIES: [&Family; 9] = [
    &SHELL_FAMILY,
    &EMAIL_FAMILY,
    &HIVE_FAMILY,
    &HIVE2_FAMILY,
    &SQOOP_FAMILY,
    &SSH_FAMILY,
    &DISTCP_FAMILY,
    &SPARK_FAMILY,
    &GIT_FAMILY,
];

static SHELL_FAMILY: Family =
    Family { name: "shell-action", versions: &[V0_1, V0_2, V0_3, V1_0], roots: &[one("shell", &SHELL)] };

static EMAIL_FAMILY: Family = Family { name: "email-action", versions: &[V0_1, V0_2], roots: &[one("email", &EMAIL)] };

static HIVE_FAMILY: Family =
    Family { name: "hive-action", versions: &[V0_2, V0_3, V0_4, V0_5, V0_6, V1_0], roots: &[one("hive", &HIVE)] };

static HIVE2_FAMILY: Family =
    Family { name: "hive2-action", versions: &[V0_1, V0_2, V1_0], roots: &[one("hive2", &HIVE2)] };

static SQOOP_FAMILY: Family =
    Family { name: "sqoop-action", versions: &[V0_2, V0_3, V0_4, V1_0], roots: &[one("sqoop", &SQOOP)] };

static SSH_FAMILY: Family = Family { name: "ssh-action", versions: &[V0_1, V0_2], roots: &[one("ssh", &SSH)] };

static DISTCP_FAMILY: Family =
    Family { name: "distcp-action", versions: &[V0_1, V0_2, V1_0], roots: &[one("distcp", &DISTCP)] };

static SPARK_FAMILY: Family =
    Family { name: "spark-action", versions: &[V0_1, V0_2, V1_0], roots: &[one("spark", &SPARK)] };

static GIT_FAMILY: Family = Family { name: "git-action", versions: &[V1_0], roots: &[one("git", &GIT)] };

static SHELL: Type = elements(
    &[],
    sequence(&[
        one("job-tracker", &TEXT).until(V0_2),
        optional("job-tracker", &TEXT).since(V0_3).until(V0_3),
        RESOURCE_MANAGER,
        one("name-node", &TEXT).until(V0_2),
        optional("name-node", &TEXT).since(V0_3),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        optional("job-xml", &TEXT).until(V0_1),
        any_number("job-xml", &TEXT).since(V0_2),
        optional("configuration", &CONFIGURATION),
        one("exec", &TEXT),
        any_number("argument", &TEXT),
        any_number("env-var", &TEXT),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
        optional("capture-output", &FLAG),
    ]),
);

static EMAIL: Type = elements(
    &[],
    sequence(&[
        one("to", &TEXT),
        optional("cc", &TEXT),
        optional("bcc", &TEXT).since(V0_2),
        one("subject", &TEXT),
        one("body", &TEXT),
        optional("content_type", &TEXT).since(V0_2),
        optional("attachment", &TEXT).since(V0_2),
    ]),
);

static HIVE: Type = elements(
    &[],
    sequence(&[
        one("job-tracker", &TEXT).until(V0_3),
        optional("job-tracker", &TEXT).since(V0_4).until(V0_6),
        RESOURCE_MANAGER,
        one("name-node", &TEXT).until(V0_3),
        optional("name-node", &TEXT).since(V0_4),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        optional("job-xml", &TEXT).until(V0_2),
        any_number("job-xml", &TEXT).since(V0_3),
        optional("configuration", &CONFIGURATION),
        choice(&[one("script", &TEXT), one("query", &TEXT).since(V0_6)]),
        any_number("param", &TEXT),
        any_number("argument", &TEXT).since(V0_5),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
    ]),
);

static HIVE2: Type = elements(
    &[],
    sequence(&[
        optional("job-tracker", &TEXT).until(V0_2),
        RESOURCE_MANAGER,
        optional("name-node", &TEXT),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        any_number("job-xml", &TEXT),
        optional("configuration", &CONFIGURATION),
        one("jdbc-url", &TEXT),
        optional("password", &TEXT),
        choice(&[one("script", &TEXT), one("query", &TEXT).since(V0_2)]),
        any_number("param", &TEXT),
        any_number("argument", &TEXT),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
    ]),
);

static SQOOP: Type = elements(
    &[],
    sequence(&[
        one("job-tracker", &TEXT).until(V0_3),
        optional("job-tracker", &TEXT).since(V0_4).until(V0_4),
        RESOURCE_MANAGER,
        one("name-node", &TEXT).until(V0_3),
        optional("name-node", &TEXT).since(V0_4),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        optional("job-xml", &TEXT).until(V0_2),
        any_number("job-xml", &TEXT).since(V0_3),
        optional("configuration", &CONFIGURATION),
        choice(&[one("command", &TEXT), at_least(1, "arg", &TEXT)]),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
    ]),
);

static SSH: Type = elements(
    &[],
    sequence(&[
        one("host", &TEXT),
        one("command", &TEXT),
        choice(&[any_number("args", &TEXT), any_number("arg", &TEXT).since(V0_2)]),
        optional("capture-output", &FLAG),
    ]),
);

static DISTCP: Type = elements(
    &[],
    sequence(&[
        one("job-tracker", &TEXT).until(V0_1),
        optional("job-tracker", &TEXT).since(V0_2).until(V0_2),
        RESOURCE_MANAGER,
        one("name-node", &TEXT).until(V0_1),
        optional("name-node", &TEXT).since(V0_2),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        optional("configuration", &CONFIGURATION),
        optional("java-opts", &TEXT),
        any_number("arg", &TEXT),
    ]),
);

static SPARK: Type = elements(
    &[],
    sequence(&[
        one("job-tracker", &TEXT).until(V0_1),
        optional("job-tracker", &TEXT).since(V0_2).until(V0_2),
        RESOURCE_MANAGER,
        one("name-node", &TEXT).until(V0_1),
        optional("name-node", &TEXT).since(V0_2),
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        any_number("job-xml", &TEXT),
        optional("configuration", &CONFIGURATION),
        one("master", &TEXT),
        optional("mode", &TEXT),
        one("name", &TEXT),
        optional("class", &TEXT),
        one("jar", &TEXT),
        optional("spark-opts", &TEXT),
        any_number("arg", &TEXT),
        any_number("file", &TEXT).since(V0_2),
        any_number("archive", &TEXT).since(V0_2),
    ]),
);

static GIT: Type = elements(
    &[],
    sequence(&[
        optional("resource-manager", &TEXT),
        one("name-node", &TEXT),
        optional("prepare", &PREPARE),
        one("git-uri", &TEXT),
        optional("branch", &TEXT),
        optional("key-path", &TEXT),
        one("destination-uri", &TEXT),
        optional("configuration", &CONFIGURATION),
    ]),
);
