//! Which servers answer for a store: the one that its address names, or the name nodes of a nameservice.
//!
//! Follows Hadoop's `hdfs-site.xml` for high availability. Must not connect to anything.

use std::io;

use super::super::StoreAddress;
use super::super::hadoop_conf::HadoopConf;
use super::super::hdfs::{authority, cannot_be_asked, has_port, name_nodes, rpc_address};
use crate::uri::split_uri;

/// How a store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Web {
    Plain,
    Encrypted,
}

impl Web {
    const fn scheme(self) -> &'static str {
        match self {
            Self::Plain => "http",
            Self::Encrypted => "https",
        }
    }

    /// The property with the address of a name node.
    const fn property(self) -> &'static str {
        match self {
            Self::Plain => "dfs.namenode.http-address",
            Self::Encrypted => "dfs.namenode.https-address",
        }
    }

    /// The port of Hadoop 3 where an address has none.
    const fn port(self) -> u16 {
        match self {
            Self::Plain => 9870,
            Self::Encrypted => 9871,
        }
    }

    fn server(self, authority: &str) -> String {
        let port = if has_port(authority) { String::new() } else { format!(":{}", self.port()) };
        format!("{}://{authority}{port}", self.scheme())
    }
}

/// The servers of a store, each as `http://host:port`.
///
/// # Errors
/// A refusal that says what is missing.
pub(super) fn servers(address: &StoreAddress, conf: Option<&HadoopConf>) -> io::Result<Vec<String>> {
    let authority = authority(address)?;
    let scheme = split_uri(&address.server).map_or("", |parts| parts.scheme).to_ascii_lowercase();
    let web = match scheme.as_str() {
        "webhdfs" => Web::Plain,
        "swebhdfs" => Web::Encrypted,
        _ if is_https_only(conf) => Web::Encrypted,
        _ => Web::Plain,
    };
    let is_rpc = scheme == "hdfs";
    let service = conf.and_then(|conf| Some((conf, name_nodes(conf, authority)?)));
    let found = match (service, conf) {
        (Some((conf, ends)), _) => ends.iter().map(|end| web_address(conf, web, end)).collect(),
        (None, Some(conf)) if is_rpc => name_node(conf, web, authority).map(|server| vec![server]),
        (None, None) if is_rpc => Err("no folder with core-site.xml and hdfs-site.xml is set for it".to_owned()),
        _ => return Ok(vec![web.server(authority)]),
    };
    found.map_err(|why| {
        let help = "; howdah asks HDFS by WebHDFS: set the server to webhdfs://HOST:PORT, or the missing property";
        cannot_be_asked(&address.server, &format!("{why}{}", if is_rpc { help } else { "" }))
    })
}

fn is_https_only(conf: Option<&HadoopConf>) -> bool {
    conf.and_then(|conf| conf.get("dfs.http.policy")).is_some_and(|policy| policy == "HTTPS_ONLY")
}

/// The web address of the name node whose RPC address is `authority`.
fn name_node(conf: &HadoopConf, web: Web, authority: &str) -> Result<String, String> {
    let with_port = |address: &str| rpc_address(&address.to_ascii_lowercase());
    let wanted = with_port(authority);
    let mut suffixes = vec![String::new()];
    for service in conf.list("dfs.nameservices") {
        suffixes.extend(name_nodes(conf, &service).into_iter().flatten());
        suffixes.push(format!(".{service}"));
    }
    let of_rpc = |suffix: &String| conf.get(&format!("dfs.namenode.rpc-address{suffix}"));
    if let Some(suffix) = suffixes.iter().find(|suffix| of_rpc(suffix).is_some_and(|rpc| with_port(&rpc) == wanted)) {
        return web_address(conf, web, suffix);
    }
    let default = ["fs.defaultFS", "fs.default.name"].iter().find_map(|name| conf.get(name)).unwrap_or_default();
    match split_uri(&default) {
        Some(parts) if parts.scheme == "hdfs" && with_port(parts.authority) == wanted => web_address(conf, web, ""),
        _ => Err(format!("neither fs.defaultFS nor a property dfs.namenode.rpc-address names [{authority}]")),
    }
}

/// The web address of the name node whose properties end with `suffix`.
fn web_address(conf: &HadoopConf, web: Web, suffix: &str) -> Result<String, String> {
    let property = format!("{}{suffix}", web.property());
    let address = conf.get(&property).ok_or_else(|| format!("the property {property} is missing"))?;
    let Some(port) = address.strip_prefix("0.0.0.0:") else { return Ok(web.server(&address)) };
    // All addresses of the name node's machine: its name is in the address of RPC.
    let rpc = conf.get(&format!("dfs.namenode.rpc-address{suffix}"));
    let default = conf.get("fs.defaultFS").filter(|_| suffix.is_empty());
    let of_default = default.as_deref().and_then(split_uri).map(|parts| parts.authority.to_owned());
    let host = rpc.or(of_default).ok_or_else(|| format!("the property {property} names no machine: [{address}]"))?;
    let host = host.rsplit_once(':').map_or(host.as_str(), |(host, _)| host);
    Ok(web.server(&format!("{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::super::super::StoreLimits;
    use super::*;

    const SITE: &str = "dfs.nameservices=Prod,old,bare dfs.ha.namenodes.Prod=nn1,nn2 \
        dfs.namenode.http-address.Prod.nn1=m1:9870 dfs.namenode.http-address.Prod.nn2=m2 \
        dfs.namenode.https-address.Prod.nn1=m1:9871 dfs.namenode.rpc-address.Prod.nn2=m2:8020 \
        dfs.namenode.http-address.old=o1:50070 dfs.namenode.rpc-address.old=o1 \
        fs.defaultFS=hdfs://single:9000 dfs.namenode.http-address=0.0.0.0:50070";

    fn servers_of(server: &str, properties: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let property = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap();
            format!("<property><name>{name}</name><value>{value}</value></property>")
        };
        let site: String = properties.split_whitespace().map(property).collect();
        std::fs::write(folder.path().join("hdfs-site.xml"), format!("<configuration>{site}</configuration>")).unwrap();
        let conf = (!properties.is_empty()).then(|| HadoopConf::read(folder.path()).unwrap());
        let address = StoreAddress {
            name: "hdfs://x".to_owned(),
            server: server.to_owned(),
            folder: String::new(),
            hadoop_folder: None,
            proxy_user: None,
            writable: None,
            limits: StoreLimits::default(),
        };
        servers(&address, conf.as_ref()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_servers_of_a_store_are_those_of_its_site() {
        for (server, site, expect) in [
            ("webhdfs://nn:50070", "", &["http://nn:50070"][..]),
            ("webhdfs://nn", "", &["http://nn:9870"]),
            ("swebhdfs://nn", "", &["https://nn:9871"]),
            ("webhdfs://[::1]:9870", "", &["http://[::1]:9870"]),
            ("WebHDFS://nn/", "", &["http://nn:9870"]),
            ("webhdfs://nn", SITE, &["http://nn:9870"]),
            ("webhdfs://prod", SITE, &["http://m1:9870", "http://m2:9870"]),
            ("hdfs://prod", SITE, &["http://m1:9870", "http://m2:9870"]),
            ("hdfs://m2", SITE, &["http://m2:9870"]),
            ("hdfs://old", SITE, &["http://o1:50070"]),
            ("hdfs://o1:8020", SITE, &["http://o1:50070"]),
            ("hdfs://single:9000", SITE, &["http://single:50070"]),
            (
                "hdfs://nn",
                "fs.defaultFS=hdfs://NN:8020 dfs.http.policy=HTTPS_ONLY dfs.namenode.https-address=nn:1",
                &["https://nn:1"],
            ),
        ] {
            assert_eq!(servers_of(server, site).unwrap(), expect, "{server}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (server, site, expect) in [
            ("swebhdfs://prod", SITE, "the property dfs.namenode.https-address.Prod.nn2 is missing"),
            (
                "hdfs://bare",
                SITE,
                "the property dfs.namenode.http-address.bare is missing; howdah asks HDFS by WebHDFS",
            ),
            ("hdfs://other", SITE, "neither fs.defaultFS nor a property dfs.namenode.rpc-address names [other]"),
            ("hdfs://nn", "", "no folder with core-site.xml and hdfs-site.xml is set for it"),
            ("webhdfs://", "", "it must be written as scheme://host:port"),
            ("webhdfs://a@b", "", "it must be written as scheme://host:port"),
            ("webhdfs://a?b", "", "it must be written as scheme://host:port"),
            ("webhdfs://a/data", "", "it must be written as scheme://host:port"),
            ("webhdfs", "", "it is no address"),
        ] {
            let error = servers_of(server, site).unwrap_err();
            assert!(error.contains(expect), "{server}: {error}");
        }
    }
}
