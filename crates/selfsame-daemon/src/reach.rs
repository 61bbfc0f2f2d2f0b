//! Where a server that is given texts and a key may be: nowhere that only machines talk to.
//!
//! The address is judged when it is set, and what its name leads to is judged again at every connection, because a name
//! may lead elsewhere by then.

use crate::web::plain_host;
use std::net::IpAddr;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Where databases and their like listen: nothing there speaks HTTP, and a POST may be read as commands.
const DATABASE_PORTS: &[u16] = &[
    1433, 1521, 2379, 3306, 5432, 5433, 6379, 6432, 7000, 7001, 9042, 9160, 11211, 26257, 27017, 27018, 27019,
];
/// Machines in a cloud learn their own keys there, and it is no link-local address.
const METADATA_ADDRESSES: &[&str] = &["100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"];
const METADATA_NAMES: &[&str] = &["metadata", "metadata.google.internal", "instance-data"];
/// Names that only a house or its machine gives out.
const HOUSE_SUFFIXES: &[&str] = &[".local", ".lan", ".internal", ".localhost", ".home.arpa"];

/// Why an address is not asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Unfit {
    #[error(
        "is no address of a server: write it as http://host:port or https://host/v1, without a user, ? or #; a key \
         belongs where keys are kept"
    )]
    NotAnAddress,
    #[error("is where machines keep keys or find each other, and is never asked: write a server's address")]
    OffLimits,
    #[error("has the port of a database, and is never asked: write the port of the server")]
    Database,
    #[error(
        "leads into a private network by a public name, and is not asked: if that is meant, write the address itself"
    )]
    LedInside,
}

/// One address that may be asked, and what may become of its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    /// Whether the name may lead into a private network: the operator wrote it so.
    inside: bool,
}

impl Reach {
    /// Judges an address that something is put after, and that is named in messages: nothing secret is in it.
    pub(crate) fn of_base(url: &str) -> Result<Reach, Unfit> {
        match url.contains(['?', '#']) {
            true => Err(Unfit::NotAnAddress),
            false => Reach::of(url),
        }
    }

    /// Judges an address as it is written.
    pub(crate) fn of(url: &str) -> Result<Reach, Unfit> {
        let uri: Uri = url.parse().map_err(|_| Unfit::NotAnAddress)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let host = plain_host(&uri).filter(|_| is_http);
        let host = host.ok_or(Unfit::NotAnAddress)?.to_lowercase();
        if uri.port_u16().is_some_and(|port| DATABASE_PORTS.contains(&port)) {
            return Err(Unfit::Database);
        }
        let name = host.trim_end_matches('.');
        if METADATA_NAMES.contains(&name) {
            return Err(Unfit::OffLimits);
        }
        let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
        let reach = Reach { inside: address.is_ok() || is_of_the_house(name) };
        if let Ok(address) = address {
            reach.judge(address)?;
        }
        Ok(reach)
    }

    /// Judges what a name leads to.
    fn judge(&self, address: IpAddr) -> Result<(), Unfit> {
        let address = address.to_canonical();
        if is_off_limits(address) {
            return Err(Unfit::OffLimits);
        }
        if is_private(address) && !self.inside {
            return Err(Unfit::LedInside);
        }
        Ok(())
    }
}

fn is_of_the_house(name: &str) -> bool {
    !name.contains('.') || HOUSE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

fn is_off_limits(address: IpAddr) -> bool {
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    is_link_local
        || address.is_unspecified()
        || address.is_multicast()
        || METADATA_ADDRESSES.iter().any(|known| known.parse() == Ok(address))
}

fn is_private(address: IpAddr) -> bool {
    address.is_loopback()
        || match address {
            // Also what providers share among their customers (100.64/10).
            IpAddr::V4(v4) => v4.is_private() || (v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64),
            IpAddr::V6(v6) => v6.is_unique_local(),
        }
}

/// Finds addresses as usual, and lets none through that may not be asked.
#[derive(Debug)]
pub(crate) struct Watched {
    reach: Reach,
    usual: DefaultResolver,
}

impl Watched {
    pub(crate) fn new(reach: Reach) -> Watched {
        Watched { reach, usual: DefaultResolver::default() }
    }
}

impl Resolver for Watched {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.usual.resolve(uri, config, timeout)?;
        for address in &found {
            self.reach.judge(address.ip()).map_err(|unfit| ureq::Error::Other(Box::new(unfit)))?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(url: &str, address: &str) -> Result<(), Unfit> {
        Reach::of(url)?.judge(address.parse().unwrap())
    }

    #[test]
    fn what_is_no_address_of_a_server() {
        for url in [
            "",
            "host",
            "file:///etc/passwd",
            "ftp://host",
            "gopher://host:70",
            "http://",
            "http://me@host",
            "http://me:secret@host",
            "http://host:port",
            "http://host?key=1",
            "http://host#x",
            "unix:/run/x",
        ] {
            assert_eq!(Reach::of_base(url), Err(Unfit::NotAnAddress), "{url}");
        }
    }

    #[test]
    fn addresses_that_are_never_asked() {
        for host in [
            "169.254.169.254",
            "169.254.0.1",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "0.0.0.0",
            "[::]",
            "224.0.0.1",
            "255.255.255.255",
            "100.100.100.200",
            "192.0.0.192",
            "[fd00:ec2::254]",
            "metadata.google.internal",
            "METADATA.google.internal.",
            "metadata",
        ] {
            assert_eq!(Reach::of(&format!("http://{host}/v1")), Err(Unfit::OffLimits), "{host}");
        }
        for port in [5432, 3306, 6379, 27017, 11211] {
            assert_eq!(Reach::of(&format!("http://localhost:{port}")), Err(Unfit::Database), "{port}");
        }
    }

    #[test]
    fn where_a_local_model_is() {
        for host in ["127.0.0.1", "[::1]", "192.168.1.5", "10.0.0.7", "172.16.3.4", "[fd12::1]", "localhost"]
        {
            assert!(Reach::of(&format!("http://{host}:11434")).is_ok(), "{host}");
        }
        for name in ["ollama", "gpu.lan", "box.local", "a.home.arpa", "svc.internal"] {
            assert_eq!(led(&format!("http://{name}:11434"), "10.0.0.7"), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_name_is_judged_by_where_it_leads() {
        let public = "https://models.example.com/v1";
        assert_eq!(led(public, "203.0.113.9"), Ok(()));
        for inside in
            ["127.0.0.1", "10.0.0.7", "192.168.0.1", "100.64.0.1", "::1", "fd12::1", "::ffff:10.0.0.7"]
        {
            assert_eq!(led(public, inside), Err(Unfit::LedInside), "{inside}");
        }
        for never in ["169.254.169.254", "fe80::1", "::ffff:169.254.1.1", "0.0.0.0"] {
            assert_eq!(led(public, never), Err(Unfit::OffLimits), "{never}");
            assert_eq!(led("http://ollama:11434", never), Err(Unfit::OffLimits), "{never}");
        }
        // As a number, which the system reads as an address.
        assert_eq!(led("http://2852039166/", "169.254.169.254"), Err(Unfit::OffLimits));
    }
}
