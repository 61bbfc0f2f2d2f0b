//! The threads of the engine: a full queue, a panic, and a door that says so.

use crate::house::home_in;
use axum::body::Body;
use axum::http::{Request, header};
use selfsame::{DataFolder, Mind, Opening};
use selfsame_daemon::Failure;
use selfsame_daemon::http::{Common, Entrance, Feeds, Site, router};
use selfsame_daemon::pool::Pool;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Waker};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

fn mind(folder: &TempDir) -> Mind {
    let home = home_in(folder, |_| {});
    let data = DataFolder::create(&home.data).unwrap();
    Opening::new(home.settings).open(&data).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(future)
}

/// A worker that is busy until it is released, and a queue of one that is full.
struct Held {
    release: Sender<()>,
    jobs: Vec<JoinHandle<Result<(), Failure>>>,
}

impl Held {
    async fn fill(pool: &Arc<Pool>) -> Held {
        let (begin, began) = channel();
        let (release, released) = channel::<()>();
        let busy = job(pool, move |_| {
            begin.send(()).unwrap();
            // Ends with a message, or with the sender.
            let _ = released.recv();
            Ok(())
        });
        began.recv().unwrap();
        let waiting = job(pool, |_| Ok(()));
        Held { release, jobs: vec![busy, waiting] }
    }

    /// Lets everything end, and gives what came of it.
    async fn release(self) -> Vec<Result<(), Failure>> {
        self.release.send(()).unwrap();
        let mut results = Vec::new();
        for job in self.jobs {
            results.push(job.await.unwrap());
        }
        results
    }
}

/// Queues a job: it is queued when this returns, as a future does that when it is polled first.
fn job(
    pool: &Arc<Pool>,
    work: impl FnOnce(&Mind) -> Result<(), Failure> + Send + 'static,
) -> JoinHandle<Result<(), Failure>> {
    let pool = Arc::clone(pool);
    let mut running = Box::pin(async move { pool.run(work).await });
    let first = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(first.is_pending(), "the job was not queued: {first:?}");
    tokio::spawn(running)
}

#[test]
fn a_full_queue_answers_later() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Arc::new(Pool::start(&Arc::new(mind(&folder)), 1, 1).unwrap());
    block_on(async {
        let held = Held::fill(&pool).await;
        let refused = pool.run(|_| Ok(())).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (503, "overloaded"));
        assert_eq!(refused.retry_after(), Some(1));
        assert!(held.release().await.iter().all(Result::is_ok));
        pool.run(|_| Ok(())).await.unwrap();
    });
}

#[test]
fn the_door_says_when_to_come_back_and_stays_alive() {
    let folder = tempfile::tempdir().unwrap();
    let mind = Arc::new(mind(&folder));
    let pool = Arc::new(Pool::start(&mind, 1, 1).unwrap());
    let feeds = Feeds::start(&mind).unwrap();
    let common = Arc::new(Common::new(Arc::clone(&pool), feeds.clone(), &mind.settings().server));
    let door = router(&common, Entrance::Socket, &Site::new("127.0.0.1:1".parse().unwrap(), false, &[]));
    let ask = |path: &'static str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        door.clone().oneshot(request)
    };
    block_on(async {
        let held = Held::fill(&pool).await;
        for path in ["/v1/agents", "/readyz"] {
            let reply = ask(path).await.unwrap();
            assert_eq!(reply.status(), 503, "{path}");
            assert_eq!(reply.headers()[header::RETRY_AFTER], "1", "{path}");
        }
        // Health does not wait for the engine.
        assert_eq!(ask("/healthz").await.unwrap().status(), 200);
        assert!(held.release().await.iter().all(Result::is_ok));
        assert_eq!(ask("/readyz").await.unwrap().status(), 200);
    });
    feeds.stop();
}

#[test]
fn a_panic_is_one_request_that_failed() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::start(&Arc::new(mind(&folder)), 1, 1).unwrap();
    block_on(async {
        for _ in 0..3 {
            let failed =
                pool.run::<()>(|_| panic!("a request that goes wrong, as planned")).await.unwrap_err();
            assert_eq!((failed.status, failed.code.as_str()), (500, "internal"));
            assert!(!failed.detail.contains("as planned"), "{failed}");
        }
        let agents = pool.run(|mind| Ok(mind.agents()?.len())).await;
        assert_eq!(agents, Ok(0), "the one worker is still there");
    });
}

#[test]
fn a_dropped_pool_finishes_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Arc::new(Pool::start(&Arc::new(mind(&folder)), 1, 1).unwrap());
    let results = block_on(async {
        let held = Held::fill(&pool).await;
        held.release().await
    });
    drop(pool);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    // The lock went with the pool: the folder can be opened again.
    drop(mind(&folder));
}
