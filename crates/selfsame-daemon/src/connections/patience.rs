//! How long a client may take: to send a body it has announced, and to take what is sent to it.

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A whole body must be here by then.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// A client that has taken nothing for so long is not going to.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A body that must come in time.
pub(super) struct PatientBody {
    body: Incoming,
    deadline: Pin<Box<Sleep>>,
}

impl PatientBody {
    pub(super) fn new(body: Incoming) -> PatientBody {
        PatientBody { body, deadline: Box::pin(sleep(BODY_TIMEOUT)) }
    }
}

impl Body for PatientBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(axum::Error::new)));
        }
        ready!(self.deadline.as_mut().poll(context));
        Poll::Ready(Some(Err(axum::Error::new("the body did not come in time"))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that breaks when the other side takes nothing any more.
pub(super) struct PatientStream<S> {
    stream: S,
    /// Runs while something waits to be taken.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> PatientStream<S> {
    pub(super) fn new(stream: S) -> PatientStream<S> {
        PatientStream { stream, stalled: None }
    }

    /// What a write came to, or the end of our patience.
    fn judge<T>(&mut self, context: &mut Context<'_>, came: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if came.is_ready() {
            self.stalled = None;
            return came;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PatientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PatientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, came)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.judge(context, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let came = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, came)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
