//! Secrets are masked before anything is stored (`memory.mask_secrets`): every verb that takes words passes them through
//! here, and what a thinker answers is passed through before it is judged. What counts as a secret is the core's to say.

use crate::conversation::{OpenRequest, Place, Saying};
use crate::inbox::Decision;
use crate::lesson::NewLesson;
use crate::mind::Access;
use crate::reflection::NewReflection;
use selfsame_core::calendar::CalendarDraft;
use selfsame_core::diary::DiaryDraft;
use selfsame_core::memory::{Draft, Stated};
use selfsame_core::relationship::Assignment;
use selfsame_core::secrets::{mask, mask_in_place, mask_value};
use selfsame_core::todo::TodoDraft;
use std::borrow::Cow;

impl Access<'_> {
    /// A text as it may be stored.
    pub(crate) fn masked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.mind.settings.memory.mask_secrets {
            true => mask(text).text,
            false => Cow::Borrowed(text),
        }
    }

    /// The same of everything that somebody wants to have stored at once.
    pub(crate) fn without_secrets<T: Worded>(&self, mut draft: T) -> T {
        if self.mind.settings.memory.mask_secrets {
            draft.mask();
        }
        draft
    }
}

/// What has words of somebody's in it.
pub(crate) trait Worded {
    /// Masks the secrets in all of them.
    fn mask(&mut self);
}

impl Worded for String {
    fn mask(&mut self) {
        mask_in_place(self);
    }
}

impl<T: Worded> Worded for Option<T> {
    fn mask(&mut self) {
        if let Some(inner) = self {
            inner.mask();
        }
    }
}

impl<T: Worded> Worded for Vec<T> {
    fn mask(&mut self) {
        self.iter_mut().for_each(Worded::mask);
    }
}

impl Worded for serde_json::Value {
    fn mask(&mut self) {
        mask_value(self);
    }
}

/// Every field of these that holds words; what is no word (an id, a date, a number) is left as it is.
macro_rules! worded {
    ($($draft:ty: $($field:ident),+;)*) => {
        $(impl Worded for $draft {
            fn mask(&mut self) {
                $(self.$field.mask();)+
            }
        })*
    };
}

worded! {
    Stated: subject, slot, value, replaces;
    DiaryDraft: text, mood, location, detail;
    TodoDraft: title, description;
    CalendarDraft: title, location, description;
    Assignment: kind, tone, rationale, notes;
    NewReflection: content;
    NewLesson: context, action, outcome, lesson, correction, tags, tools;
    Decision: reason;
    OpenRequest: title, place;
    Saying: content, source, place;
}

impl Worded for Draft {
    fn mask(&mut self) {
        self.content.mask();
        self.tags.mask();
        self.affect.feeling.mask();
        self.source.mask();
        self.claim.mask();
    }
}

impl Worded for Place {
    fn mask(&mut self) {
        if let Place::Channel(channel) = self {
            channel.mask();
        }
    }
}
