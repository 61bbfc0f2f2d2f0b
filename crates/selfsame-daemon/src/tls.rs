//! TLS for whoever comes from the network: which certificate is shown, read from the files that the settings name.

use crate::failure::Failure;
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use selfsame::config::TlsSettings;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// What turns a connection into one that nobody can listen to; a path that is not whole begins in the folder.
pub(crate) fn acceptor(settings: &TlsSettings, folder: &Path) -> Result<TlsAcceptor, Failure> {
    let (cert, key) = (folder.join(&settings.cert), folder.join(&settings.key));
    let chain = CertificateDer::pem_file_iter(&cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable("server.tls_cert", &cert, "a certificate in PEM", &error))?;
    if chain.is_empty() {
        return Err(unusable("server.tls_cert", &cert, "a certificate in PEM", &pem::Error::NoItemsFound));
    }
    let secret = PrivateKeyDer::from_pem_file(&key)
        .map_err(|error| unusable("server.tls_key", &key, "a private key in PEM", &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| mismatched(&cert, &key, &error))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| mismatched(&cert, &key, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unusable(setting: &str, path: &Path, wanted: &str, error: &pem::Error) -> Failure {
    let why = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "there is none in it".into(),
        other => other.to_string(),
    };
    bad_tls(&format!("{setting} names {}, which cannot be used ({why}): name {wanted}", path.display()))
}

fn mismatched(cert: &Path, key: &Path, error: &dyn Display) -> Failure {
    bad_tls(&format!(
        "server.tls_cert ({}) and server.tls_key ({}) do not go together ({error}): name a certificate and the key that it \
         was made for",
        cert.display(),
        key.display()
    ))
}

fn bad_tls(told: &str) -> Failure {
    Failure::bad_request("bad_tls", told)
}
