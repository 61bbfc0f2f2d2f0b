//! A nudge as a POST, signed so that the receiver knows whose it is.

use super::{lasting, passing};
use crate::pause::Pause;
use crate::reach::{Reach, Unfit};
use crate::{signed, web};
use selfsame::config::Secret;
use selfsame::ports::{Delivery, Message, PortError};
use selfsame::time::Clock;
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Webhook {
    /// None where nothing may be sent, and why.
    agent: Result<ureq::Agent, Unfit>,
    url: Secret,
    secret: Option<Secret>,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    /// One that hangs is not waited for by every nudge in turn: others want the lane.
    pause: Pause,
}

impl Webhook {
    pub(super) fn new(
        url: Secret,
        secret: Option<Secret>,
        timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Webhook {
        Webhook {
            agent: Reach::of(url.reveal()).map(web::agent),
            url,
            secret,
            timeout,
            clock,
            pause: Pause::default(),
        }
    }

    /// Sends it; gives the status. What else is answered is not read, so it cannot be too much.
    fn post(&self, agent: &ureq::Agent, message: &Message) -> Result<u16, ureq::Error> {
        let mut request = agent
            .post(self.url.reveal())
            .config()
            .timeout_global(Some(self.timeout))
            .build()
            .header("content-type", "application/json")
            .header("x-selfsame-nudge", &message.id);
        for (name, value) in signed::headers(self.secret.as_ref(), self.clock.now(), &message.body) {
            request = request.header(name, value);
        }
        Ok(request.send(message.body.as_str())?.status().as_u16())
    }
}

impl Delivery for Webhook {
    fn channel(&self) -> &str {
        "webhook"
    }

    fn deliver(&self, message: &Message) -> Result<(), PortError> {
        if let Some(error) = self.pause.reason(self.clock.now()) {
            return Err(error);
        }
        let agent = self.agent.as_ref().map_err(|unfit| off_limits(*unfit))?;
        let judged = match self.post(agent, message) {
            Ok(status) => judge(status),
            Err(ureq::Error::Timeout(_)) => {
                self.pause.begin(self.clock.now(), None, passing("timed out a moment ago"));
                return Err(passing("timed out"));
            }
            Err(error) => Err(no_answer(&error)),
        };
        self.pause.end();
        judged
    }
}

fn off_limits(unfit: Unfit) -> PortError {
    lasting(format!("heartbeat.webhook_url {unfit}"))
}

fn judge(status: u16) -> Result<(), PortError> {
    match status {
        200..300 => Ok(()),
        300..400 => Err(lasting(format!(
            "answered {status}: it is not followed elsewhere; set heartbeat.webhook_url to where it leads"
        ))),
        408 | 429 | 500.. => Err(passing(format!("answered {status}"))),
        _ => Err(lasting(format!(
            "answered {status}: check heartbeat.webhook_url, and what it expects of a caller"
        ))),
    }
}

/// The address may have a token in it, and what a library says of a failure may have the other side's words.
fn no_answer(error: &ureq::Error) -> PortError {
    match error {
        ureq::Error::HostNotFound => passing("its host was not found"),
        ureq::Error::Io(_) | ureq::Error::ConnectionFailed => passing("the connection failed"),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => passing("no TLS connection could be made"),
        ureq::Error::Other(cause) if cause.is::<Unfit>() => match cause.downcast_ref() {
            Some(unfit) => off_limits(*unfit),
            None => passing("the connection failed"),
        },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            lasting("is no address that can be asked: check heartbeat.webhook_url")
        }
        _ => passing("the answer was no HTTP"),
    }
}
