//! How the site lets stores be asked.

use crate::settings::site::Site;
use howdah_host::file_store::StoreSettings;

/// The longest that a store may take, in milliseconds.
const LONGEST: u64 = 600_000;
/// The most requests to one store at once: each needs a thread and a connection.
const MOST_REQUESTS: usize = 64;

/// The property with the folder of Hadoop's site files.
pub const HADOOP_FOLDER: &str = "howdah.store.hadoop-folder";

impl Site<'_> {
    /// Reads what the site says about its stores.
    pub fn stores(&mut self, stores: &mut StoreSettings) {
        let of =
            |text: &str| text.split([',', ' ', '\n', '\t']).filter(|uri| !uri.is_empty()).map(str::to_owned).collect();
        stores.writable = self.text("howdah.writable").map(of);
        if stores.writable.is_none() && self.given.values.contains_key("howdah.writable") {
            // An empty list is more likely a mistake than a wish for no limit.
            self.refuse("howdah.writable", "", "it must list URIs; remove it to allow everything");
        }
        if let Some(uri) = stores.writable.iter().flatten().find(|uri| !uri.contains("://")).cloned() {
            self.refuse("howdah.writable", &uri, "it must be a URI such as hdfs://namenode:8020/data/out");
        }
        stores.hadoop_folder = self.text(HADOOP_FOLDER).map(str::to_owned);
        stores.proxy_user = self.text("howdah.store.proxy-user").map(str::to_owned);
        self.number("howdah.store.connect-timeout", 1..=LONGEST, &mut stores.limits.connect);
        self.number("howdah.store.answer-timeout", 1..=LONGEST, &mut stores.limits.answer);
        self.number("howdah.store.tick-time", 1..=LONGEST, &mut stores.tick);
        self.number("howdah.store.requests", 1..=MOST_REQUESTS, &mut stores.requests);
    }
}
