//! A server of our own at the other end of a pipe, with each certificate that must be refused.

use std::sync::Arc;

use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::Issuer;
use rcgen::KeyPair;
use rcgen::date_time_ymd;
use rustls::ServerConfig;
use rustls::SupportedProtocolVersion;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::io::DuplexStream;
use tokio_rustls::TlsAcceptor;

use super::*;

struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, "authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap().pem().replace("\r\n", "\n");
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    fn server(
        &self,
        name: &str,
        last_year: i32,
        versions: &[&'static SupportedProtocolVersion],
    ) -> TlsAcceptor {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_after = date_time_ymd(last_year, 12, 31);
        self.issued(&params, versions)
    }

    fn issued(
        &self,
        params: &CertificateParams,
        versions: &[&'static SupportedProtocolVersion],
    ) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    fn identity(&self, name: &str) -> Identity {
        let authorities = Authorities::parse(self.certificate.as_bytes()).unwrap();
        Identity::new(&authorities, ServerName::parse(name).unwrap()).unwrap()
    }
}

const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

async fn meet(identity: Identity, server: TlsAcceptor) -> Result<Stream<DuplexStream>, Error> {
    let (near, far) = tokio::io::duplex(1024);
    let serve = async move {
        let Ok(mut stream) = server.accept(far).await else {
            return;
        };
        let mut bytes = vec![0; 100_000];
        stream.read_exact(&mut bytes).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.read(&mut bytes).await.unwrap(), 0, "a clean end");
    };
    let talk = async move {
        let mut stream = identity.connect(near).await?;
        let sent: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        stream.write_all(&sent).await.unwrap();
        stream.flush().await.unwrap();
        let mut back = vec![0; sent.len()];
        stream.read_exact(&mut back).await.unwrap();
        assert_eq!(sent, back);
        stream.shutdown().await.unwrap();
        Ok(stream)
    };
    let ((), met) = tokio::join!(serve, talk);
    met
}

#[tokio::test]
async fn the_right_server_is_believed_in_both_versions_and_binds_the_channel() {
    let authority = Authority::new();
    for versions in [&BOTH[..1], &BOTH[1..]] {
        let server = authority.server("db.ql3.test", 2999, versions);
        let stream = meet(authority.identity("db.ql3.test"), server).await.unwrap();
        assert_eq!(stream.binding().map(|bytes| bytes.len()), Some(32));
    }
}

#[tokio::test]
async fn each_wrong_server_is_refused_by_its_own_name() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let refusal = |identity, server| async { meet(identity, server).await.map(|_| ()).unwrap_err() };
    let good = || ours.identity("db.ql3.test");
    assert_eq!(refusal(good(), theirs.server("db.ql3.test", 2999, BOTH)).await, Error::Issuer);
    assert_eq!(refusal(good(), ours.server("other.ql3.test", 2999, BOTH)).await, Error::Name);
    assert_eq!(refusal(good(), ours.server("db.ql3.test", 2001, BOTH)).await, Error::Expired);
}

#[tokio::test]
async fn a_certificate_of_the_wrong_make_is_refused_with_its_fault() {
    let authority = Authority::new();
    let refusal = |params: CertificateParams| {
        let server = authority.issued(&params, BOTH);
        async { meet(authority.identity("db.ql3.test"), server).await.map(|_| ()).unwrap_err() }
    };
    let named = || CertificateParams::new(vec!["db.ql3.test".to_owned()]).unwrap();

    let mut common_name_only = CertificateParams::new(Vec::new()).unwrap();
    common_name_only.distinguished_name.push(DnType::CommonName, "db.ql3.test");
    assert_eq!(refusal(common_name_only).await, Error::Name);

    let mut authority_as_server = named();
    authority_as_server.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    assert!(matches!(refusal(authority_as_server).await, Error::Refused(_)));

    let mut for_clients = named();
    for_clients.extended_key_usages.push(rcgen::ExtendedKeyUsagePurpose::ClientAuth);
    assert_eq!(refusal(for_clients).await, Error::Refused("it is not for servers"));
}

#[tokio::test]
async fn a_peer_that_is_no_tls_server_or_goes_away_is_a_failed_handshake() {
    let authority = Authority::new();
    for answer in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"", b"\x15\x03\x03\x00\x02\x02\x46"] {
        let (near, mut far) = tokio::io::duplex(4096);
        far.write_all(answer).await.unwrap();
        drop(far);
        let met = authority.identity("db.ql3.test").connect(near).await.map(|_| ());
        assert_eq!(met.unwrap_err(), Error::Handshake, "{answer:?}");
    }
}

#[test]
fn a_server_name_is_a_dns_name_of_two_labels() {
    for good in ["a.b", "ql3-postgres-rw.qinglong3-system.svc", "0.x", &format!("{}.b", "a".repeat(63))] {
        assert!(ServerName::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "ab",
        "localhost",
        "10.0.0.1",
        "::1",
        "[::1]",
        "a.b.",
        ".a.b",
        "a..b",
        "-a.b",
        "a-.b",
        "a_b.c",
        "a.b\n",
        "*.b",
        "é.b",
        &format!("{}.b", "a".repeat(64)),
        &["abcd"; 51].join("."),
    ] {
        assert_eq!(ServerName::parse(bad), Err(Error::ServerName), "{bad}");
    }
}
