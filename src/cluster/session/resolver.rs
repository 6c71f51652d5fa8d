//! How the connector learns the addresses of a name: from our resolver, as a service.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;
use std::vec;

use hyper_util::client::legacy::connect::dns::Name;
use tower::Service;

use crate::names;
use crate::time::Deadline;

/// Resolves each name anew, within the budget.
#[derive(Clone, Copy)]
pub(super) struct Resolver {
    pub(super) budget: Duration,
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = names::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let deadline = Deadline::after(self.budget);
        Box::pin(async move {
            let addresses = names::resolve(name.as_str(), deadline).await?;
            // The connector puts the port in.
            let addresses: Vec<_> =
                addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(addresses.into_iter())
        })
    }
}
