//! Why it is not known where the API server answers.

use crate::cluster::session;
use crate::code::Code;
use crate::exit::Exit;

/// The Service `kubernetes` or its endpoints are of no use.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// A request has no usable answer.
    #[error("the Service \"kubernetes\" or its endpoints could not be read")]
    Api(#[source] session::Error),
    /// More addresses than a policy should list.
    #[error("the Service \"kubernetes\" has more than {limit} addresses or endpoints")]
    Crowd {
        /// Addresses allowed.
        limit: usize,
    },
    /// Something in it is not what it must be.
    #[error("the {0} of the Service \"kubernetes\" cannot be understood")]
    Invalid(&'static str),
    /// The Service has no address, or nothing stands behind it.
    #[error("the Service \"kubernetes\" has no {0}")]
    Nothing(&'static str),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Api(error) => error.code(),
            Self::Crowd { .. } => &CROWD,
            Self::Invalid(_) => &INVALID,
            Self::Nothing(_) => &NOTHING,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&CROWD, &INVALID, &NOTHING];

static CROWD: Code = Code::own(
    "QL3_CLUSTER_ENDPOINTS_CROWD",
    Exit::Data,
    "the API server has more addresses than one rule each is sensible for",
    "write the egress rules by hand, for the network that the API servers are in",
);
static INVALID: Code = Code::own(
    "QL3_CLUSTER_ENDPOINTS_INVALID",
    Exit::Data,
    "the Service kubernetes or its endpoints name an address or port that no rule can be made for",
    "look at: kubectl -n default get service,endpointslices -o yaml; find out who writes them",
);
static NOTHING: Code = Code::own(
    "QL3_CLUSTER_ENDPOINTS_ABSENT",
    Exit::NoInput,
    "the Service kubernetes has no address, or nothing stands behind it",
    "look at: kubectl -n default get service,endpointslices; the API server writes both when it starts",
);
