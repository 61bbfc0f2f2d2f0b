//! A text in the editor of whoever sits at the terminal.

use crate::env;
use selfsame_daemon::Failure;
use std::fs;
use std::process::Command;
use tempfile::NamedTempFile;

/// A text that was edited, and the file that it was edited in: gone with this, unless it is kept.
pub(crate) struct Edited {
    pub(crate) text: String,
    file: NamedTempFile,
}

impl Edited {
    /// Opens the editor on a text, in a file whose name ends so, and waits until it is left.
    pub(crate) fn of(text: &str, name: &str) -> Result<Edited, Failure> {
        let named = env::editor().ok_or_else(|| {
            Failure::bad_request(
                "no_editor",
                "there is no editor: name one in EDITOR, or give the text with --file FILE",
            )
        })?;
        let trouble = |error: std::io::Error| Failure::new(500, "no_editor", format!("{named}: {error}"));
        let file = tempfile::Builder::new()
            .prefix("selfsame-")
            .suffix(&format!("-{name}"))
            .tempfile()
            .map_err(trouble)?;
        fs::write(file.path(), text).map_err(trouble)?;
        // No shell is between; an editor with arguments ("code --wait") is one all the same.
        let mut words = named.split_whitespace();
        let status = Command::new(words.next().unwrap_or_default()).args(words).arg(file.path()).status();
        match status.map_err(trouble)? {
            status if status.success() => {}
            status => {
                let said = format!("{named} ended with {status}: nothing was changed");
                return Err(Failure::bad_request("editor_failed", said));
            }
        }
        // By its path: many editors put another file in the place of the one they were given.
        let text = fs::read_to_string(file.path()).map_err(trouble)?;
        Ok(Edited { text, file })
    }

    /// Keeps the file, since its text was not taken: nobody's work may be lost to a refusal.
    pub(crate) fn kept(self, mut failure: Failure) -> Failure {
        if let Ok((_, path)) = self.file.keep() {
            failure.detail += &format!(" (your text is kept in {})", path.display());
        }
        failure
    }
}
