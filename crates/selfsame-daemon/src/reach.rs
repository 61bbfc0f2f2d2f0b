//! Where a server that is given texts and a key may be: nowhere that only machines talk to.
//!
//! The address is judged when it is set, and what its name leads to is judged again at every connection, because a name
//! may lead elsewhere by then.

use crate::web::plain_host;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
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
    #[error(
        "spells an address as hardly anybody does, and is not asked: write it with four plain numbers, or its name"
    )]
    OddlySpelt,
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
        // A zone (`fe80::1%eth0`), an escaped dot: what is neither an address nor a name is not left to the system to read.
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        if address.is_err() && !is_name {
            return Err(Unfit::NotAnAddress);
        }
        // What the system would take for an address, though it does not look like one: 0x7f.1, 2130706433, 0177.0.0.1.
        if address.is_err() && is_all_numbers(name) {
            return Err(Unfit::OddlySpelt);
        }
        let Ok(address) = address else {
            return Ok(Reach { inside: is_of_the_house(name) });
        };
        let reach = Reach { inside: is_private(address) };
        // What is private is asked where it is written plainly. Inside a new address it was not, and with a dot behind it
        // others take it for a name.
        match reach.judge(address) {
            Err(Unfit::LedInside) => Err(Unfit::OddlySpelt),
            Ok(()) if host.ends_with('.') => Err(Unfit::OddlySpelt),
            judged => judged.map(|()| reach),
        }
    }

    /// Judges where a server sends us that may be asked: into a private network only from within one.
    pub(crate) fn sent_on(&self, url: &str) -> Result<Reach, Unfit> {
        match Reach::of(url)? {
            Reach { inside: true } if !self.inside => Err(Unfit::LedInside),
            there => Ok(there),
        }
    }

    /// Judges what a name leads to.
    fn judge(&self, address: IpAddr) -> Result<(), Unfit> {
        let address = address.to_canonical();
        // An address of the new kind may carry one of the old kind to a gateway that unpacks it.
        for address in [Some(address), carried(address)].into_iter().flatten() {
            if is_off_limits(address) {
                return Err(Unfit::OffLimits);
            }
            if is_private(address) && !self.inside {
                return Err(Unfit::LedInside);
            }
        }
        Ok(())
    }
}

fn is_of_the_house(name: &str) -> bool {
    !name.contains('.') || HOUSE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Whether the last part of a name is a number, in whichever base: no domain ends so, and the system reads it as an address.
fn is_all_numbers(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hex || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The old address inside a new one: mapped, translated (NAT64), tunnelled (6to4, Teredo) or just put at the end.
fn carried(address: IpAddr) -> Option<IpAddr> {
    let IpAddr::V6(address) = address else { return None };
    let parts = address.segments();
    let pair = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    let old = match parts {
        [0x64, 0xff9b, ..] | [0, 0, 0, 0, 0, 0, _, _] if !is_local(address) => pair(parts[6], parts[7]),
        [0, 0, 0, 0, 0xffff, 0, _, _] => pair(parts[6], parts[7]),
        [.., 0x5efe, _, _] => pair(parts[6], parts[7]),
        [0x2002, high, low, ..] => pair(high, low),
        [0x2001, 0, ..] => pair(!parts[6], !parts[7]),
        _ => return None,
    };
    Some(IpAddr::V4(old))
}

fn is_local(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

fn is_off_limits(address: IpAddr) -> bool {
    let is_link_local = match address {
        // Also the whole of 0/8, which Linux takes for this machine, what nobody was ever given, and a corner for protocols.
        IpAddr::V4(v4) => {
            let [first, second, third, _] = v4.octets();
            v4.is_link_local() || first == 0 || first >= 240 || (first, second, third) == (192, 0, 0)
        }
        IpAddr::V6(v6) => v6.is_unicast_link_local() || v6.segments()[..4] == [0x100, 0, 0, 0],
    };
    is_link_local
        || address.is_unspecified()
        || address.is_multicast()
        || METADATA_ADDRESSES.iter().any(|known| known.parse() == Ok(address))
}

fn is_private(address: IpAddr) -> bool {
    address.is_loopback()
        || match address {
            // Also what providers share among their customers (100.64/10), and where networks are measured (198.18/15).
            IpAddr::V4(v4) => {
                let [first, second, ..] = v4.octets();
                v4.is_private()
                    || (first == 100 && second & 0xc0 == 64)
                    || (first == 198 && second & 0xfe == 18)
            }
            // Also what was private before (fec0::/10).
            IpAddr::V6(v6) => v6.is_unique_local() || v6.segments()[0] & 0xffc0 == 0xfec0,
        }
}

/// Finds addresses as usual, and lets none through that may not be asked.
#[derive(Debug)]
pub(crate) struct Watched<R = DefaultResolver> {
    reach: Reach,
    usual: R,
}

impl Watched {
    pub(crate) fn new(reach: Reach) -> Watched {
        Watched { reach, usual: DefaultResolver::default() }
    }
}

impl<R: Resolver> Resolver for Watched<R> {
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
        assert_eq!(led("http://2852039166/", "169.254.169.254"), Err(Unfit::OddlySpelt));
    }

    /// Every way that we know to spell an address so that it does not look like itself.
    fn spellings(address: [u8; 4]) -> Vec<String> {
        let [a, b, c, d] = address;
        let whole = u32::from_be_bytes(address);
        let (low, last) =
            (u32::from(b) << 16 | u32::from(c) << 8 | u32::from(d), u32::from(c) << 8 | u32::from(d));
        let hex = format!("{a:02x}{b:02x}:{c:02x}{d:02x}");
        vec![
            format!("{whole}"),
            format!("0x{whole:x}"),
            format!("0X{whole:X}"),
            format!("0{whole:o}"),
            format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
            format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
            format!("0x{a:x}.{b}.{c}.{d}"),
            format!("{a}.0{b:o}.{c}.{d}"),
            format!("{a}.{b}.{last}"),
            format!("{a}.{low}"),
            format!("{a}.{b}.{c}.0x{d:x}"),
            format!("00{a}.{b}.{c}.{d}"),
            format!("{a}.{b}.{c}.{d}."),
            format!("[::ffff:{a}.{b}.{c}.{d}]"),
            format!("[::ffff:{hex}]"),
            format!("[0:0:0:0:0:ffff:{hex}]"),
            format!("[::{a}.{b}.{c}.{d}]"),
            format!("[64:ff9b::{a}.{b}.{c}.{d}]"),
            format!("[64:ff9b:1::{hex}]"),
            format!("[2002:{hex}::1]"),
            format!(
                "[2001:0:1:2:3:4:{:04x}:{:04x}]",
                !(u16::from(a) << 8 | u16::from(b)),
                !(u16::from(c) << 8 | u16::from(d))
            ),
            format!("[fe80::5efe:{a}.{b}.{c}.{d}]"),
            format!("[::ffff:0:{a}.{b}.{c}.{d}]"),
            format!("{a}.{b}.{c}.{d}%2e"),
            format!("{a}。{b}。{c}。{d}"),
            format!("{a}%2e{b}%2e{c}%2e{d}"),
            format!("me@{a}.{b}.{c}.{d}"),
            format!("example.com@{a}.{b}.{c}.{d}"),
            format!("example.com:80@{a}.{b}.{c}.{d}"),
            format!("{a}.{b}.{c}.{d}:80:80"),
            format!("{a}.{b}.{c}.{d}:99999"),
        ]
    }

    /// Where keys are found is refused in every spelling, as soon as it is written.
    #[test]
    fn a_hundred_ways_to_spell_where_keys_are() {
        let mut tried = 0;
        let never = [[169, 254, 169, 254], [0, 0, 0, 0], [255, 255, 255, 255], [100, 100, 100, 200]];
        for address in never {
            for host in spellings(address) {
                for scheme in ["http", "https"] {
                    assert!(Reach::of(&format!("{scheme}://{host}/latest")).is_err(), "{scheme}://{host}");
                    tried += 1;
                }
            }
        }
        for url in [
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "gopher://127.0.0.1:6379/_x",
            "ftp://10.0.0.1/",
            "dict://127.0.0.1:11211/",
            "ldap://127.0.0.1/",
            "jar:http://a/!/",
            "data:text/plain,x",
            "javascript:alert(1)",
            "//169.254.169.254/",
            "http:169.254.169.254",
            "http:///169.254.169.254/",
            "http:\\\\169.254.169.254/",
            " http://169.254.169.254",
            "http://169.254.169.254\t/",
            "http://\n169.254.169.254/",
            "http://[::]/",
            "http://[0:0::0]/",
            "http://[::]:80/",
            "http://[fe80::1%25eth0]/",
            "http://[fe80::1]/",
            "http://[febf::1]/",
            "http://[ff02::1]/",
            "http://[100::1]/",
            "http://metadata/",
            "http://METADATA.GOOGLE.INTERNAL./computeMetadata",
            "http://instance-data/latest",
            "http://[fd00:ec2::254]/",
            "http://[fd20:ce::254]/",
            "http://192.0.0.192/",
            "http://192.0.0.8/",
            "http://240.0.0.1/",
            "http://localhost:5432/",
            "http://localhost:6379/",
            "http://127.0.0.1:27017/",
            "http://0.1.2.3/",
            "http://0/",
            "http://0x0/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://017700000001/",
            "http://2130706433/",
            "http://127.0.1/",
        ] {
            assert!(Reach::of(url).is_err(), "{url:?}");
            tried += 1;
        }
        assert!(tried >= 100, "{tried}");
    }

    /// A house of one's own is asked where it is written plainly, and nowhere else.
    #[test]
    fn no_trick_leads_into_a_private_network() {
        for address in [
            [127, 0, 0, 1],
            [10, 0, 0, 7],
            [192, 168, 1, 1],
            [172, 16, 0, 1],
            [100, 64, 0, 1],
            [198, 18, 0, 1],
        ] {
            let plain = Ipv4Addr::from(address);
            assert!(Reach::of(&format!("http://{plain}:8080/")).is_ok(), "{plain}");
            for host in spellings(address) {
                assert!(Reach::of(&format!("http://{host}/")).is_err(), "{host}");
            }
            // A public name that turns out to lead there, in whichever form the answer has.
            let public = Reach::of("https://rebind.example.com/").unwrap();
            let old = plain.to_ipv6_mapped();
            let translated = format!("64:ff9b::{plain}").parse().unwrap();
            for led in [IpAddr::V4(plain), IpAddr::V6(old), IpAddr::V6(translated)] {
                assert_eq!(public.judge(led), Err(Unfit::LedInside), "{led}");
            }
        }
        let public = Reach::of("https://rebind.example.com/").unwrap();
        for led in ["::1", "fec0::1", "fd00::1", "2002:7f00:1::1", "::127.0.0.1"] {
            assert_eq!(public.judge(led.parse().unwrap()), Err(Unfit::LedInside), "{led}");
        }
        for fine in ["203.0.113.9", "2606:4700::1111", "8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"] {
            assert_eq!(public.judge(fine.parse().unwrap()), Ok(()), "{fine}");
        }
    }

    #[test]
    fn whoever_sends_us_on_leads_no_further_than_they_are() {
        let (public, inside) = (
            Reach::of("https://models.example.com/").unwrap(),
            Reach::of("http://192.168.1.5:8080/").unwrap(),
        );
        let by_number = Reach::of("https://203.0.113.9/").unwrap();
        for near in [
            "http://10.0.0.7/",
            "http://127.0.0.1:8080/",
            "http://[::1]/",
            "http://[fd12::1]/",
            "http://gpu.lan/",
            "http://ollama/",
        ] {
            assert_eq!(public.sent_on(near), Err(Unfit::LedInside), "{near}");
            assert_eq!(by_number.sent_on(near), Err(Unfit::LedInside), "{near}");
            assert!(inside.sent_on(near).is_ok(), "{near}");
        }
        for reach in [&public, &inside, &by_number] {
            assert_eq!(reach.sent_on("http://169.254.169.254/latest"), Err(Unfit::OffLimits));
            assert_eq!(reach.sent_on("http://localhost:5432/"), Err(Unfit::Database));
            assert!(reach.sent_on("https://cdn.example.com/model.onnx").is_ok());
        }
        // A public name is judged by where it leads, also when a neighbour sent us there.
        let led = inside.sent_on("https://cdn.example.com/").unwrap();
        assert_eq!(led.judge("10.0.0.7".parse().unwrap()), Err(Unfit::LedInside));
    }

    /// Answers something else each time: what a name led to when it was judged says nothing about now.
    #[derive(Debug)]
    struct Rebinding(std::sync::Mutex<Vec<&'static str>>);

    impl Resolver for Rebinding {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut found = self.empty();
            found.push(self.0.lock().unwrap().pop().unwrap().parse().unwrap());
            Ok(found)
        }
    }

    #[test]
    fn a_name_is_judged_at_every_connection() {
        let answers = std::sync::Mutex::new(vec!["169.254.169.254:80", "127.0.0.1:80", "203.0.113.9:80"]);
        let reach = Reach::of("http://rebind.example.com/").unwrap();
        let watched = Watched { reach, usual: Rebinding(answers) };
        let uri: Uri = "http://rebind.example.com/".parse().unwrap();
        let resolved: Vec<bool> = (0..3)
            .map(|_| watched.resolve(&uri, &Config::default(), NextTimeout::default()).is_ok())
            .collect();
        assert_eq!(resolved, [true, false, false]);
    }
}
