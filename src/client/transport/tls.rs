//! How connections are secured: rustls with ring, and the certificates this machine trusts.

use std::error::Error as StdError;
use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;

use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;

/// The settings for the way to one service, without protocols to negotiate.
///
/// Where nothing of it is secured the machine's certificates are not read: no time is spent on it, and a machine that
/// has none can still talk to itself. A `ca_file` is read all the same, so that a fault in it does not come up later.
pub(super) fn settings(is_secured: bool, ca_file: Option<&Path>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable("TLS cannot be set up", error))?;
    if !is_secured && ca_file.is_none() {
        return Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = verifier(ca_file, provider)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

fn verifier(ca_file: Option<&Path>, provider: Arc<CryptoProvider>) -> Result<Verifier, Error> {
    let Some(path) = ca_file else {
        return Verifier::new(provider).map_err(|error| {
            unusable("the certificates this machine trusts cannot be read", error)
                .with_hint("install the system's CA certificates, or name a PEM file as `ca_file=`")
        });
    };
    let shown = path.display();
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(&format!("`ca_file` `{shown}` cannot be read"), error))?;
    if certificates.is_empty() {
        return Err(Error::new(ErrorKind::Config, format!("`ca_file` `{shown}` holds no certificate")));
    }
    Verifier::new_with_extra_roots(certificates, provider)
        .map_err(|error| unusable(&format!("`ca_file` `{shown}` holds a certificate that cannot be used"), error))
}

fn unusable(message: &str, error: impl StdError + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Config, format!("{message}: {error}")).with_source(error)
}
