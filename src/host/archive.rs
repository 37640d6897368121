//! Unpacks archives. Decides by the name what kind an archive is, as Hadoop does; knows nothing of actions.
//!
//! Nothing is written outside of the folder, whatever the entries of an archive are called.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::tree;

/// Makes `to` a folder with the content of the archive at `from`; a link to it when its name is that of no archive, or when
/// it is a folder.
pub(crate) fn unpack(from: &Path, to: &Path) -> io::Result<()> {
    let name = from.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if tree::kind(from)? == tree::Kind::Directory {
        return tree::link(from, to);
    }
    if is(&[".zip", ".jar"]) {
        tree::create_folders(to)?;
        let mut archive = zip::ZipArchive::new(BufReader::new(File::open(from)?)).map_err(io::Error::other)?;
        return archive.extract(to).map_err(io::Error::other);
    }
    if is(&[".tar.gz", ".tgz"]) {
        tree::create_folders(to)?;
        return tar::Archive::new(MultiGzDecoder::new(BufReader::new(File::open(from)?))).unpack(to);
    }
    if is(&[".tar"]) {
        tree::create_folders(to)?;
        return tar::Archive::new(BufReader::new(File::open(from)?)).unpack(to);
    }
    File::open(from)?;
    tree::link(from, to)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn tar(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o755);
            // Written by hand: the crate refuses to write the names that a hostile archive has.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn check(name: &str, bytes: &[u8], expect: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join(name);
        fs::write(&from, bytes).unwrap();
        let to = folder.path().join("work/to");
        fs::create_dir(folder.path().join("work")).unwrap();
        let unpacked = unpack(&from, &to);
        let got =
            unpacked.ok().and_then(|()| fs::read_to_string(to.join("a/b")).or_else(|_| fs::read_to_string(&to)).ok());
        assert_eq!(got.as_deref(), expect, "{name}");
        assert!(!folder.path().join("evil").exists() && !folder.path().join("work/evil").exists(), "{name}");
    }

    #[test]
    fn the_name_says_how_it_is_packed() {
        let entries = [("a/b", "content")];
        check("x.tar", &tar(&entries), Some("content"));
        check("x.TGZ", &gzip(&tar(&entries)), Some("content"));
        check("x.tar.gz", &gzip(&tar(&entries)), Some("content"));
        check("x.zip", &zip(&entries), Some("content"));
        check("x.jar", &zip(&entries), Some("content"));
        check("x.txt", b"content", Some("content"));
        check("x.zip", b"no archive", None);
    }

    #[test]
    fn nothing_leaves_the_folder() {
        check("x.tar", &tar(&[("../evil", "x"), ("../../evil", "x"), ("a/b", "content")]), Some("content"));
        check("x.zip", &zip(&[("../evil", "x")]), None);
    }
}
