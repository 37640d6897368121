//! What Hadoop's site files say for a whole process: which folder has them when the site of howdah names none, and
//! which file system a URI without an authority means. Must not connect to anything.

use std::path::Path;

use super::super::uri::split_uri;
use super::super::{files, found, variables};
use super::DefaultSystem;
use super::hadoop_conf::{FILES, HadoopConf};
use howdah_words::error::Error;

/// The variable with the folder of the site files, as for Hadoop's own clients.
pub const FOLDER_VARIABLE: &str = "HADOOP_CONF_DIR";
/// The properties with the default file system: Hadoop's name, and the old one.
const DEFAULT: [&str; 2] = ["fs.defaultFS", "fs.default.name"];
/// The scheme of a default file system without one, as in Hadoop.
const USUAL_SCHEME: &str = "hdfs";

/// The default file system of the site files in a folder; `None` without one, and when the files cannot be used: each
/// connection says why then.
///
/// # Errors
/// H0113 when the machine cannot read the files at present: without them a path would have another meaning.
pub fn default_system_of(folder: &str) -> Result<Option<DefaultSystem>, Error> {
    match HadoopConf::read(Path::new(folder)) {
        Ok(conf) => Ok(default_system(&conf)),
        Err(error) if found::may_pass(&error) => Err(found::cannot_read(Path::new(folder), &error)),
        Err(_) => Ok(None),
    }
}

/// The default file system; `None` for this machine, and for a text that names no server.
pub(super) fn default_system(conf: &HadoopConf) -> Option<DefaultSystem> {
    let text = DEFAULT.iter().find_map(|name| conf.get(name))?;
    let (scheme, authority) = match split_uri(&text) {
        Some(parts) => (parts.scheme.to_ascii_lowercase(), parts.authority.to_owned()),
        // As in Hadoop, a name alone is a name node.
        None if !text.contains('/') => (USUAL_SCHEME.to_owned(), text),
        None => return None,
    };
    Some(DefaultSystem { scheme, authority }).filter(|system| system.scheme != "file" && !system.authority.is_empty())
}

/// The folder that `HADOOP_CONF_DIR` names; `None` when the variable is unset, and when the folder certainly has no
/// site file: Hadoop's own clients do without, too.
pub fn folder_of_environment() -> Option<String> {
    let folder = files::absolute(Path::new(&variables::get(FOLDER_VARIABLE)?)).ok()?;
    let is_absent = |file: &&str| matches!(files::find(&folder.join(file)), found::Found::Absent);
    (!FILES.iter().all(is_absent)).then(|| folder.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_file_system_is_that_of_the_site_files() {
        for (site, expect) in [
            ("fs.defaultFS=hdfs://cluster", Some(("hdfs", "cluster"))),
            ("fs.default.name=HDFS://nn:9000/", Some(("hdfs", "nn:9000"))),
            ("fs.default.name=hdfs://old fs.defaultFS=viewfs://new", Some(("viewfs", "new"))),
            ("fs.defaultFS=nn:8020", Some(("hdfs", "nn:8020"))),
            ("fs.defaultFS=nn", Some(("hdfs", "nn"))),
            ("fs.defaultFS=${name} name=s3a://lake", Some(("s3a", "lake"))),
            ("fs.defaultFS=file:///", None),
            ("fs.defaultFS=viewfs:///", None),
            ("fs.defaultFS=/data", None),
            ("other=hdfs://nn", None),
        ] {
            let system = default_system(&HadoopConf::of_pairs(site));
            let got = system.as_ref().map(|system| (system.scheme.as_str(), system.authority.as_str()));
            assert_eq!(got, expect, "{site}");
        }
        let system = DefaultSystem { scheme: "hdfs".to_owned(), authority: "nn".to_owned() };
        assert_eq!((system.authority_for("HDFS"), system.authority_for("viewfs")), (Some("nn"), None));
    }

    #[test]
    fn files_that_cannot_be_used_name_no_default() {
        let folder = tempfile::tempdir().unwrap();
        let of = || default_system_of(folder.path().to_str().unwrap()).unwrap();
        assert_eq!(of(), None);
        std::fs::write(folder.path().join("core-site.xml"), "<configuration>").unwrap();
        assert_eq!(of(), None);
        let text =
            "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn</value></property></configuration>";
        std::fs::write(folder.path().join("core-site.xml"), text).unwrap();
        assert_eq!(of(), Some(DefaultSystem { scheme: "hdfs".to_owned(), authority: "nn".to_owned() }));
    }
}
