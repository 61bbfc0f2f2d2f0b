//! One who watches, however they are told: where they are in the log, and what comes next for them.

use super::End;
use super::feeds::{HELD, Place};
use super::frame::{Frame, frames};
use crate::pool::Pool;
use axum::extract::ws::Utf8Bytes;
use selfsame::trust::Caller;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long to wait when the engine has too much to do to read the log.
const BREATH: Duration = Duration::from_millis(100);
/// How often it is tried.
const TRIES: usize = 50;

pub(super) struct Viewer {
    pool: Arc<Pool>,
    place: Place,
    caller: Caller,
    /// How far the log went when they came.
    pub(super) head: i64,
    /// The last event that they have.
    pub(super) seen: i64,
}

impl Viewer {
    pub(super) fn new(pool: Arc<Pool>, place: Place, caller: Caller, head: i64, seen: i64) -> Viewer {
        Viewer { pool, place, caller, head, seen }
    }

    /// Whether they come with a number that this log has not reached: another log, or one that was set back.
    pub(super) fn is_from_elsewhere(&self) -> bool {
        self.seen > self.head
    }

    /// Done when there is an event that they do not have, or when they must go.
    pub(super) async fn ready(&mut self) -> Result<(), End> {
        self.reached(self.seen + 1).await
    }

    /// Done when the log has grown so far that what they miss is no longer held, or when they must go.
    pub(super) async fn outrun(&mut self) -> End {
        self.reached(self.seen + 1 + HELD as i64).await.err().unwrap_or(End::Slow)
    }

    /// Done when they must go.
    pub(super) async fn gone(&mut self) -> End {
        let Place { is_good, stopping, .. } = &mut self.place;
        must_go(stopping, is_good).await
    }

    async fn reached(&mut self, number: i64) -> Result<(), End> {
        let Place { head, is_good, stopping, .. } = &mut self.place;
        tokio::select! {
            biased;
            end = must_go(stopping, is_good) => Err(end),
            // The feed lives as long as the place does.
            _ = head.wait_for(|head| *head >= number) => Ok(()),
        }
    }

    /// Whether they have all there is.
    pub(super) fn is_up_to_date(&self) -> bool {
        *self.place.head.borrow() <= self.seen
    }

    /// Whether what they miss is no longer held.
    pub(super) fn is_outrun(&self) -> bool {
        *self.place.head.borrow() > self.seen + HELD as i64
    }

    /// The next events, `most` of them at most: those that are held for all, or else from the log itself.
    pub(super) async fn take(&mut self, most: usize) -> Result<Vec<Utf8Bytes>, End> {
        let held = self.place.feed.after(self.seen, most);
        let frames = match held {
            Some(held) => held,
            None => self.read_log(most).await?,
        };
        // What is numbered without holes and not there cannot be told.
        self.seen = frames.last().ok_or(End::Broken)?.seq;
        self.place.count_sent(frames.len());
        Ok(frames.iter().map(|frame| frame.text(&self.caller)).collect())
    }

    async fn read_log(&self, most: usize) -> Result<Vec<Arc<Frame>>, End> {
        let (agent, seen) = (self.place.feed.agent, self.seen);
        for _ in 0..TRIES {
            match self.pool.run(move |mind| frames(mind, agent, seen, most)).await {
                Ok((frames, _)) => return Ok(frames),
                Err(failure) if failure.status == 503 => tokio::time::sleep(BREATH).await,
                Err(_) => return Err(End::Broken),
            }
        }
        Err(End::Broken)
    }

    /// How often they are asked whether they are still there.
    pub(super) fn ping(&self) -> Duration {
        self.place.ping()
    }

    pub(super) fn count_dropped(&self) {
        self.place.count_dropped();
    }
}

async fn must_go(stopping: &mut watch::Receiver<bool>, is_good: &mut watch::Receiver<bool>) -> End {
    tokio::select! {
        biased;
        _ = is_good.wait_for(|good| !good) => End::Revoked,
        _ = stopping.wait_for(|stopping| *stopping) => End::Stopping,
    }
}
