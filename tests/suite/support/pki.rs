//! Certificates that are made when a test needs them, and never stored.

use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::Issuer;
use rcgen::KeyPair;

/// An authority that can issue.
pub(crate) struct Ca {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate in PEM.
    pub(crate) pem: String,
}

/// A certificate with its key, both in PEM.
pub(crate) struct Leaf {
    pub(crate) pem: String,
    pub(crate) key: String,
}

impl Ca {
    pub(crate) fn new(subject: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, subject);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A certificate for these names and addresses.
    pub(crate) fn issue(&self, names: &[&str]) -> Leaf {
        self.sign(&params(names))
    }

    /// One that expired long ago.
    pub(crate) fn issue_expired(&self, names: &[&str]) -> Leaf {
        let mut params = params(names);
        params.not_before = rcgen::date_time_ymd(2001, 1, 1);
        params.not_after = rcgen::date_time_ymd(2002, 1, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Leaf {
        let key = KeyPair::generate().unwrap();
        let pem = params.signed_by(&key, &self.issuer).unwrap().pem();
        Leaf { pem, key: key.serialize_pem() }
    }
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}
