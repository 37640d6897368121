//! Which bucket an address means, and with which keys it is asked.
//!
//! Hadoop's properties go before the environment, as in S3A's own order. The environment belongs to the account that
//! started the process: for another user only the site file counts, as far as that user may read it. Secrets stay in
//! what is built here: they are in no address, no error and no debug output. Must not connect to anything.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ClientOptions, RetryConfig};

use super::super::hadoop_conf::HadoopConf;
use super::super::{StoreAddress, StoreError};
use super::answer;
use super::bucket::Client;
use super::wire::Wire;
use crate::uri::split_uri;
use crate::{files, variables};

/// The largest file with a key, in bytes.
const LARGEST_KEY: u64 = 1 << 20;
/// How often a request that failed is sent again, if that can do no harm.
const RETRIES: usize = 2;

/// Where settings come from.
pub(super) struct Sources<'a> {
    pub(super) conf: Option<&'a HadoopConf>,
    /// Whether the environment counts.
    pub(super) environment: bool,
}

impl Sources<'_> {
    /// The first of these properties that is set, else the first of these variables.
    fn get(&self, properties: &[&str], names: &[&str]) -> Option<String> {
        let property = properties.iter().find_map(|name| self.conf?.get(name));
        let names = if self.environment { names } else { &[] };
        property.or_else(|| names.iter().find_map(|name| variables::get(name)))
    }

    /// A property of S3A, which one bucket may have for itself.
    fn s3a(&self, bucket: &str, name: &str, names: &[&str]) -> Option<String> {
        self.get(&[&format!("fs.s3a.bucket.{bucket}.{name}"), &format!("fs.s3a.{name}")], names)
    }

    /// Why there are no keys.
    fn without_keys(&self, address: &StoreAddress, what: &str) -> io::Error {
        let of_whom = if self.environment {
            ""
        } else {
            "; the environment of howdah counts only for the account that started it"
        };
        let text = format!("the store [{}] has no keys: set {what}{of_whom}", address.server);
        StoreError::refused(ErrorKind::PermissionDenied, text)
    }
}

/// The client of the bucket that an address means. Sends nothing.
///
/// # Errors
/// A refusal that says what is missing.
pub(super) fn client(address: &StoreAddress, sources: &Sources<'_>, wire: &Wire) -> io::Result<Arc<dyn Client>> {
    let refuse = |why: &str| {
        StoreError::refused(ErrorKind::InvalidInput, format!("the store [{}] cannot be asked: {why}", address.server))
    };
    let parts = split_uri(&address.server).filter(|parts| !parts.authority.is_empty());
    let parts = parts.ok_or_else(|| refuse("it must be written as scheme://bucket"))?;
    let scheme = parts.scheme.to_ascii_lowercase();
    let is_azure = matches!(scheme.as_str(), "abfs" | "abfss" | "wasb" | "wasbs");
    if !is_azure && parts.authority.contains(['@', ':']) {
        // An old form has the keys there: they must not be shown.
        let text = "a bucket of an object store must be written as scheme://bucket, without keys";
        return Err(StoreError::refused(ErrorKind::InvalidInput, text));
    }
    match scheme.as_str() {
        "gs" => google(address, parts.authority, sources, wire),
        "abfs" | "abfss" | "wasb" | "wasbs" => {
            let (container, host) = parts
                .authority
                .split_once('@')
                .filter(|(_, host)| host.ends_with(".core.windows.net"))
                .ok_or_else(|| refuse("it must be written as scheme://container@account.dfs.core.windows.net"))?;
            azure(address, (container, host), sources, wire)
        }
        _ => s3(address, (&scheme, parts.authority), sources, wire),
    }
}

fn retries(address: &StoreAddress) -> RetryConfig {
    let retry_timeout = address.limits.answer() / 2;
    RetryConfig { max_retries: RETRIES, retry_timeout, ..RetryConfig::default() }
}

/// A client, or why it cannot be made. The library's text may hold a value: only its kind is told.
fn built<T: Client>(address: &StoreAddress, client: object_store::Result<T>) -> io::Result<Arc<dyn Client>> {
    match client {
        Ok(client) => Ok(Arc::new(client)),
        Err(error) => {
            let why = answer::meaning(&address.server, &error);
            Err(StoreError::refused(ErrorKind::InvalidInput, format!("the settings cannot be used: {why}")))
        }
    }
}

fn s3(
    address: &StoreAddress,
    (scheme, bucket): (&str, &str),
    sources: &Sources<'_>,
    wire: &Wire,
) -> io::Result<Arc<dyn Client>> {
    let place = S3Place::of(bucket, sources);
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&place.region)
        .with_retry(retries(address))
        .with_client_options(ClientOptions::new().with_allow_http(true))
        .with_http_connector(wire.clone())
        .with_virtual_hosted_style_request(place.is_virtual);
    if let Some(endpoint) = place.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    let providers = sources.s3a(bucket, "aws.credentials.provider", &[]).unwrap_or_default();
    let property = |name: &str, old: &str, variable: &str| {
        let of_site = Sources { environment: false, ..*sources };
        let old = of_site.get(&[&format!("fs.{scheme}.{old}")], &[]);
        let variable = sources.environment.then(|| variables::get(variable)).flatten();
        of_site.s3a(bucket, name, &[]).or(old).map(|value| (value, true)).or_else(|| Some((variable?, false)))
    };
    let key = property("access.key", "awsAccessKeyId", "AWS_ACCESS_KEY_ID");
    let secret = property("secret.key", "awsSecretAccessKey", "AWS_SECRET_ACCESS_KEY");
    builder = match (key, secret) {
        // Parts of one pair of keys come from one place.
        (Some((key, of_site)), Some((secret, secret_of_site))) if of_site == secret_of_site => {
            let token = property("session.token", "awsSessionToken", "AWS_SESSION_TOKEN");
            let token = token.filter(|(_, token_of_site)| *token_of_site == of_site);
            let builder = builder.with_access_key_id(key).with_secret_access_key(secret);
            if let Some((token, _)) = token { builder.with_token(token) } else { builder }
        }
        _ if providers.contains("AnonymousAWSCredentialsProvider") => builder.with_skip_signature(true),
        _ => {
            let what = "fs.s3a.access.key and fs.s3a.secret.key in core-site.xml of howdah.store.hadoop-folder, or \
                        AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
            return Err(sources.without_keys(address, what));
        }
    };
    built(address, builder.build())
}

/// Where a bucket of S3 is asked.
#[derive(Debug, PartialEq, Eq)]
struct S3Place {
    region: String,
    /// With the bucket where the host names it; `None`: Amazon's own.
    endpoint: Option<String>,
    /// Whether the host names the bucket, and not the path.
    is_virtual: bool,
}

impl S3Place {
    fn of(bucket: &str, sources: &Sources<'_>) -> Self {
        let endpoint = sources.s3a(bucket, "endpoint", &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
        let is_secure = sources.s3a(bucket, "connection.ssl.enabled", &[]).is_none_or(|value| value != "false");
        let in_path = sources.s3a(bucket, "path.style.access", &[]).is_some_and(|value| value == "true");
        let endpoint = endpoint.map(|endpoint| {
            let endpoint = endpoint.trim_end_matches('/');
            let scheme = if is_secure { "https" } else { "http" };
            if endpoint.contains("://") { endpoint.to_owned() } else { format!("{scheme}://{endpoint}") }
        });
        let host = endpoint.as_deref().and_then(|endpoint| endpoint.split_once("://")).map(|(_, host)| host);
        let of_host = host.and_then(region_in).map(str::to_owned);
        let region = sources.s3a(bucket, "endpoint.region", &["AWS_REGION", "AWS_DEFAULT_REGION"]);
        // An address of numbers and `localhost` have no names below them, and a certificate does not cover two.
        let name = host.map_or("s3.amazonaws.com", |host| host.split(':').next().unwrap_or(host));
        let has_names = name != "localhost" && !name.starts_with('[') && name.parse::<std::net::Ipv4Addr>().is_err();
        let is_virtual = !in_path && has_names && !bucket.contains(['.', '_']);
        let endpoint = endpoint.map(|endpoint| match endpoint.split_once("://") {
            Some((scheme, host)) if is_virtual => format!("{scheme}://{bucket}.{host}"),
            _ => endpoint,
        });
        Self { region: region.or(of_host).unwrap_or_else(|| "us-east-1".to_owned()), endpoint, is_virtual }
    }
}

/// The region that a host of Amazon names, as in `s3.eu-west-1.amazonaws.com`.
fn region_in(host: &str) -> Option<&str> {
    let (before, _) = host.split_once(".amazonaws.com")?;
    before.strip_prefix("s3.").or_else(|| before.strip_prefix("s3-")).filter(|region| region.contains('-'))
}

fn azure(
    address: &StoreAddress,
    (container, host): (&str, &str),
    sources: &Sources<'_>,
    wire: &Wire,
) -> io::Result<Arc<dyn Client>> {
    let account = host.split('.').next().unwrap_or(host);
    let builder = MicrosoftAzureBuilder::new()
        .with_account(account)
        .with_container_name(container)
        .with_retry(retries(address))
        .with_http_connector(wire.clone());
    let properties = [
        format!("fs.azure.account.key.{host}"),
        format!("fs.azure.account.key.{account}"),
        "fs.azure.account.key".to_owned(),
    ];
    let properties: Vec<&str> = properties.iter().map(String::as_str).collect();
    let variables = ["AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_KEY"];
    let Some(key) = sources.get(&properties, &variables) else {
        let what = "fs.azure.account.key.ACCOUNT in core-site.xml of howdah.store.hadoop-folder, or \
                    AZURE_STORAGE_ACCOUNT_KEY";
        return Err(sources.without_keys(address, what));
    };
    built(address, builder.with_access_key(key).build())
}

fn google(address: &StoreAddress, bucket: &str, sources: &Sources<'_>, wire: &Wire) -> io::Result<Arc<dyn Client>> {
    let properties = ["google.cloud.auth.service.account.json.keyfile", "fs.gs.auth.service.account.json.keyfile"];
    let Some(file) = sources.get(&properties, &["GOOGLE_APPLICATION_CREDENTIALS"]) else {
        let what = "google.cloud.auth.service.account.json.keyfile in core-site.xml of howdah.store.hadoop-folder, \
                    or GOOGLE_APPLICATION_CREDENTIALS";
        return Err(sources.without_keys(address, what));
    };
    // Read here, with the rights of the job's user.
    let key = files::read_text(Path::new(&file), LARGEST_KEY).map_err(|error| {
        let text = format!("the key of [{}] cannot be read: {error}", address.server);
        if error.may_pass() { StoreError::unknown(text) } else { StoreError::refused(ErrorKind::InvalidInput, text) }
    })?;
    let builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(bucket)
        .with_service_account_key(key)
        .with_retry(retries(address))
        .with_http_connector(wire.clone());
    built(address, builder.build())
}

#[cfg(test)]
mod tests {
    use super::super::super::agent::Agents;
    use super::super::super::{StoreLimits, StoreSettings};
    use super::*;

    fn conf(properties: &[(&str, &str)]) -> HadoopConf {
        let folder = tempfile::tempdir().unwrap();
        let lines = properties
            .iter()
            .map(|(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>"));
        let text = format!("<configuration>{}</configuration>", lines.collect::<String>());
        std::fs::write(folder.path().join("core-site.xml"), text).unwrap();
        HadoopConf::read(folder.path()).unwrap()
    }

    #[test]
    fn a_bucket_is_where_the_properties_say() {
        let check = |properties: &[(&str, &str)], region: &str, endpoint: Option<&str>, is_virtual: bool| {
            let conf = conf(properties);
            let place = S3Place::of("b", &Sources { conf: Some(&conf), environment: false });
            let endpoint = endpoint.map(str::to_owned);
            assert_eq!(place, S3Place { region: region.to_owned(), endpoint, is_virtual }, "{properties:?}");
        };
        check(&[], "us-east-1", None, true);
        check(
            &[("fs.s3a.endpoint", "s3.eu-west-1.amazonaws.com")],
            "eu-west-1",
            Some("https://b.s3.eu-west-1.amazonaws.com"),
            true,
        );
        check(&[("fs.s3a.endpoint", "http://127.0.0.1:9000/")], "us-east-1", Some("http://127.0.0.1:9000"), false);
        let plain = [("fs.s3a.endpoint", "minio:9000"), ("fs.s3a.connection.ssl.enabled", "false")];
        check(&plain, "us-east-1", Some("http://b.minio:9000"), true);
        let in_path = [plain[0], ("fs.s3a.path.style.access", "true"), ("fs.s3a.endpoint.region", "x")];
        check(&in_path, "x", Some("https://minio:9000"), false);
        check(&[plain[0], ("fs.s3a.bucket.b.endpoint", "own")], "us-east-1", Some("https://b.own"), true);
        check(&[("fs.s3a.bucket.c.endpoint", "own")], "us-east-1", None, true);
    }

    #[test]
    fn a_store_without_keys_is_refused_and_secrets_are_not_shown() {
        let wire = Wire::new(&Agents::new(StoreLimits::default(), false).unwrap());
        let check = |server: &str, properties: &[(&str, &str)], expect: Option<&str>| {
            let address = StoreSettings::default().address(server, server, "");
            let conf = conf(properties);
            match (client(&address, &Sources { conf: Some(&conf), environment: false }, &wire), expect) {
                (Ok(_), None) => {}
                (Err(error), Some(expect)) => {
                    let text = format!("{error} {error:?}");
                    assert!(text.contains(expect) && !text.contains("hidden"), "{server} {properties:?}: {text}");
                }
                (other, expect) => panic!("{server} {properties:?}: {other:?}, expected {expect:?}"),
            }
        };
        let pair = [("fs.s3a.access.key", "k"), ("fs.s3a.secret.key", "hidden")];
        check("s3a://b", &pair, None);
        check("s3a://b", &pair[1..], Some("has no keys: set fs.s3a.access.key"));
        check("s3a://b", &[], Some("counts only for the account that started it"));
        check("s3n://b", &[("fs.s3n.awsAccessKeyId", "k"), ("fs.s3n.awsSecretAccessKey", "hidden")], None);
        check("s3n://b", &[("fs.s3.awsAccessKeyId", "k"), ("fs.s3.awsSecretAccessKey", "hidden")], Some("no keys"));
        let anonymous = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider";
        check("s3a://b", &[("fs.s3a.bucket.b.aws.credentials.provider", anonymous)], None);
        check("s3a://", &pair, Some("scheme://bucket"));
        let account = ("fs.azure.account.key.a.dfs.core.windows.net", "aGlkZGVu");
        check("abfss://c@a.dfs.core.windows.net", &[account], None);
        check("wasb://c@a.blob.core.windows.net", &[("fs.azure.account.key.a", "aGlkZGVu")], None);
        check("abfs://c@b.dfs.core.windows.net", &[account], Some("has no keys"));
        check("abfs://c", &[account], Some("container@account"));
        check("abfs://c@a.dfs.core.example.org", &[account], Some("container@account"));
        check("s3a://k:hidden@b", &pair, Some("without keys"));
        check("gs://b", &[], Some("keyfile"));
        check("gs://b", &[("google.cloud.auth.service.account.json.keyfile", "/none")], Some("cannot be read"));
    }
}
