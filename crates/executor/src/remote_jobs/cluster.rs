//! Where the jobs of a launcher run, as stored with the command.

use serde::{Deserialize, Serialize};

/// Where the jobs of a launcher run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Elsewhere {
    /// The program that queries and kills YARN applications.
    pub yarn: String,
    /// The standalone cluster of Spark that drivers run on, if the action uses one.
    pub spark: Option<SparkCluster>,
    /// Which state decides how the work ended.
    pub end: FinalState,
}

/// A standalone cluster of Spark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SparkCluster {
    /// The program `spark-submit`.
    pub submit: String,
    /// The URL of the master, `spark://host:port`.
    pub master: String,
    /// The address of the master's REST server, `host:port`, if it is known.
    pub rest: Option<String>,
}

/// Which state decides how the work of a launcher ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FinalState {
    /// The exit status of the launcher.
    Launcher,
    /// The driver of Spark that it submitted to a standalone cluster.
    Driver,
    /// The application of YARN that it submitted.
    Application,
    /// The job of `MapReduce` that it submitted, queried with the program `mapred`.
    Job { mapred: String },
}
