//! A `map-reduce` action whose data are in HDFS.

use super::{Job, Vendors, hadoop, write};
use crate::hdfs::Hdfs;
use howdah_sandbox::sandbox::Sandbox;

#[test]
fn data_in_hdfs() {
    let (Some(vendors), Some(hdfs)) = (Vendors::installed(), Hdfs::shared()) else { return };
    let sandbox = Sandbox::new();
    let site = vendors.site(&sandbox, &[]);
    let jar = vendors.compile(&sandbox.path(""), "Words", hadoop::PROGRAM);
    write(&sandbox.path("lines"), "a b a\n");
    hdfs.shell(&["-mkdir", "-p", "/words/in"]);
    hdfs.shell(&["-put", &sandbox.text("lines"), "/words/in/lines"]);
    let folders = [("mapred.input.dir", "/words/in"), ("mapred.output.dir", "/words/out")];
    let properties = [&hadoop::WORDS[..], &folders].concat();
    let job = Job::submit(&sandbox, &site, &hadoop::map_reduce(&hdfs.name(), &jar, &properties));
    assert_eq!(job.end(), "OK", "{}", job.file("stderr"));
    assert_eq!(hdfs.shell(&["-cat", "/words/out/part-r-00000"]), "a\t2\nb\t1\n");
    assert!(job.file("report.json").contains("\"HDFS_BYTES_WRITTEN\":8"), "{}", job.file("report.json"));
}
