//! What a CA file may hold, and where a refusal points.

use std::os::unix::fs::PermissionsExt;

use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::IsCa;
use rcgen::KeyPair;
use rcgen::KeyUsagePurpose;

use super::*;

fn certificate(is_ca: IsCa, usages: Vec<KeyUsagePurpose>) -> String {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = is_ca;
    params.key_usages = usages;
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem().replace("\r\n", "\n")
}

fn ca() -> String {
    certificate(IsCa::Ca(BasicConstraints::Unconstrained), Vec::new())
}

fn parse(text: &str) -> Result<usize, Error> {
    Authorities::parse(text.as_bytes()).map(|found| found.certificates().count())
}

#[test]
fn several_certificates_of_one_subject_with_any_line_ends_are_taken() {
    let (one, two) = (ca(), ca());
    assert_eq!(parse(&one), Ok(1));
    assert_eq!(parse(&format!("\n \t\n{one}\n\n{two}\n")), Ok(2));
    assert_eq!(parse(&format!("{one}{two}").replace('\n', "\r\n")), Ok(2));
    assert_eq!(parse(one.trim_end()), Ok(1));
}

#[test]
fn anything_but_whole_blocks_is_refused_at_its_line() {
    let good = ca();
    let lines = good.lines().count();
    let damaged = good.replacen("\nM", "\n*", 1);
    let short =
        good.lines().enumerate().filter(|(n, _)| *n != 3).fold(String::new(), |t, (_, l)| t + l + "\n");
    let key = KeyPair::generate().unwrap().serialize_pem();
    for (text, line) in [
        (" \n\n".to_owned(), 2),
        (format!("# the CA\n{good}"), 1),
        (format!("{good}# the end\n"), lines + 1),
        (format!("{good}{damaged}"), lines + 2),
        (format!("{good}{short}"), lines + 1),
        (format!("{good}{key}"), lines + 1),
        (good.replace("-----END CERTIFICATE-----", ""), 1),
        (good.replacen("-----BEGIN", "------BEGIN", 1), 1),
        (good.replacen("CERTIFICATE-----\n", "CERTIFICATE-----\nProc-Type: 4\n\n", 1), 2),
    ] {
        assert_eq!(parse(&text), Err(Error::InvalidPem { line }), "{text}");
    }
    assert_eq!(Authorities::parse(b"\xff").map(|_| ()), Err(Error::InvalidEncoding));
}

#[test]
fn a_pinned_leaf_a_second_copy_and_a_seventeenth_certificate_are_refused() {
    let good = ca();
    for leaf in [
        certificate(IsCa::NoCa, Vec::new()),
        certificate(IsCa::ExplicitNoCa, Vec::new()),
        certificate(IsCa::Ca(BasicConstraints::Unconstrained), vec![KeyUsagePurpose::DigitalSignature]),
    ] {
        assert_eq!(parse(&format!("{good}{leaf}")), Err(Error::NotCa { position: 2 }));
    }
    let signing = certificate(IsCa::Ca(BasicConstraints::Unconstrained), vec![KeyUsagePurpose::KeyCertSign]);
    assert_eq!(parse(&signing), Ok(1));
    assert_eq!(parse(&format!("{good}{signing}{good}")), Err(Error::DuplicateCertificate { position: 3 }));
    assert_eq!(parse(&good.repeat(17)), Err(Error::TooManyCertificates));
}

#[test]
fn the_file_may_be_a_link_but_nobody_else_may_write_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.crt");
    let link = directory.path().join("link");
    std::fs::write(&path, ca()).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for (mode, expected) in [(0o440, Ok(())), (0o644, Ok(())), (0o664, Err(Error::InsecurePermissions))] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(Authorities::read(&link).map(|_| ()), expected, "{mode:o}");
    }
    let read = |path: &Path| Authorities::read(path).map(|_| ()).unwrap_err();
    assert_eq!(read(directory.path()), Error::NotRegular);
    assert_eq!(read(&directory.path().join("none")), Error::Unavailable);
    assert_eq!(read(Path::new("ca.crt")), Error::InvalidPath);
    assert_eq!(read(Path::new("/ca\n.crt")), Error::InvalidPath);
    std::fs::write(&path, b"").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(read(&path), Error::InvalidSize);
}
