//! The patch that lets the Job's Pod reach the API server and nobody else (RFC 6902, as kustomize takes it).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::SocketAddr;

use super::error::Error;
use crate::cluster::Authority;
use crate::cluster::Cluster;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Deadline;

/// Reads where the API server answers and prints one egress rule for each address.
pub(super) async fn patch(authority: &Authority, deadline: Deadline) -> Result<Report, Error> {
    let cluster = Cluster::connect(authority).map_err(Error::Cluster)?;
    let addresses = cluster.endpoints(deadline).await.map_err(Error::Cluster)?;
    Ok(Report::done(yaml(&addresses), LastWords::done("written", None)))
}

/// Addresses and ports need no escapes in YAML; IPv6 addresses need quotes.
fn yaml(addresses: &BTreeSet<SocketAddr>) -> String {
    let mut text = String::new();
    for address in addresses {
        let (ip, port, bits) = (address.ip(), address.port(), if address.is_ipv4() { 32 } else { 128 });
        let written = write!(
            text,
            "- op: add
  path: /spec/egress/-
  value:
    to:
      - ipBlock:
          cidr: \"{ip}/{bits}\"
    ports:
      - port: {port}
        protocol: TCP
"
        );
        debug_assert!(written.is_ok(), "a String takes whatever is written");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_a_rule_of_its_own_and_one_host_wide() {
        let addresses = ["10.96.0.1:443", "[2001:db8::7]:6443"].map(|text| text.parse().unwrap());
        let expected = "- op: add
  path: /spec/egress/-
  value:
    to:
      - ipBlock:
          cidr: \"10.96.0.1/32\"
    ports:
      - port: 443
        protocol: TCP
- op: add
  path: /spec/egress/-
  value:
    to:
      - ipBlock:
          cidr: \"2001:db8::7/128\"
    ports:
      - port: 6443
        protocol: TCP
";
        assert_eq!(yaml(&addresses.into()), expected);
    }
}
