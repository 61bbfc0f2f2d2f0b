//! selfsame init

use crate::output::{Output, Tone, columns};
use crate::settings::Resolution;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::{DataFolder, Error, Mind, Opening};
use selfsame_daemon::{Failure, Home};
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Args {}

/// What was made, or was there.
#[derive(Serialize)]
struct Made {
    data: String,
    database: &'static str,
    agent: String,
    key_file: String,
    new: bool,
}

pub(crate) fn run(_args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let folder = resolution.home.make_folder()?;
    let mind = Opening::new(resolution.home.settings.clone()).open(&folder)?;
    keep_database(&resolution.home, &folder)?;
    let new = mind.agents()?.is_empty();
    let agent = mind.ensure_agent(&resolution.agent)?;
    mind.ensure_house_duties()?;
    let key_made = ensure_key(&mind, &folder)?;
    let made = Made {
        data: folder.path().display().to_string(),
        database: mind.store().engine().name(),
        agent: agent.name,
        key_file: folder.key().display().to_string(),
        new: new || key_made,
    };
    output.reply(&made, |output| words(&made, output));
    Ok(())
}

/// An operator's key in a file that only its owner can read; says whether it was made now.
pub(crate) fn ensure_key(mind: &Mind, folder: &DataFolder) -> Result<bool, Failure> {
    if folder.key().exists() {
        return Ok(false);
    }
    let key = mind.create_key(&KeyRequest {
        name: "made by init".into(),
        agent: None,
        speaks_as: SpeaksAs::Operator,
        principal: None,
        scopes: vec![Scope::Read, Scope::Write, Scope::Admin],
    })?;
    DataFolder::write_secret(&folder.key(), &format!("{}\n", key.secret)).map_err(Error::from)?;
    Ok(true)
}

/// A server named once is the folder's database from then on. The owner's role is not kept: it is needed to migrate only.
fn keep_database(home: &Home, folder: &DataFolder) -> Result<(), Failure> {
    let Some(url) = &home.settings.database.url else {
        return Ok(());
    };
    let path = folder.config();
    if path.exists() {
        return Ok(());
    }
    let quoted = serde_json::to_string(url.reveal()).unwrap_or_default();
    let text = format!("# Written by `selfsame init`.\n[database]\nurl = {quoted}\n");
    Ok(DataFolder::write_secret(&path, &text).map_err(Error::from)?)
}

fn words(made: &Made, output: &Output) -> String {
    let title = if made.new { "A mind is made." } else { "The mind is there already; nothing was changed." };
    let rows = [
        vec!["data".into(), made.data.clone()],
        vec!["database".into(), made.database.into()],
        vec!["agent".into(), made.agent.clone()],
        vec!["key".into(), format!("in {}", made.key_file)],
    ];
    format!(
        "{}\n{}\nNext: selfsame remember \"...\"   selfsame recall \"...\"   selfsame serve\n",
        output.paint(Tone::Good, title),
        columns(&rows)
    )
}
