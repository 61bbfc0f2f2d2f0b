//! Operations that agents know under another name: the same request, the same reply, the same doing.

use super::forget::Forget;
use super::recall::Recall;
use super::remember::Remember;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use selfsame::key::Scope;

macro_rules! same_as {
    ($(#[$doc:meta])* $name:ident, $word:literal, $original:ident, $summary:literal, $destructive:literal) => {
        $(#[$doc])*
        pub struct $name;

        impl Operation for $name {
            const NAME: &'static str = $word;
            const SUMMARY: &'static str = $summary;
            const SCOPE: Scope = $original::SCOPE;
            const ROUTE: Route =
                Route { method: Method::Post, path: concat!("/v1/agents/{agent}/tools/", $word) };
            const TOOL: Option<Tool> = Some(Tool {
                profile: Profile::Mind,
                read_only: matches!($original::SCOPE, Scope::Read),
                destructive: $destructive,
                idempotent: matches!($original::SCOPE, Scope::Read) || $destructive,
            });
            type Request = <$original as Operation>::Request;
            type Reply = <$original as Operation>::Reply;

            fn run(context: &Context<'_>, request: Self::Request) -> Result<Self::Reply, Failure> {
                $original::run(context, request)
            }

            fn tell(reply: &Self::Reply) -> String {
                $original::tell(reply)
            }
        }
    };
}

same_as! {
    /// `remember`.
    AddToLongtermMemory, "add_to_longterm_memory", Remember, "Another name of remember.", false
}
same_as! {
    /// `forget`.
    RemoveFromLongtermMemory, "remove_from_longterm_memory", Forget, "Another name of forget.", true
}
same_as! {
    /// `recall`.
    Retrieve, "retrieve", Recall, "Another name of recall.", false
}
