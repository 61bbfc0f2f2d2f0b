//! A query's one text, and how it is declared so that a test can prepare every one of them on both engines.

use crate::dialect::{self, Engine, Graph};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Whose rows a statement touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// One agent's: `$1` is always the agent, bound by the waist and not by the caller.
    Agent,
    /// No agent's: the tables of agents, keys and the like.
    Global,
}

/// What a text is rendered with, besides its parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// Lists and rows of so many.
    Times(usize),
    /// A graph, which is found by the numbers in the text alone.
    Of(Graph),
}

impl From<usize> for Form {
    fn from(repeats: usize) -> Form {
        Form::Times(repeats)
    }
}

/// One SQL text for both engines.
pub struct Statement {
    /// Its name in the source, for errors and tests.
    pub name: &'static str,
    /// The text, with `$n` and words in braces.
    pub text: Cow<'static, str>,
    /// Whose rows.
    pub scope: Scope,
    rendered: [OnceLock<Arc<str>>; 2],
    others: Mutex<BTreeMap<(Engine, Form), Arc<str>>>,
}

impl Statement {
    pub(crate) const fn new(name: &'static str, scope: Scope, text: &'static str) -> Statement {
        Statement {
            name,
            text: Cow::Borrowed(text),
            scope,
            rendered: [OnceLock::new(), OnceLock::new()],
            others: Mutex::new(BTreeMap::new()),
        }
    }

    /// A statement of an agent's rows whose text is known only when the program runs.
    pub(crate) fn made(name: &'static str, text: String) -> Statement {
        Statement { text: Cow::Owned(text), ..Statement::new(name, Scope::Agent, "") }
    }

    /// The text as the engine takes it. A statement with a list or rows needs to know how many, one that looks in a graph
    /// in which.
    pub fn sql(&self, engine: Engine, form: impl Into<Form>) -> Arc<str> {
        let form = form.into();
        let render = || dialect::render(&self.filtered(), engine, form).into();
        if matches!(form, Form::Times(0 | 1)) {
            return Arc::clone(self.rendered[engine as usize].get_or_init(render));
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(others.entry((engine, form)).or_insert_with(render))
    }
}

#[cfg(not(feature = "unfiltered"))]
impl Statement {
    /// The text with its filter of agents.
    fn filtered(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }
}

#[cfg(feature = "unfiltered")]
impl Statement {
    /// The text without its filter of agents, in a build that shows what row-level security does alone.
    fn filtered(&self) -> Cow<'_, str> {
        match self.scope {
            Scope::Agent => Cow::Owned(dialect::unfiltered(&self.text)),
            Scope::Global => Cow::Borrowed(&self.text),
        }
    }
}

/// Declares the statements of a file. `agent NAME = "...";` touches one agent's rows, `global NAME = "...";` none's.
/// All of them are listed in `STATEMENTS`, which the catalogue gathers.
macro_rules! statements {
    ($($scope:ident $name:ident = $text:expr;)*) => {
        $(static $name: $crate::statement::Statement = $crate::statement::Statement::new(
            stringify!($name), $crate::statement::statements!(@scope $scope), $text);)*
        pub(crate) static STATEMENTS: &[&$crate::statement::Statement] = &[$(&$name),*];
    };
    (@scope agent) => { $crate::statement::Scope::Agent };
    (@scope global) => { $crate::statement::Scope::Global };
}
pub(crate) use statements;
