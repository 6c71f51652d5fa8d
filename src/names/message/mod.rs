//! One question and its answer on the wire (RFC 1035, section 4).
//!
//! Answers come from anybody who can send a packet. Only the question and the answer section are parsed, the
//! latter only when it is small, so that what is allocated is bounded before it is believed.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ring::rand::SecureRandom;
use ring::rand::SystemRandom;
use simple_dns::CLASS;
use simple_dns::Name;
use simple_dns::OPCODE;
use simple_dns::Packet;
use simple_dns::PacketFlag;
use simple_dns::QCLASS;
use simple_dns::QTYPE;
use simple_dns::Question;
use simple_dns::ResourceRecord;
use simple_dns::TYPE;
use simple_dns::header_buffer;
use simple_dns::rdata::RData;

use super::Error;
use super::MAX_ADDRESSES;
use super::Refusal;

/// Which addresses are asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Family {
    Four,
    Six,
}

/// One question under one random number.
#[derive(Debug)]
pub(super) struct Query {
    id: u16,
    name: String,
    family: Family,
    bytes: Vec<u8>,
}

/// What a server said to a query.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Reply {
    /// Every address; none if the name or its addresses do not exist.
    Addresses(BTreeSet<IpAddr>),
    Refused(Refusal),
    TooMany,
    /// It did not fit into a datagram: ask by TCP.
    Truncated,
}

impl Query {
    /// Only of a checked name.
    pub(super) fn new(name: &str, family: Family) -> Result<Self, Error> {
        let mut random = [0; 2];
        SystemRandom::new().fill(&mut random).map_err(|_unspecified| Error::Random)?;
        let id = u16::from_be_bytes(random);
        let mut packet = Packet::new_query(id);
        packet.set_flags(PacketFlag::RECURSION_DESIRED);
        let owner = Name::new(name).map_err(|_too_long| Error::Invalid)?;
        packet.questions.push(Question::new(owner, family.qtype(), QCLASS::CLASS(CLASS::IN), false));
        let bytes = packet.build_bytes_vec().map_err(|_too_long| Error::Invalid)?;
        Ok(Self { id, name: name.to_owned(), family, bytes })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads an answer to exactly this question; `None` if it is anything else.
    pub(super) fn read(&self, message: &[u8]) -> Option<Reply> {
        let truncated = header_buffer::has_flags(message, PacketFlag::TRUNCATION).ok()?;
        let too_many = header_buffer::answers(message).ok()? > MAX_RECORDS;
        let code = *message.get(3)? & 0x0f;
        let mut message = message.to_vec();
        // Counts of sections that are not wanted: authority and more, and answers that are cut off or too many.
        message.get_mut(8..12)?.fill(0);
        if truncated || too_many {
            message.get_mut(6..8)?.fill(0);
        }
        if header_buffer::questions(&message).ok()? != 1 {
            return None;
        }
        let packet = Packet::parse(&message).ok()?;
        let question = packet.questions.first().filter(|question| self.is_asked_by(question))?;
        if packet.id() != self.id
            || !packet.has_flags(PacketFlag::RESPONSE)
            || packet.opcode() != OPCODE::StandardQuery
        {
            return None;
        }
        Some(match code {
            NAME_ERROR => Reply::Addresses(BTreeSet::new()),
            1.. => Reply::Refused(Refusal::Response(code)),
            0 if truncated => Reply::Truncated,
            0 if too_many => Reply::TooMany,
            0 => self.follow(&question.qname, &packet.answers),
        })
    }

    fn is_asked_by(&self, question: &Question<'_>) -> bool {
        // Names are equal whatever the case of their letters.
        Name::new(&self.name).is_ok_and(|name| name == question.qname)
            && question.qtype == self.family.qtype()
            && question.qclass == QCLASS::CLASS(CLASS::IN)
            && !question.unicast_response
    }

    /// Goes along the aliases and takes the addresses at their end.
    fn follow(&self, asked: &Name<'_>, answers: &[ResourceRecord<'_>]) -> Reply {
        let mut owner = asked;
        for _step in 0..=MAX_ALIASES {
            let mut here = answers
                .iter()
                .filter(|record| record.class == CLASS::IN && !record.cache_flush && record.name == *owner);
            let alias = here.clone().find_map(|record| {
                if let RData::CNAME(alias) = &record.rdata { Some(&alias.0) } else { None }
            });
            if let Some(next) = alias {
                owner = next;
                continue;
            }
            let addresses: BTreeSet<_> =
                here.by_ref().filter_map(|record| self.family.address(&record.rdata)).collect();
            let fits = addresses.len() <= MAX_ADDRESSES;
            return if fits { Reply::Addresses(addresses) } else { Reply::TooMany };
        }
        Reply::Refused(Refusal::Aliases)
    }
}

impl Family {
    const fn qtype(self) -> QTYPE {
        match self {
            Self::Four => QTYPE::TYPE(TYPE::A),
            Self::Six => QTYPE::TYPE(TYPE::AAAA),
        }
    }

    fn address(self, data: &RData<'_>) -> Option<IpAddr> {
        match (self, data) {
            (Self::Four, RData::A(data)) => Some(IpAddr::V4(data.address.into())),
            (Self::Six, RData::AAAA(data)) => Some(IpAddr::V6(data.address.into())),
            _ => None,
        }
    }
}

const NAME_ERROR: u8 = 3;
const MAX_ALIASES: usize = 8;
/// Room for 64 addresses, their aliases, and signatures nobody asked for.
const MAX_RECORDS: u16 = 256;

#[cfg(test)]
mod tests;
