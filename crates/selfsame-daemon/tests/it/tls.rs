//! TLS, and what is demanded before other machines are listened to: a real client that trusts one certificate and nothing
//! else, over HTTP, MCP and WebSocket.

use crate::house::{Ask, House, REMEMBER, Reply, connect, home_in};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use selfsame::config::{Settings, TlsSettings};
use selfsame_daemon::{Failure, serve};
use selfsame_testkit::EVENTS;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tungstenite::handshake::client::generate_key;
use tungstenite::http::Request;

const NAME: &str = "mind.example.org";

/// A certificate for a name and for this machine, as files and as what a client trusts.
struct Certificate {
    folder: TempDir,
    trusted: CertificateDer<'static>,
}

impl Certificate {
    fn new() -> Certificate {
        let names = vec![NAME.to_owned(), "localhost".to_owned(), "127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cert.pem"), cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
        Certificate { folder, trusted: cert.der().clone() }
    }

    fn settings(&self) -> TlsSettings {
        TlsSettings { cert: self.folder.path().join("cert.pem"), key: self.folder.path().join("key.pem") }
    }

    /// A daemon that shows it, and answers to one more name.
    fn house(&self) -> House {
        House::with(|settings| {
            settings.server.tls = Some(self.settings());
            settings.server.hosts = vec![NAME.into()];
        })
    }

    fn client(&self, house: &House, name: &str) -> StreamOwned<ClientConnection, TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.trusted.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let client = ClientConnection::new(Arc::new(config), name).unwrap();
        StreamOwned::new(client, connect(house.address()))
    }

    fn send(&self, house: &House, ask: Ask) -> Reply {
        let mut stream = self.client(house, NAME);
        stream.write_all(&ask.header("connection", "close").bytes()).unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Reply::parse(&bytes)
    }
}

fn at(house: &House) -> String {
    format!("{NAME}:{}", house.address().port())
}

fn named(ask: Ask, host: &str) -> Ask {
    ask.without("host").header("host", host)
}

#[test]
fn who_trusts_the_certificate_is_answered_and_who_speaks_plainly_is_not() {
    let certificate = Certificate::new();
    let house = certificate.house();
    let written =
        certificate.send(&house, house.ask("POST", REMEMBER).json(&json!({ "content": "Over TLS." })));
    assert_eq!(written.status, 200, "{written:?}");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "somebody", "version": "1" },
    }});
    let mcp = house.ask("POST", "/mcp").json(&hello).header("accept", "application/json, text/event-stream");
    let welcome = certificate.send(&house, mcp);
    assert_eq!(welcome.status, 200, "{welcome:?}");
    assert!(welcome.text.contains(r#""protocolVersion":"2025-11-25""#), "{welcome:?}");
    assert_eq!(certificate.send(&house, house.stranger("GET", "/v1/agents")).status, 401, "TLS is no key");

    // In the clear there is no answer, only the end.
    let mut plain = connect(house.address());
    plain.write_all(&house.ask("GET", "/v1/agents").bytes()).unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!String::from_utf8_lossy(&said).contains("HTTP/1.1"), "{said:?}");
    // Nor does a client that trusts another certificate get so far as to send its key.
    let mut elsewhere = Certificate::new().client(&house, NAME);
    assert!(elsewhere.write_all(&house.ask("GET", "/v1/agents").bytes()).is_err());
}

#[test]
fn a_name_that_is_set_is_answered_to_and_no_other() {
    let certificate = Certificate::new();
    let house = certificate.house();
    let status = |host: &str, origin: Option<&str>| {
        let ask = named(house.ask("GET", "/v1/agents"), host);
        let ask = origin.into_iter().fold(ask, |ask, origin| ask.header("origin", origin));
        certificate.send(&house, ask).status
    };
    assert_eq!(status(&at(&house), None), 200);
    assert_eq!(status("MIND.example.org", None), 200, "a name has no case");
    assert_eq!(status(&at(&house), Some(&format!("https://{}", at(&house)))), 200);
    assert_eq!(status("localhost", None), 200);
    for foreign in ["evil.example", "example.org", "mind.example.org.evil.example", "127.0.0.9", ""] {
        assert_eq!(status(foreign, None), 403, "{foreign:?}");
    }
    assert_eq!(status(&at(&house), Some("https://evil.example")), 403);
}

#[test]
fn a_websocket_goes_through_tls() {
    let certificate = Certificate::new();
    let house = certificate.house();
    let request = Request::get(format!("wss://{}{EVENTS}", at(&house)))
        .header("host", at(&house))
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", generate_key())
        .header("authorization", format!("Bearer {}", house.operator()));
    let stream = certificate.client(&house, NAME);
    let (mut socket, _) = tungstenite::client(request.body(()).unwrap(), stream).unwrap();
    let mut next = || loop {
        if let tungstenite::Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str::<Value>(&text).unwrap();
        }
    };
    assert_eq!(next()["type"], "hello");
    let told =
        certificate.send(&house, house.ask("POST", REMEMBER).json(&json!({ "content": "While I watch." })));
    assert_eq!(told.status, 200, "{told:?}");
    while next()["act"] != "remembered" {}
}

#[test]
fn the_dashboard_is_linked_by_https_and_its_cookie_goes_nowhere_else() {
    let certificate = Certificate::new();
    let house = certificate.house();
    let way = house.backend().dashboard_code().unwrap();
    assert_eq!(way.link, format!("https://{}/dashboard", at(&house)));
    assert_eq!(house.backend().daemon_url(), Some(format!("https://{}", at(&house))));
    let enter = named(house.stranger("POST", "/dashboard/session"), &at(&house))
        .header("origin", &format!("https://{}", at(&house)))
        .json(&json!({ "code": way.code }));
    let entered = certificate.send(&house, enter);
    let cookie = entered.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("; Secure;"), "{cookie}");
    let page = named(house.stranger("GET", "/v1/agents"), &at(&house)).header("x-selfsame-page", "1");
    let listed = certificate.send(&house, page.header("cookie", cookie.split(';').next().unwrap()));
    assert_eq!(listed.status, 200, "{listed:?}");
}

/// The proxy has the certificate, and tells us which name the browser used.
#[test]
fn behind_a_proxy_the_browsers_name_counts_and_the_cookie_is_secure_too() {
    let house = House::with(|settings| settings.server.hosts = vec![NAME.into()]);
    let enter = |origin: &str, host: &str| {
        let code = house.backend().dashboard_code().unwrap().code;
        let ask = named(house.stranger("POST", "/dashboard/session"), host).header("origin", origin);
        ask.json(&json!({ "code": code })).send()
    };
    let entered = enter(&format!("https://{NAME}"), NAME);
    assert_eq!(entered.status, 200, "{entered:?}");
    assert!(entered.header("set-cookie").unwrap().contains("; Secure;"), "{entered:?}");
    let address = house.address().to_string();
    let plain = enter(&format!("http://{address}"), &address);
    assert!(!plain.header("set-cookie").unwrap().contains("Secure"), "a browser would drop it: {plain:?}");
}

#[test]
fn whoever_does_not_finish_its_handshake_keeps_nobody_out() {
    let certificate = Certificate::new();
    let house = House::with(|settings| {
        settings.server.tls = Some(certificate.settings());
        settings.server.hosts = vec![NAME.into()];
        settings.server.max_connections = 3;
    });
    let silent: Vec<TcpStream> = (0..10).map(|_| connect(house.address())).collect();
    let answered = certificate.send(&house, house.stranger("GET", "/healthz"));
    assert_eq!(answered.status, 200, "{answered:?}");
    drop(silent);
}

/// Nobody needs the place, and still nobody keeps it who does not say what they want: the daemon hangs up on a handshake that
/// never begins and on a head that never ends. Both are waited for at once.
#[test]
fn whoever_says_nothing_is_hung_up_on() {
    let certificate = Certificate::new();
    let (shown, plain) = (certificate.house(), House::open());
    let mut silent = connect(shown.address());
    let mut halfway = connect(plain.address());
    halfway.write_all(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ").unwrap();
    for (what, stream) in [("a handshake", &mut silent), ("a head", &mut halfway)] {
        let mut said = Vec::new();
        let ended = stream.read_to_end(&mut said);
        let gave_up = ended.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        assert!(!gave_up, "{what} is still waited for: {ended:?}");
    }
}

/// How a daemon with these settings ends, which it does before it listens.
fn refused(change: impl FnOnce(&mut Settings)) -> (Failure, bool) {
    let folder = tempfile::tempdir().unwrap();
    let home = home_in(&folder, change);
    let ran = serve::run(&home, async {}, |ready| panic!("it listens at {}", ready.address));
    (ran.unwrap_err(), home.data.exists())
}

#[test]
fn other_machines_are_not_listened_to_without_tls_or_a_word() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let (failure, made) = refused(|settings| settings.server.address = address.parse().unwrap());
        assert_eq!(failure.code, "not_loopback", "{failure}");
        for fix in ["server.tls_cert", "server.tls_key", "--insecure"] {
            assert!(failure.detail.contains(fix), "{failure}");
        }
        assert!(!made, "nothing is made for a daemon that may not listen");
    }
    let certificate = Certificate::new();
    let house = House::with(|settings| {
        settings.server.address = "0.0.0.0:0".parse().unwrap();
        settings.server.tls = Some(certificate.settings());
    });
    let host = format!("127.0.0.1:{}", house.address().port());
    assert_eq!(certificate.send(&house, named(house.ask("GET", "/v1/agents"), &host)).status, 200);
}

/// Every address of the machine is listened on, and each is called by its own: no other, and no name that was not set.
#[test]
fn whoever_listens_everywhere_answers_to_the_address_that_was_called() {
    let house = House::with(|settings| {
        settings.server.address = "0.0.0.0:0".parse().unwrap();
        settings.server.insecure = true;
    });
    let port = house.address().port();
    assert_eq!(house.backend().daemon_url(), Some(format!("http://localhost:{port}")));
    let called = |host: &str| {
        let ask = named(house.ask("GET", "/v1/agents"), host).header("connection", "close");
        crate::house::send_bytes(format!("127.0.0.2:{port}").parse().unwrap(), &ask.bytes()).status
    };
    assert_eq!(called(&format!("127.0.0.2:{port}")), 200);
    assert_eq!(called(&format!("127.0.0.3:{port}")), 403);
    assert_eq!(called("box.lan"), 403);
}

#[test]
fn files_that_are_no_good_are_named_by_their_setting() {
    let certificate = Certificate::new();
    let path = |name: &str| certificate.folder.path().join(name);
    std::fs::write(path("other.pem"), KeyPair::generate().unwrap().serialize_pem()).unwrap();
    std::fs::write(path("empty.pem"), "no certificate\n").unwrap();
    let says = |cert: &Path, key: &Path, parts: &[&str]| {
        let tls = TlsSettings { cert: cert.to_owned(), key: key.to_owned() };
        let (failure, made) = refused(|settings| settings.server.tls = Some(tls));
        assert_eq!((failure.status, failure.code.as_str()), (400, "bad_tls"), "{failure}");
        for part in parts {
            assert!(failure.detail.contains(part), "{part}: {failure}");
        }
        assert!(!made);
    };
    let (cert, key) = (path("cert.pem"), path("key.pem"));
    says(&path("none.pem"), &key, &["server.tls_cert", "none.pem", "No such file"]);
    says(&cert, &path("none.pem"), &["server.tls_key", "none.pem", "No such file"]);
    says(&path("empty.pem"), &key, &["server.tls_cert", "there is none in it", "a certificate in PEM"]);
    says(&cert, &cert, &["server.tls_key", "there is none in it", "a private key in PEM"]);
    says(&cert, &path("other.pem"), &["server.tls_cert", "server.tls_key", "do not go together"]);
}

#[test]
fn a_path_that_is_not_whole_begins_in_the_data_folder() {
    let certificate = Certificate::new();
    let folder = tempfile::tempdir().unwrap();
    let home = home_in(&folder, |settings| {
        settings.server.tls = Some(TlsSettings { cert: "cert.pem".into(), key: "key.pem".into() });
    });
    home.make_folder().unwrap();
    assert_eq!(serve::check(&home).unwrap_err().code, "bad_tls");
    for name in ["cert.pem", "key.pem"] {
        std::fs::copy(certificate.folder.path().join(name), home.data.join(name)).unwrap();
    }
    serve::check(&home).unwrap();
    serve::run(&home, async {}, |ready| assert!(ready.url.starts_with("https://"), "{}", ready.url)).unwrap();
}
