//! Which thinkers, tools and seasoning the settings mean: the one place that builds them.

use crate::failure::Failure;
use crate::thinkers::{HouseTools, Kind, OllamaSeasoner, Provider, ThinkerSpec, thinker};
use selfsame::Opening;
use selfsame::clock::SystemClock;
use selfsame::config::{Settings, ThinkerKind, ThinkerProvider, ThinkerSettings};
use selfsame::ports::{Fault, FaultKind, PortError, Thinker, Thinkers, WorkKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// With whoever thinks, their tools, and what seasons their prompts.
pub fn with_thinking(opening: Opening, settings: &Settings) -> Result<Opening, Failure> {
    let refused = |error: PortError| Failure::bad_request("bad_configuration", error.to_string());
    let tools = HouseTools::new(settings).map_err(refused)?;
    let opening = opening.toolbox(Arc::new(tools)).thinkers(Arc::new(SetUp::new(settings.clone())));
    if !settings.contemplation.seasoning {
        return Ok(opening);
    }
    let url = Some(settings.contemplation.seasoning_url.as_str());
    let seasoner = OllamaSeasoner::new(url, Arc::new(SystemClock::default())).map_err(refused)?;
    Ok(opening.seasoner(Arc::new(seasoner)))
}

/// Thinkers as the settings describe them. Each is made once: what it remembers of a server that fails is worth keeping.
struct SetUp {
    settings: Settings,
    made: Mutex<BTreeMap<(String, WorkKind), Arc<dyn Thinker>>>,
}

impl SetUp {
    fn new(settings: Settings) -> SetUp {
        SetUp { settings, made: Mutex::default() }
    }
}

impl Thinkers for SetUp {
    fn thinker(&self, agent: &str, work: WorkKind) -> Result<Arc<dyn Thinker>, Fault> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let named = (agent.to_owned(), work);
        if let Some(known) = made.get(&named) {
            return Ok(Arc::clone(known));
        }
        let settings = self.settings.thinker_of(agent, work);
        let new = spec(&settings).and_then(|spec| thinker(&spec));
        let new = new.map_err(|error| Fault::new(FaultKind::Misconfigured, error.to_string()))?;
        made.insert(named, Arc::clone(&new));
        Ok(new)
    }
}

fn spec(settings: &ThinkerSettings) -> Result<ThinkerSpec, PortError> {
    let kind = match settings.kind {
        ThinkerKind::Model => Kind::Model(match settings.provider {
            ThinkerProvider::Ollama => Provider::Ollama,
            ThinkerProvider::OpenAi => Provider::OpenAi,
            ThinkerProvider::Anthropic => Provider::Anthropic,
            ThinkerProvider::Gemini => Provider::Gemini,
        }),
        ThinkerKind::Command => Kind::Command,
        ThinkerKind::Webhook => Kind::Webhook,
        ThinkerKind::None | ThinkerKind::Agent => {
            return Err(PortError::Lasting(format!(
                "thinker.kind is {:?}: nobody is asked",
                settings.kind.as_str()
            )));
        }
    };
    let (command, args) = match settings.command.split_first() {
        Some((command, args)) => (Some(command.clone()), args.to_vec()),
        None => (None, Vec::new()),
    };
    Ok(ThinkerSpec {
        model: settings.model.clone(),
        url: settings.url.clone(),
        key: settings.key.clone(),
        command,
        args,
        webhook_url: settings.webhook_url.clone(),
        webhook_secret: settings.webhook_secret.clone(),
        timeout: settings.timeout,
        idle: settings.idle,
        max_bytes: settings.max_bytes as u64,
        ..ThinkerSpec::of(kind)
    })
}
