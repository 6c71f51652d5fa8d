//! What becomes of a name when queries are lost, refused, forged or answered in part.

use std::net::IpAddr;
use std::net::SocketAddr;
use std::net::UdpSocket as Socket;
use std::path::Path;
use std::time::Duration;

use ql3_ops::exit::Exit;
use ql3_ops::file;
use ql3_ops::names;
use ql3_ops::names::Error;
use ql3_ops::names::Hosts;
use ql3_ops::names::Refusal;
use ql3_ops::names::Resolver;
use ql3_ops::time::Deadline;
use simple_dns::Packet;
use simple_dns::RCODE;
use tokio::net::TcpListener;
use tokio::net::UdpSocket;

use crate::support::dns::Ask;
use crate::support::dns::Dns;

const BOTH: [&str; 2] = ["192.0.2.1", "2001:db8::1"];

fn resolver(servers: &[SocketAddr]) -> Resolver {
    Resolver::new(servers.to_vec(), vec![], 1, Hosts::default())
}

async fn resolve(servers: &[SocketAddr], budget: Duration) -> Result<Vec<String>, Error> {
    text(resolver(servers).resolve("db.example", Deadline::after(budget)).await)
}

fn text(found: Result<Vec<IpAddr>, Error>) -> Result<Vec<String>, Error> {
    found.map(|addresses| addresses.iter().map(ToString::to_string).collect())
}

fn both() -> Vec<String> {
    BOTH.map(str::to_owned).to_vec()
}

/// Below the 2.5 s after which the C library would ask again.
const SOON: Duration = Duration::from_secs(2);
/// For what must end because the time is up.
const SHORT: Duration = Duration::from_millis(400);
/// For what must end long before.
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_lost_query_is_asked_again_at_once() {
    // The fourth query goes out after 140 ms; with waits of a second it would come too late.
    let dns = Dns::start(|ask| if ask.turn < 3 { vec![] } else { vec![ask.addresses(&BOTH)] }).await;
    assert_eq!(resolve(&[dns.address], SOON).await, Ok(both()));
    for six in [false, true] {
        assert!(dns.seen().iter().filter(|ask| ask.six == six).count() >= 4);
    }
}

#[tokio::test]
async fn silence_ends_with_the_deadline_and_not_before() {
    let dns = Dns::start(|_| vec![]).await;
    assert_eq!(resolve(&[dns.address], SHORT).await, Err(Error::Silent));
    // After 0, 20, 60, 140 and 300 ms, each for two families.
    assert!(dns.seen().len() >= 6, "{}", dns.seen().len());
    let first = &dns.seen()[0];
    let same = dns.seen().iter().filter(|ask| (ask.from, &ask.bytes) == (first.from, &first.bytes)).count();
    assert!(same >= 3, "the same query from the same port: whichever is answered counts");
    assert_eq!(Error::Silent.code().exit, Exit::Unavailable);
}

#[tokio::test]
async fn one_family_that_is_never_answered_is_silence() {
    let dns = Dns::start(|ask| if ask.six { vec![] } else { vec![ask.addresses(&BOTH)] }).await;
    assert_eq!(resolve(&[dns.address], SHORT).await, Err(Error::Silent));
}

#[tokio::test]
async fn one_family_that_does_not_exist_leaves_the_other() {
    let dns = Dns::start(|ask| {
        vec![if ask.six { ask.code(RCODE::NameError) } else { ask.addresses(&["192.0.2.2", "192.0.2.1"]) }]
    })
    .await;
    assert_eq!(resolve(&[dns.address], SOON).await, Ok(vec!["192.0.2.1".to_owned(), "192.0.2.2".to_owned()]));
}

#[tokio::test]
async fn a_pods_search_list_is_gone_through_in_order() {
    let search = ["ns.svc.cluster.local", "svc.cluster.local", "cluster.local"].map(str::to_owned);
    let play = |ask: &Ask| {
        vec![match ask.name.as_str() {
            "db.other.svc.cluster.local" => ask.addresses(&BOTH),
            "db.other.ns.svc.cluster.local" => ask.code(RCODE::NameError),
            _ => ask.addresses(&[]),
        }]
    };
    for (host, dots, expected, names) in [
        ("db.other", 5, Ok(both()), &["db.other.ns.svc.cluster.local", "db.other.svc.cluster.local"][..]),
        (
            "db.other",
            1,
            Ok(both()),
            &["db.other", "db.other.ns.svc.cluster.local", "db.other.svc.cluster.local"],
        ),
        ("db.other.", 5, Err(Error::Absent), &["db.other"]),
        (
            "db",
            5,
            Err(Error::Absent),
            &["db.ns.svc.cluster.local", "db.svc.cluster.local", "db.cluster.local", "db"],
        ),
    ] {
        let dns = Dns::start(play).await;
        let resolver = Resolver::new(vec![dns.address], search.to_vec(), dots, Hosts::default());
        assert_eq!(text(resolver.resolve(host, Deadline::after(SOON)).await), expected, "{host}");
        let mut seen: Vec<_> = dns.seen().into_iter().map(|ask| ask.name).collect();
        seen.dedup();
        assert_eq!(seen, names, "{host}");
    }
    assert_eq!(Error::Absent.code().exit, Exit::NoInput);
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_out() {
    let dns = Dns::start(|ask| {
        vec![if ask.turn < 3 { ask.code(RCODE::ServerFailure) } else { ask.addresses(&BOTH) }]
    })
    .await;
    assert_eq!(resolve(&[dns.address], LONG).await, Ok(both()));
}

#[tokio::test]
async fn a_failure_that_stays_ends_long_before_the_deadline() {
    let [one, two] =
        [RCODE::ServerFailure, RCODE::Refused].map(|code| Dns::start(move |ask| vec![ask.code(code)]));
    let (one, two) = tokio::join!(one, two);
    let refused = tokio::time::timeout(LONG / 2, resolve(&[one.address, two.address], LONG)).await.unwrap();
    assert!(matches!(refused, Err(Error::Refused(Refusal::Response(2 | 5)))), "{refused:?}");
    for dns in [one, two] {
        let most = [false, true].map(|six| dns.seen().iter().filter(|ask| ask.six == six).count());
        assert!(most.into_iter().max() >= Some(5), "{most:?}");
    }
}

#[tokio::test]
async fn a_server_that_fails_is_no_reason_not_to_wait_for_the_other() {
    let bad = Dns::start(|ask| vec![ask.code(RCODE::ServerFailure)]).await;
    // Later than the other's fifth refusal.
    let good = Dns::start(|ask| if ask.turn < 6 { vec![] } else { vec![ask.addresses(&BOTH)] }).await;
    assert_eq!(resolve(&[bad.address, good.address], LONG).await, Ok(both()));
    let silent = Dns::start(|_| vec![]).await;
    let refused = resolve(&[silent.address, bad.address], SHORT).await;
    assert_eq!(refused, Err(Error::Refused(Refusal::Response(2))));
}

#[tokio::test]
async fn every_server_is_asked_and_the_first_answer_counts() {
    let silent = Dns::start(|_| vec![]).await;
    let four = Dns::start(|ask| if ask.six { vec![] } else { vec![ask.addresses(&BOTH)] }).await;
    let six = Dns::start(|ask| if ask.six { vec![ask.addresses(&BOTH)] } else { vec![] }).await;
    assert_eq!(resolve(&[silent.address, four.address, six.address], SOON).await, Ok(both()));
    let asked = async {
        while silent.seen().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, asked).await.expect("the silent one was asked too");
}

#[tokio::test]
async fn a_server_that_is_not_there_yet_is_asked_on() {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    assert_eq!(resolve(&[address], SHORT).await, Err(Error::Silent), "an ICMP error is no answer");
    let comes = async {
        // Whenever it comes; by then several queries were refused.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let udp = UdpSocket::bind(address).await.unwrap();
        Dns::on(udp, tcp, Box::new(|ask| vec![ask.addresses(&BOTH)]))
    };
    let servers = [address];
    let (found, _dns) = tokio::join!(resolve(&servers, LONG), comes);
    assert_eq!(found, Ok(both()));
}

#[tokio::test]
async fn what_is_forged_is_passed_over() {
    let stranger = Socket::bind("127.0.0.1:0").unwrap();
    let dns = Dns::start(move |ask| {
        if ask.turn > 0 {
            return vec![ask.addresses(&BOTH)];
        }
        // All of them are there before the answer is.
        let evil = ask.addresses(&["203.0.113.66", "2001:db8::66"]);
        stranger.send_to(&evil, ask.from).unwrap();
        let mut number = evil.clone();
        number[0] ^= 0xff;
        let mut question = Packet::parse(&evil).unwrap();
        question.questions[0].qname = simple_dns::Name::new("db.example.net").unwrap();
        let question = question.build_bytes_vec().unwrap();
        let mut query = evil.clone();
        query[2] &= 0x7f;
        let junk = vec![0xff; 600];
        vec![number, question, query, ask.bytes.clone(), evil[..20].to_vec(), vec![], junk]
    })
    .await;
    assert_eq!(resolve(&[dns.address], SOON).await, Ok(both()));
}

#[tokio::test]
async fn what_does_not_fit_is_asked_for_by_tcp() {
    let many: Vec<_> = (1..=64).map(|last| format!("192.0.2.{last}")).collect();
    let all = many.clone();
    let dns = Dns::start(move |ask| match (ask.tcp, ask.turn) {
        (false, _) => vec![ask.truncated()],
        // A connection that ends without an answer, and one with another's.
        (true, 0) => vec![],
        (true, 1) => vec![b"no message".to_vec()],
        (true, _) => vec![ask.addresses(&all.iter().map(String::as_str).collect::<Vec<_>>())],
    })
    .await;
    let mut found = resolve(&[dns.address], LONG).await.unwrap();
    assert_eq!(found.first().map(String::as_str), Some("192.0.2.1"));
    found.sort();
    let mut many = many;
    many.sort();
    assert_eq!(found, many);
    assert!(dns.seen().iter().any(|ask| ask.tcp && ask.turn == 2));
}

#[tokio::test]
async fn more_than_64_addresses_are_refused() {
    let all: Vec<_> =
        (1..=33).flat_map(|last| [format!("192.0.2.{last}"), format!("2001:db8::{last}")]).collect();
    let dns = Dns::start(move |ask| {
        vec![if ask.tcp {
            ask.addresses(&all.iter().map(String::as_str).collect::<Vec<_>>())
        } else {
            ask.truncated()
        }]
    })
    .await;
    assert_eq!(resolve(&[dns.address], SOON).await, Err(Error::TooMany), "33 of each family");
}

#[tokio::test]
async fn aliases_without_end_are_no_answer() {
    let dns = Dns::start(|ask| vec![ask.alias(&ask.name)]).await;
    assert_eq!(resolve(&[dns.address], LONG).await, Err(Error::Refused(Refusal::Aliases)));
}

#[tokio::test]
async fn a_malformed_name_and_an_address_ask_nobody() {
    let dns = Dns::start(|ask| panic!("asked for {}", ask.name)).await;
    let resolver = resolver(&[dns.address]);
    for host in ["", "a..b", "a b", "192.0.2.256", "[db]"] {
        assert_eq!(resolver.resolve(host, Deadline::after(SOON)).await, Err(Error::Invalid), "{host}");
    }
    for (host, address) in [("192.0.2.7", "192.0.2.7"), ("[2001:db8::7]", "2001:db8::7")] {
        let expected = Ok(vec![address.to_owned()]);
        assert_eq!(text(resolver.resolve(host, Deadline::after(SOON)).await), expected);
        assert_eq!(text(names::resolve(host, Deadline::after(SOON)).await), expected);
    }
    assert!(dns.seen().is_empty());
}

#[tokio::test]
async fn the_hosts_file_wins() {
    let dns = Dns::start(|ask| vec![ask.addresses(&["192.0.2.1"])]).await;
    let hosts = Hosts::parse(b"2001:db8::2 db.example\n192.0.2.2 other DB.example # here\n").unwrap();
    let resolver = Resolver::new(vec![dns.address], vec!["example".to_owned()], 5, hosts);
    for (host, expected) in [("db.example", &["192.0.2.2", "2001:db8::2"][..]), ("db", &["192.0.2.1"])] {
        assert_eq!(text(resolver.resolve(host, Deadline::after(SOON)).await).unwrap(), expected);
    }
    let asked: Vec<_> = dns.seen().into_iter().map(|ask| ask.name).collect();
    assert!(!asked.is_empty() && asked.iter().all(|name| name == "db.example"), "for `db` alone: {asked:?}");
}

#[tokio::test]
async fn the_two_files_are_read_within_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let at = |name: &str| directory.path().join(name);
    let hosts = write("hosts", b"192.0.2.3 db\n");
    let limit = 64 * 1024;
    let lines = vec![b'\n'; 1024 * 1024 + 1];
    let (large, larger) = (write("large", &lines[..limit]), write("larger", &lines[..=limit]));
    let (huge, empty) = (write("huge", &lines), write("empty", b""));
    std::os::unix::fs::symlink(&hosts, at("link")).unwrap();
    let read = |resolv_conf: &Path, hosts: &Path| Resolver::from_files(resolv_conf, hosts).map(|_| ());
    assert_eq!(read(&large, &larger), Ok(()));
    assert_eq!(read(&at("absent"), &at("absent")), Ok(()));
    assert_eq!(read(&empty, &empty), Ok(()));
    let source = file::Error::Size { size: 64 * 1024 + 1, limit };
    let refused = Error::Unreadable { file: "resolv.conf", source };
    assert_eq!(read(&larger, &hosts), Err(refused));
    assert_eq!(refused.code().exit, Exit::Config);
    assert!(matches!(read(&large, &huge), Err(Error::Unreadable { .. })));
    assert!(matches!(read(directory.path(), &hosts), Err(Error::Unreadable { .. })));
    let broken = write("broken", b"options ndots:5\nnameserver 10.0.0\n");
    assert_eq!(read(&broken, &hosts), Err(Error::Malformed { file: "resolv.conf", line: 2 }));
    let resolver = Resolver::from_files(&at("absent"), &at("link")).unwrap();
    assert_eq!(text(resolver.resolve("db", Deadline::after(SOON)).await).unwrap(), ["192.0.2.3"]);
}
