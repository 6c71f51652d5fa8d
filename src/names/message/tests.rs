//! What is believed, and what bytes from anybody can do.

use proptest::prelude::*;
use simple_dns::rdata;

use super::*;

const HOST: &str = "db.example";

fn four() -> Query {
    Query::new(HOST, Family::Four).unwrap()
}

/// An answer as a good server forms it; each test breaks one thing.
fn answer(query: &Query) -> Packet<'static> {
    let asked = Packet::parse(query.bytes()).unwrap();
    let mut packet = Packet::new_reply(asked.id());
    packet.questions = asked.questions.into_iter().map(Question::into_owned).collect();
    packet
}

fn record(owner: &str, data: RData<'_>) -> ResourceRecord<'static> {
    ResourceRecord::new(Name::new(owner).unwrap(), CLASS::IN, 5, data).into_owned()
}

fn a(owner: &str, last: u8) -> ResourceRecord<'static> {
    record(owner, RData::A(rdata::A { address: u32::from_be_bytes([192, 0, 2, last]) }))
}

fn alias(owner: &str, target: &str) -> ResourceRecord<'static> {
    record(owner, RData::CNAME(rdata::CNAME(Name::new(target).unwrap())))
}

fn addresses(last: &[u8]) -> Reply {
    Reply::Addresses(last.iter().map(|last| IpAddr::from([192, 0, 2, *last])).collect())
}

/// Reads the packet, compressed and not: both must mean the same.
fn read(query: &Query, packet: &Packet<'_>) -> Option<Reply> {
    let plain = query.read(&packet.build_bytes_vec().unwrap());
    assert_eq!(query.read(&packet.build_bytes_vec_compressed().unwrap()), plain);
    plain
}

fn with(records: impl IntoIterator<Item = ResourceRecord<'static>>) -> Option<Reply> {
    let query = four();
    let mut packet = answer(&query);
    packet.answers.extend(records);
    read(&query, &packet)
}

#[test]
fn the_query_is_the_rfcs() {
    let query = four();
    let id = query.id.to_be_bytes();
    let rest = b"\x01\x00\0\x01\0\0\0\0\0\0\x02db\x07example\0\0\x01\0\x01";
    assert_eq!(query.bytes(), [&id[..], rest].concat());
    let six = Query::new(HOST, Family::Six).unwrap();
    assert_eq!(six.bytes().last_chunk::<4>(), Some(b"\0\x1c\0\x01"));
}

#[test]
fn only_an_answer_to_exactly_our_question_is_believed() {
    let query = four();
    let good = |change: &dyn Fn(&mut Packet<'static>)| {
        let mut packet = answer(&query);
        packet.answers.push(a(HOST, 1));
        change(&mut packet);
        read(&query, &packet)
    };
    assert_eq!(good(&|_| {}), Some(addresses(&[1])));
    assert_eq!(
        good(&|packet| packet.questions[0].qname = Name::new("DB.Example").unwrap()),
        Some(addresses(&[1]))
    );
    let foreign = query.id ^ 1;
    assert_eq!(good(&|packet| packet.set_id(foreign)), None, "another number");
    assert_eq!(good(&|packet| packet.remove_flags(PacketFlag::RESPONSE)), None, "a query");
    assert_eq!(good(&|packet| *packet.opcode_mut() = OPCODE::Notify), None, "another operation");
    assert_eq!(good(&|packet| packet.questions[0].qname = Name::new("db.example.net").unwrap()), None);
    assert_eq!(good(&|packet| packet.questions[0].qtype = Family::Six.qtype()), None);
    assert_eq!(good(&|packet| packet.questions[0].qclass = QCLASS::CLASS(CLASS::CH)), None);
    assert_eq!(good(&|packet| packet.questions[0].unicast_response = true), None);
    assert_eq!(good(&|packet| packet.questions.clear()), None, "no question");
    assert_eq!(good(&|packet| packet.questions.push(packet.questions[0].clone())), None, "two");
}

#[test]
fn a_response_code_is_no_answer_but_that_of_an_unknown_name_is() {
    let query = four();
    let code = |code: simple_dns::RCODE| {
        let mut packet = answer(&query);
        *packet.rcode_mut() = code;
        read(&query, &packet)
    };
    assert_eq!(code(simple_dns::RCODE::NameError), Some(addresses(&[])));
    assert_eq!(code(simple_dns::RCODE::ServerFailure), Some(Reply::Refused(Refusal::Response(2))));
    assert_eq!(code(simple_dns::RCODE::Refused), Some(Reply::Refused(Refusal::Response(5))));
    assert_eq!(code(simple_dns::RCODE::NoError), Some(addresses(&[])), "no data");
}

#[test]
fn only_the_addresses_at_the_end_of_the_aliases_count() {
    let away = [a("elsewhere.example", 9), a("b.example", 3)];
    assert_eq!(
        with([a(HOST, 2), a("DB.example", 1), a(HOST, 2)].into_iter().chain(away.clone())),
        Some(addresses(&[1, 2]))
    );
    let chain = [alias("a.example", "B.example"), alias(HOST, "a.example")];
    assert_eq!(with(chain.clone().into_iter().chain(away)), Some(addresses(&[3])));
    assert_eq!(with(chain), Some(addresses(&[])), "the end has none");
    let mut foreign = a(HOST, 1);
    foreign.class = CLASS::CH;
    let mut flushing = a(HOST, 2);
    flushing.cache_flush = true;
    let other = record(HOST, RData::AAAA(rdata::AAAA { address: 1 }));
    assert_eq!(with([foreign, flushing, other]), Some(addresses(&[])));
}

#[test]
fn aliases_end_after_eight() {
    let chain = |length: u8| {
        let name = |step: u8| if step == 0 { HOST.to_owned() } else { format!("s{step}.example") };
        let aliases: Vec<_> = (0..length).map(|step| alias(&name(step), &name(step + 1))).collect();
        with(aliases.into_iter().chain([a(&name(length), 1)]))
    };
    assert_eq!(chain(8), Some(addresses(&[1])));
    let endless = Some(Reply::Refused(Refusal::Aliases));
    assert_eq!(chain(9), endless);
    assert_eq!(with([alias(HOST, "a.example"), alias("a.example", HOST)]), endless);
    assert_eq!(with([alias(HOST, HOST), a(HOST, 1)]), endless);
}

#[test]
fn more_addresses_or_records_than_allowed_are_noticed() {
    let all: Vec<u8> = (1..=65).collect();
    let records = |count: u8| all.iter().take(count.into()).map(|last| a(HOST, *last));
    assert_eq!(with(records(64)), Some(addresses(&all[..64])));
    assert_eq!(with(records(65)), Some(Reply::TooMany));
    assert_eq!(with((0..256).map(|_| a(HOST, 1))), Some(addresses(&[1])));
    assert_eq!(with((0..257).map(|_| a(HOST, 1))), Some(Reply::TooMany));
}

#[test]
fn what_is_cut_off_is_asked_for_anew() {
    let query = four();
    let mut packet = answer(&query);
    packet.answers.push(a(HOST, 1));
    packet.set_flags(PacketFlag::TRUNCATION);
    let bytes = packet.build_bytes_vec().unwrap();
    assert_eq!(query.read(&bytes), Some(Reply::Truncated));
    assert_eq!(query.read(&bytes[..bytes.len() - 3]), Some(Reply::Truncated), "in the middle of a record");
}

#[test]
fn a_damaged_message_is_no_answer() {
    let query = four();
    let mut packet = answer(&query);
    packet.answers.push(a(HOST, 1));
    let bytes = packet.build_bytes_vec().unwrap();
    for length in 0..bytes.len() {
        assert_eq!(query.read(&bytes[..length]), None, "{length}");
    }
    // Sections that nobody asked for are not even read.
    let mut more = bytes.clone();
    more[8..12].copy_from_slice(&[0xff; 4]);
    more.extend([0xc0; 40]);
    assert_eq!(query.read(&more), Some(addresses(&[1])));
    // 65535 records in twelve bytes and a question.
    more.truncate(query.bytes().len());
    more[6..8].copy_from_slice(&[0xff; 2]);
    assert_eq!(query.read(&more), Some(Reply::TooMany));
}

#[test]
fn a_pointer_that_leads_nowhere_ends() {
    let query = four();
    let mut head = answer(&query).build_bytes_vec().unwrap();
    head[7] = 1;
    let end = u8::try_from(head.len()).unwrap();
    for pointer in [[0xc0, end], [0xc0, end + 2], [0xff, 0xff], [0xc0, 12]] {
        let record = [&pointer[..], b"\0\x05\0\x01\0\0\0\0\0\x02", &[0xc0, end]].concat();
        let reply = query.read(&[head.clone(), record].concat());
        assert!(matches!(reply, None | Some(Reply::Refused(Refusal::Aliases))), "{pointer:?}: {reply:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        four().read(&bytes);
    }

    /// Past the checks of head and question, with records of every type.
    #[test]
    fn arbitrary_answers_never_panic(
        count in 0_u8..5,
        kind in 0_u16..270,
        data in proptest::collection::vec(any::<u8>(), 0..300),
        rest in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let query = four();
        let mut bytes = answer(&query).build_bytes_vec().unwrap();
        bytes[7] = count;
        bytes.extend([0xc0, 12]);
        bytes.extend(kind.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 0, 0]);
        bytes.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend(data);
        bytes.extend(rest);
        query.read(&bytes);
    }
}
