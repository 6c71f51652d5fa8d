//! Pure: a Service and its endpoint slices to the addresses and ports that a Pod may be seen to dial.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::num::NonZeroU16;

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use super::error::Error;

/// Both the Service's addresses and those behind it, IPv4 first, each once. Both are needed: an enforcer looks at a
/// packet before or after its destination was translated.
pub fn judge(service: Map<String, Value>, slices: Map<String, Value>) -> Result<BTreeSet<SocketAddr>, Error> {
    let Service { spec } = read(service, "specification")?;
    let List { metadata, items } = read(slices, "endpoint slices")?;
    if metadata.next.is_some_and(|next| !next.is_empty()) {
        return Err(Error::Crowd { limit: LIMIT });
    }
    let front = pairs(&spec.cluster_ips, &spec.ports)?;
    let mut behind = BTreeSet::new();
    for Slice { endpoints, ports } in items {
        for Endpoint { addresses } in endpoints.unwrap_or_default() {
            behind.extend(pairs(&addresses, ports.as_deref().unwrap_or_default())?);
        }
    }
    for (addresses, what) in [(&front, "address"), (&behind, "endpoint")] {
        if addresses.is_empty() {
            return Err(Error::Nothing(what));
        }
    }
    behind.extend(front);
    if behind.len() > LIMIT { Err(Error::Crowd { limit: LIMIT }) } else { Ok(behind) }
}

fn read<T: for<'de> Deserialize<'de>>(members: Map<String, Value>, what: &'static str) -> Result<T, Error> {
    serde_json::from_value(Value::Object(members)).map_err(|_shape| Error::Invalid(what))
}

/// Each address with each TCP port.
fn pairs(addresses: &[String], ports: &[Port]) -> Result<BTreeSet<SocketAddr>, Error> {
    let tcp = ports.iter().filter(|port| port.protocol.as_deref().is_none_or(|name| name == "TCP"));
    let tcp: Vec<_> = tcp.map(|port| port.port.ok_or(Error::Invalid("port"))).collect::<Result<_, _>>()?;
    let mut pairs = BTreeSet::new();
    for address in addresses {
        let ip = address.parse::<IpAddr>().ok().filter(is_somebody).ok_or(Error::Invalid("address"))?;
        pairs.extend(tcp.iter().map(|port| SocketAddr::new(ip, port.get())));
    }
    Ok(pairs)
}

/// Whether a Pod can reach one host under it. A rule for anything else would be too wide or useless.
fn is_somebody(ip: &IpAddr) -> bool {
    !(ip.is_unspecified() || ip.is_loopback() || ip.is_multicast())
}

#[derive(Deserialize)]
struct Service {
    spec: Spec,
}

#[derive(Deserialize)]
struct Spec {
    #[serde(rename = "clusterIPs")]
    cluster_ips: Vec<String>,
    ports: Vec<Port>,
}

#[derive(Deserialize)]
struct List {
    metadata: Page,
    items: Vec<Slice>,
}

#[derive(Deserialize)]
struct Page {
    #[serde(rename = "continue")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Slice {
    endpoints: Option<Vec<Endpoint>>,
    ports: Option<Vec<Port>>,
}

#[derive(Deserialize)]
struct Endpoint {
    addresses: Vec<String>,
}

#[derive(Deserialize)]
struct Port {
    port: Option<NonZeroU16>,
    protocol: Option<String>,
}

/// Nine API servers in two families, and the Service's own addresses, leave room.
const LIMIT: usize = 32;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn service(addresses: &Value) -> Value {
        json!({ "spec": { "clusterIPs": addresses, "ports": [
            { "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 },
        ] } })
    }

    fn slices(items: &Value) -> Value {
        json!({ "metadata": { "resourceVersion": "7" }, "items": items })
    }

    fn slice(addresses: &Value) -> Value {
        json!({ "addressType": "IPv4", "endpoints": [{ "addresses": addresses, "conditions": { "ready": true } }],
                "ports": [{ "name": "https", "port": 6443, "protocol": "TCP" }] })
    }

    fn judged(service: &Value, slices: &Value) -> Result<Vec<String>, Error> {
        let members = |value: &Value| value.as_object().unwrap().clone();
        let judged = judge(members(service), members(slices));
        judged.map(|addresses| addresses.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn both_families_are_joined_sorted_and_stand_once() {
        let service = service(&json!(["10.96.0.1", "fd00::1"]));
        let found = judged(
            &service,
            &slices(&json!([
                slice(&json!(["2001:db8::7"])),
                slice(&json!(["192.0.2.9", "192.0.2.10"])),
                slice(&json!(["192.0.2.9"])),
                { "addressType": "IPv4", "endpoints": null, "ports": null },
            ])),
        );
        let expected =
            ["10.96.0.1:443", "192.0.2.9:6443", "192.0.2.10:6443", "[2001:db8::7]:6443", "[fd00::1]:443"];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn what_no_rule_can_be_made_for_is_refused() {
        let (front, behind) =
            (service(&json!(["10.96.0.1"])), slices(&json!([slice(&json!(["192.0.2.9"]))])));
        assert!(judged(&front, &behind).is_ok());
        for address in ["None", "", "0.0.0.0", "127.0.0.1", "::", "224.0.0.1", "192.0.2.0/24", "api.example"]
        {
            let invalid = Err(Error::Invalid("address"));
            assert_eq!(judged(&service(&json!([address])), &behind), invalid, "{address}");
            assert_eq!(judged(&front, &slices(&json!([slice(&json!([address]))]))), invalid, "{address}");
        }
        let other = json!([{ "endpoints": [{ "addresses": ["192.0.2.9"] }], "ports": [{ "protocol": "UDP", "port": 6443 }] }]);
        assert_eq!(judged(&front, &slices(&other)), Err(Error::Nothing("endpoint")));
        assert_eq!(judged(&front, &slices(&json!([]))), Err(Error::Nothing("endpoint")));
        assert_eq!(judged(&service(&json!([])), &behind), Err(Error::Nothing("address")));
        for port in [json!({}), json!({ "port": null })] {
            let slice = json!([{ "endpoints": [{ "addresses": ["192.0.2.9"] }], "ports": [port] }]);
            assert_eq!(judged(&front, &slices(&slice)), Err(Error::Invalid("port")));
        }
        for port in [json!(0), json!(65536), json!("6443")] {
            let slice =
                json!([{ "endpoints": [{ "addresses": ["192.0.2.9"] }], "ports": [{ "port": port }] }]);
            assert_eq!(judged(&front, &slices(&slice)), Err(Error::Invalid("endpoint slices")));
        }
        assert_eq!(judged(&json!({}), &behind), Err(Error::Invalid("specification")));
    }

    #[test]
    fn a_crowd_is_refused_whether_it_comes_in_one_answer_or_more() {
        let front = service(&json!(["10.96.0.1"]));
        let crowd = |many: u8| {
            let addresses: Vec<_> = (1..=many).map(|last| format!("192.0.2.{last}")).collect();
            judged(&front, &slices(&json!([slice(&json!(addresses))])))
        };
        assert_eq!(crowd(31).unwrap().len(), 32);
        assert_eq!(crowd(32), Err(Error::Crowd { limit: 32 }));
        let mut more = slices(&json!([slice(&json!(["192.0.2.9"]))]));
        more["metadata"]["continue"] = "token".into();
        assert_eq!(judged(&front, &more), Err(Error::Crowd { limit: 32 }));
    }
}
