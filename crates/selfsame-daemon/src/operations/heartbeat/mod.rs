//! The heartbeat: ticks and what they came to, nudges, receipts, and how each principal wants to be spoken to.

mod control;
mod nudges;
mod receipts;
mod simulate;
mod tick;
mod view;

pub use control::{
    HeartRequest, HeartbeatMute, HeartbeatPause, HeartbeatResume, HeartbeatSet, HeartbeatSetRequest,
    HeartbeatSnooze, HeartbeatStatus, HeartbeatUnmute, PauseReply, SnoozeRequest,
};
pub use nudges::{
    AnswerNudge, AnswerNudgeRequest, DismissNudge, DismissNudgeRequest, FetchNudges, FetchNudgesRequest,
    ListNudges, ListNudgesRequest, NudgesReply,
};
pub use receipts::{
    ListReceipts, ListReceiptsReply, ListReceiptsRequest, ShowReceipt, ShowReceiptReply, ShowReceiptRequest,
};
pub use selfsame::heartbeat::MAX_COUNTED;
pub use simulate::{Simulate, SimulateReply, SimulateRequest, SimulatedDayView, SimulatedNudgeView};
pub use tick::{
    Explain, ExplainReply, ExplainRequest, GateReply, HeartbeatGate, HeartbeatPeek, HeartbeatTick,
    PeekRequest,
};
pub use view::{
    FailingView, HeartView, NudgeRefView, NudgeView, ReasonView, ReceiptView, SaidView, ScoreView, SeenView,
    SignalView, StepView, TickView,
};
