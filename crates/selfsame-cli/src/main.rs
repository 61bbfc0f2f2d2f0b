//! The one executable, `selfsame`: parses, resolves, calls, prints, exits.
//!
//! The only crate that knows argv and the terminal. Each command is a file in `commands/`; what it does is an operation
//! of the table, run in the daemon that owns the data folder or, when none runs, here.

mod bench;
mod commands;
mod connect;
mod editor;
mod env;
mod exit;
mod hints;
mod hook;
mod memory;
mod output;
mod settings;

use clap::{Parser, Subcommand};
#[cfg(feature = "embed")]
use commands::model;
use commands::{
    agent, audit, backup, bench as bench_command, calendar, completions, config, connect as connect_command,
    contemplate, context, conversation, dashboard, diary, doctor, duty, entity, episodes, events, export,
    forget, heartbeat, hook as hook_command, import, inbox, init, key, know, lessons, link, mcp,
    memory as memory_command, monitor, moving, nudge, principal, recall, reflections, relate, remember,
    restore, schedule, selfcare, serve, service, soul, status, summaries, todo, uninstall, verify, work,
};
use output::Output;
use settings::Resolution;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const AFTER_HELP: &str = "\
First steps:
  selfsame init                        make a mind
  selfsame remember \"Maya likes tea\"   store a fact
  selfsame recall \"what does Maya like\"
  selfsame serve                       run the daemon

Exit codes: 0 done, 1 failed inside, 2 wrong usage or input, 3 not there, 4 collides with what is there,
  5 not allowed, 6 busy or out of reach (try again), 7 no space or outcome unknown, 8 damaged or unusable data,
  10 nothing to wake the agent for (`heartbeat gate`)";

/// The inner life of an AI agent: memory that lasts, beliefs with evidence, a heartbeat that costs no tokens.
#[derive(Parser)]
#[command(name = "selfsame", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What every command takes.
#[derive(clap::Args, Clone)]
struct Global {
    /// The data folder [env: SELFSAME_DATA; default: the platform's usual place]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    data: Option<PathBuf>,
    /// Which agent [env: SELFSAME_AGENT; default: the one made by init]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Everywhere")]
    agent: Option<String>,
    /// In whose name: the agent's operator, or the agent itself [default: operator]
    #[arg(
        long = "as",
        global = true,
        value_name = "VOICE",
        help_heading = "Everywhere",
        hide_possible_values = true
    )]
    speak_as: Option<VoiceName>,
    /// PostgreSQL instead of the file: postgres://role:password@host/database [env: SELFSAME_DB]
    #[arg(long, global = true, value_name = "URL", help_heading = "Everywhere")]
    db: Option<String>,
    /// The role that owns the tables, to make or migrate them [env: SELFSAME_DB_OWNER]
    #[arg(long, global = true, value_name = "URL", help_heading = "Everywhere")]
    db_owner: Option<String>,
    /// The settings file [env: SELFSAME_CONFIG; default: selfsame.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    config: Option<PathBuf>,
    /// One setting, such as server.workers=4; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", help_heading = "Everywhere")]
    set: Vec<String>,
    /// Print JSON, for programs
    #[arg(long, global = true, help_heading = "Everywhere")]
    json: bool,
}

/// In whose name the owner of the folder may speak.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum VoiceName {
    /// Whoever runs the agent
    Operator,
    /// The agent itself
    Agent,
}

#[derive(Subcommand)]
enum Command {
    /// Make a mind: data folder, key, first agent
    Init(init::Args),
    /// Run the daemon: HTTP on loopback, a socket for this machine's commands
    Serve(serve::Args),
    /// Connect the programs that agents run in: Claude Code, Codex, Cursor and others
    Connect(connect_command::Args),
    /// Show the way to the dashboard: a link, and a code that is good once
    Dashboard(dashboard::Args),
    /// Store one fact
    Remember(remember::Args),
    /// Find what answers a question, or nothing
    Recall(recall::Args),
    /// What to have in mind before the next word, within a budget of tokens
    Context(context::Args),
    /// Look at memories, pin, resolve or edit them
    #[command(subcommand)]
    Memory(memory_command::Command),
    /// Forget for good, with all that was made from it; show the proof
    Forget(forget::Args),
    /// What the agent is at heart: add, remove, list
    #[command(subcommand)]
    Soul(soul::Command),
    /// The agent's diary: write, search, read
    #[command(subcommand)]
    Diary(diary::Command),
    /// What is to be done
    #[command(subcommand)]
    Todo(todo::Command),
    /// What takes place when
    #[command(subcommand)]
    Calendar(calendar::Command),
    /// What will be brought up, and when
    #[command(subcommand)]
    Schedule(schedule::Command),
    /// What was said, to whom and by whom
    #[command(subcommand)]
    Conversation(conversation::Command),
    /// Whom and what the agent knows
    #[command(subcommand)]
    Entity(entity::Command),
    /// How the agent stands to whom it has met
    #[command(subcommand)]
    Relate(relate::Command),
    /// What was said and may be worth remembering
    #[command(subcommand)]
    Inbox(inbox::Command),
    /// Memory that one agent gives another
    #[command(subcommand)]
    Link(link::Command),
    /// Memories that want to be looked after
    #[command(subcommand)]
    Monitor(monitor::Command),
    /// What the agent believes, and why
    #[command(subcommand)]
    Know(know::Command),
    /// When the agent speaks up unasked, and why it is silent
    #[command(subcommand)]
    Heartbeat(heartbeat::Command),
    /// What the agent has to say unasked
    #[command(subcommand)]
    Nudge(nudge::Command),
    /// Time to think, and when it comes
    #[command(subcommand)]
    Contemplate(contemplate::Command),
    /// What times of thinking brought
    #[command(subcommand)]
    Episodes(episodes::Command),
    /// Thinking that waits for the agent itself, and what became of the rest
    #[command(subcommand)]
    Work(work::Command),
    /// What was learned from what was done
    #[command(subcommand)]
    Lessons(lessons::Command),
    /// What past periods meant
    #[command(subcommand)]
    Reflections(reflections::Command),
    /// Fold what is old into summaries: the agent's own act
    Selfcare(selfcare::Args),
    /// What was folded, and into what
    #[command(subcommand)]
    Summaries(summaries::Command),
    /// Where the mind stands
    Status,
    /// Prove that the mind works: store, restart, find, forget, look around
    Doctor,
    /// Check everything stored: structure, seals, index
    Verify,
    /// Make a verified copy of the database, now
    Backup(backup::Args),
    /// Put a backup in the place of the database, which is kept beside it
    Restore(restore::Args),
    /// Pack an agent, or all, into one archive; or as Markdown to read
    Export(export::Args),
    /// Read in an archive, or what another system wrote, as candidates for the inbox
    Import(import::Args),
    /// Move the whole house to another folder or a PostgreSQL server
    Move(moving::Args),
    /// The junk meter: what is kept that helps nobody
    Audit(audit::Args),
    /// What happened to an agent, in order and without holes
    Events(events::Args),
    /// Manage background duties
    #[command(subcommand)]
    Duty(duty::Command),
    /// Manage the models that give texts a meaning
    #[cfg(feature = "embed")]
    #[command(subcommand)]
    Model(model::Command),
    /// Manage settings
    #[command(subcommand)]
    Config(config::Command),
    /// Manage agents
    #[command(subcommand)]
    Agent(agent::Command),
    /// Manage whom the agent serves
    #[command(subcommand)]
    Principal(principal::Command),
    /// Manage keys to the daemon
    #[command(subcommand)]
    Key(key::Command),
    /// Serve MCP on standard input and output, for an agent's host
    Mcp(mcp::Args),
    /// Tell of a session, for the program that an agent runs in
    Hook(hook_command::Args),
    /// Run the daemon at every login
    #[command(subcommand)]
    Service(service::Command),
    /// Undo what was written outside of the data folder; the mind stays
    Uninstall(uninstall::Args),
    /// Print what completes commands in a shell
    Completions(completions::Args),
    /// Print the manual page
    Man(completions::ManArgs),
    /// Measure on data of your own or of a known benchmark
    #[command(subcommand)]
    Bench(bench_command::Command),
}

fn main() -> ExitCode {
    let began = Instant::now();
    memory::give_back_when_freed();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    if let Some(Command::Hook(args)) = &cli.command {
        return hook_command::run(args, &cli.global, &env::read(), began);
    }
    let output = Output::new(cli.global.json);
    let done = match &cli.command {
        // Made from the commands alone: whoever builds a package has neither a home nor settings.
        Some(Command::Completions(args)) => completions::run(args, &output).map(|()| ExitCode::SUCCESS),
        Some(Command::Man(args)) => completions::man(args, &output).map(|()| ExitCode::SUCCESS),
        _ => run(cli, &output),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            exit::code(&failure)
        }
    }
}

/// Help, or what is wrong with the arguments. A host that asks by a hook is not held up by that.
fn not_understood(error: &clap::Error) -> ExitCode {
    let is_hook = error.use_stderr() && names_hook(std::env::args_os().skip(1));
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match hints::instead(error, &words) {
        // A guess by its letters would lead astray who came with the word of another program.
        Some(instead) => {
            let what = error.to_string();
            let what = what.split("\n\n").next().unwrap_or_default();
            let _ = writeln!(
                std::io::stderr(),
                "{what}\n\n  try: {instead}\n\nFor more information, try '--help'."
            );
        }
        None => {
            let _ = error.print();
        }
    }
    match is_hook {
        true => hook_command::not_understood(),
        false => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// Whether the first word that is no option, nor the value of one, is `hook`.
fn names_hook(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    const WITH_VALUES: [&str; 7] = ["--data", "--agent", "--as", "--db", "--db-owner", "--config", "--set"];
    let mut words = arguments.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if WITH_VALUES.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with("--") {
            return word == "hook";
        }
    }
    false
}

fn run(cli: Cli, output: &Output) -> Result<ExitCode, selfsame_daemon::Failure> {
    let resolution = Resolution::of(&cli.global, &env::read())?;
    output::start_log(resolution.home.settings.log.level.as_str());
    let done = match cli.command {
        None => status::overview(&resolution, output),
        Some(Command::Init(args)) => init::run(&args, &resolution, output),
        Some(Command::Serve(args)) => serve::run(&args, resolution, output),
        Some(Command::Dashboard(args)) => dashboard::run(&args, &resolution, output),
        Some(Command::Remember(args)) => remember::run(args, &resolution, output),
        Some(Command::Recall(args)) => recall::run(args, &resolution, output),
        Some(Command::Context(args)) => context::run(args, &resolution, output),
        Some(Command::Memory(command)) => memory_command::run(command, &resolution, output),
        Some(Command::Forget(args)) => forget::run(args, &resolution, output),
        Some(Command::Inbox(command)) => inbox::run(command, &resolution, output),
        Some(Command::Link(command)) => link::run(command, &resolution, output),
        Some(Command::Monitor(command)) => monitor::run(command, &resolution, output),
        Some(Command::Reflections(command)) => reflections::run(command, &resolution, output),
        Some(Command::Selfcare(args)) => selfcare::run(args, &resolution, output),
        Some(Command::Summaries(command)) => summaries::run(command, &resolution, output),
        Some(Command::Know(command)) => know::run(command, &resolution, output),
        // The one whose answer is an exit code.
        Some(Command::Heartbeat(command)) => return heartbeat::run(command, &resolution, output),
        Some(Command::Nudge(command)) => nudge::run(command, &resolution, output),
        Some(Command::Contemplate(command)) => contemplate::run(&command, &resolution, output),
        Some(Command::Episodes(command)) => episodes::run(command, &resolution, output),
        Some(Command::Work(command)) => work::run(command, &resolution, output),
        Some(Command::Lessons(command)) => lessons::run(command, &resolution, output),
        Some(Command::Entity(command)) => entity::run(command, &resolution, output),
        Some(Command::Conversation(command)) => conversation::run(command, &resolution, output),
        Some(Command::Relate(command)) => relate::run(command, &resolution, output),
        Some(Command::Soul(command)) => soul::run(command, &resolution, output),
        Some(Command::Diary(command)) => diary::run(command, &resolution, output),
        Some(Command::Todo(command)) => todo::run(command, &resolution, output),
        Some(Command::Calendar(command)) => calendar::run(command, &resolution, output),
        Some(Command::Schedule(command)) => schedule::run(command, &resolution, output),
        Some(Command::Status) => status::run(&resolution, output),
        Some(Command::Doctor) => doctor::run(&resolution, output),
        Some(Command::Verify) => verify::run(&resolution, output),
        Some(Command::Backup(args)) => backup::run(&args, &resolution, output),
        Some(Command::Restore(args)) => restore::run(&args, &resolution, output),
        Some(Command::Export(args)) => export::run(&args, &resolution, output),
        Some(Command::Import(args)) => import::run(args, &resolution, output),
        Some(Command::Move(args)) => moving::run(&args, &resolution, output),
        Some(Command::Audit(args)) => audit::run(&args, &resolution, output),
        Some(Command::Events(args)) => events::run(&args, &resolution, output),
        Some(Command::Duty(command)) => duty::run(command, &resolution, output),
        #[cfg(feature = "embed")]
        Some(Command::Model(command)) => model::run(command, &resolution, output),
        Some(Command::Config(command)) => config::run(&command, &resolution, output),
        Some(Command::Agent(command)) => agent::run(command, &resolution, output),
        Some(Command::Principal(command)) => principal::run(command, &resolution, output),
        Some(Command::Key(command)) => key::run(command, &resolution, output),
        Some(Command::Connect(args)) => connect_command::run(&args, &resolution, output),
        Some(Command::Service(command)) => service::run(&command, &resolution, output),
        Some(Command::Uninstall(args)) => uninstall::run(&args, &resolution, output),
        Some(Command::Mcp(args)) => mcp::run(&args, &resolution),
        // Answered before anything could go wrong.
        Some(Command::Completions(_) | Command::Man(_) | Command::Hook(_)) => Ok(()),
        Some(Command::Bench(command)) => bench_command::run(&command, &resolution, output),
    };
    done.map(|()| ExitCode::SUCCESS)
}
