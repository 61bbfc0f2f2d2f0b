//! selfsame completions, and selfsame man: both made from the commands themselves.

use crate::Cli;
use crate::output::Output;
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use selfsame_daemon::Failure;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// For which shell
    shell: Shell,
}

#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// Write a page for every command into this folder, instead of the first one to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "selfsame", &mut script);
    output.print(&String::from_utf8_lossy(&script));
    Ok(())
}

pub(crate) fn man(args: &ManArgs, output: &Output) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    match &args.out {
        None => output.print(&page(&command).map_err(|error| failed(Path::new("-"), &error))?),
        Some(folder) => {
            let count = write(folder, &command, "selfsame").map_err(|error| failed(folder, &error))?;
            output.print(&format!("{count} pages in {}\n", folder.display()));
        }
    }
    Ok(())
}

fn page(command: &clap::Command) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    Man::new(command.clone()).render(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The page of a command and those below it; gives how many.
fn write(folder: &Path, command: &clap::Command, name: &str) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let titled = command.clone().name(name.to_owned());
    std::fs::write(folder.join(format!("{name}.1")), page(&titled)?)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below
        .map(|below| write(folder, below, &format!("{name}-{}", below.get_name())))
        .try_fold(1, |sum, count| Ok(sum + count?))
}

fn failed(place: &Path, error: &std::io::Error) -> Failure {
    Failure::bad_request("cannot_write", format!("{} cannot be written: {error}", place.display()))
}
