//! Which name nodes a store has, and what the client is told: from the address and the site files, never from the
//! environment. Must not connect to anything.

use std::io;
use std::path::Path;

use super::super::StoreAddress;
use super::super::hadoop_conf::HadoopConf;
use super::super::hdfs::{Modes, authority, cannot_be_asked, name_nodes, rpc_address};

/// The properties of the site files that the client knows and may have.
const PASSED_ON: [&str; 5] = [
    "dfs.client.use.datanode.hostname",
    "dfs.data.transfer.protection",
    "dfs.client.block.write.replace-datanode-on-failure.enable",
    "dfs.client.block.write.replace-datanode-on-failure.policy",
    "dfs.client.block.write.replace-datanode-on-failure.best-effort",
];

/// How users log in.
const AUTHENTICATION: &str = "hadoop.security.authentication";
const SIMPLE: &str = "simple";
const KERBEROS: &str = "kerberos";

/// How a store is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The addresses of the name nodes, each as `host:port`.
    pub(super) name_nodes: Vec<String>,
    /// Names and values for the client.
    pub(super) properties: Vec<(String, String)>,
    /// Whether users log in by Kerberos.
    pub(super) is_kerberos: bool,
    /// The principal of the name nodes.
    pub(super) server: Option<String>,
    pub(super) modes: Modes,
}

impl Configuration {
    /// # Errors
    /// A refusal that says what is missing, or what this client cannot do; unknown when a file cannot be read.
    pub(super) fn of(address: &StoreAddress) -> io::Result<Self> {
        let conf = address.hadoop_folder.as_deref().map(|folder| HadoopConf::read(Path::new(folder))).transpose()?;
        Self::with(address, conf.as_ref())
    }

    fn with(address: &StoreAddress, conf: Option<&HadoopConf>) -> io::Result<Self> {
        let authority = authority(address)?;
        let get = |name: &str| conf.and_then(|conf| conf.get(name));
        let refuse = |why: &str| Err(cannot_be_asked(&address.server, why));
        let way = get(AUTHENTICATION).unwrap_or_else(|| SIMPLE.to_owned()).to_ascii_lowercase();
        if way != SIMPLE && way != KERBEROS {
            return refuse(&format!("{AUTHENTICATION} is [{way}], and howdah knows {SIMPLE} and {KERBEROS}"));
        }
        let mut servers = Vec::new();
        let ends = conf.and_then(|conf| name_nodes(conf, authority));
        for end in ends.as_deref().unwrap_or_default() {
            let property = format!("dfs.namenode.rpc-address{end}");
            match get(&property) {
                Some(server) => servers.push(rpc_address(&server)),
                None => return refuse(&format!("the property {property} is missing")),
            }
        }
        if servers.is_empty() {
            servers.push(rpc_address(authority));
        }
        let mut properties: Vec<(String, String)> =
            PASSED_ON.iter().filter_map(|name| Some(((*name).to_owned(), get(name)?))).collect();
        // A data node that is silent leaves time for another one.
        let data_node = (address.limits.answer / 2).max(1).to_string();
        for (name, value) in [
            (AUTHENTICATION, way.as_str()),
            ("dfs.client.failover.max.attempts", "0"),
            ("dfs.client.socket-timeout", &data_node),
        ] {
            properties.push((name.to_owned(), value.to_owned()));
        }
        let (is_kerberos, server) = (way == KERBEROS, get("dfs.namenode.kerberos.principal"));
        Ok(Self { name_nodes: servers, properties, is_kerberos, server, modes: Modes::of(conf)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::StoreLimits;
    use super::*;

    const SITE: &str = "dfs.nameservices=Prod,old,bare dfs.ha.namenodes.Prod=nn1,nn2 \
        dfs.namenode.rpc-address.Prod.nn1=m1:9000 dfs.namenode.rpc-address.Prod.nn2=${second} second=m2 \
        dfs.namenode.rpc-address.old=o1 fs.permissions.umask-mode=027 dfs.client.use.datanode.hostname=true \
        dfs.client.socket-timeout=60000";

    fn configuration(server: &str, properties: &str) -> Result<Configuration, String> {
        let folder = tempfile::tempdir().unwrap();
        let property = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap();
            format!("<property><name>{name}</name><value>{value}</value></property>")
        };
        let site: String = properties.split_whitespace().map(property).collect();
        std::fs::write(folder.path().join("hdfs-site.xml"), format!("<configuration>{site}</configuration>")).unwrap();
        let address = StoreAddress {
            name: "hdfs://x".to_owned(),
            server: server.to_owned(),
            folder: String::new(),
            hadoop_folder: (!properties.is_empty()).then(|| folder.path().to_str().unwrap().to_owned()),
            proxy_user: None,
            writable: None,
            limits: StoreLimits { connect: 1_000, answer: 2_000 },
        };
        Configuration::of(&address).map_err(|error| error.to_string())
    }

    #[test]
    fn the_name_nodes_of_a_store_are_those_of_its_site() {
        for (server, site, expect) in [
            ("hdfs://nn", "", &["nn:8020"][..]),
            ("hdfs://nn:9000/", "", &["nn:9000"]),
            ("HDFS://[::1]:9000", "", &["[::1]:9000"]),
            ("hdfs://prod", SITE, &["m1:9000", "m2:8020"]),
            ("hdfs://old", SITE, &["o1:8020"]),
            ("hdfs://other", SITE, &["other:8020"]),
        ] {
            assert_eq!(configuration(server, site).unwrap().name_nodes, expect, "{server}");
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for (server, site, expect) in [
            ("hdfs://bare", SITE, "the property dfs.namenode.rpc-address.bare is missing"),
            ("hdfs://nn", "hadoop.security.authentication=tls", "[tls], and howdah knows simple and kerberos"),
            ("hdfs://nn", "fs.permissions.umask-mode=u=rwx", "[u=rwx] of fs.permissions.umask-mode"),
            ("hdfs://a@b", "", "it must be written as scheme://host:port"),
            ("hdfs://", "", "it must be written as scheme://host:port"),
        ] {
            let error = configuration(server, site).unwrap_err();
            assert!(error.contains(expect), "{server}: {error}");
        }
    }

    #[test]
    fn the_client_has_the_limits_of_the_store() {
        let configuration = configuration("hdfs://prod", SITE).unwrap();
        let value = |name: &str| {
            let found: Vec<_> = configuration.properties.iter().filter(|(of, _)| of == name).collect();
            found.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(value("dfs.client.use.datanode.hostname"), ["true"]);
        assert_eq!(value("dfs.client.socket-timeout"), ["1000"]);
        assert_eq!(value("dfs.client.failover.max.attempts"), ["0"]);
        assert_eq!(value("hadoop.security.authentication"), ["simple"]);
        assert_eq!((configuration.is_kerberos, &configuration.server), (false, &None));
        assert_eq!((configuration.modes.folder, configuration.modes.file), (0o750, 0o640));
    }

    #[test]
    fn kerberos_is_what_the_site_says() {
        let site = "hadoop.security.authentication=Kerberos dfs.namenode.kerberos.principal=nn/_HOST@EXAMPLE.COM";
        let configuration = configuration("hdfs://nn", site).unwrap();
        assert!(configuration.is_kerberos);
        assert_eq!(configuration.server.as_deref(), Some("nn/_HOST@EXAMPLE.COM"));
        let passed = ("hadoop.security.authentication".to_owned(), "kerberos".to_owned());
        assert!(configuration.properties.contains(&passed), "{:?}", configuration.properties);
    }
}
