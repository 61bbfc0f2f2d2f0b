//! Which thinkers, tools and seasoning the settings mean: the one place that builds them.

use crate::failure::Failure;
use crate::pause::Breaker;
use crate::thinkers::{HouseTools, Kind, OllamaSeasoner, Provider, ThinkerSpec, thinker_with_breaker};
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

/// Thinkers as the settings describe them. Each is made once, and what is remembered of a server that fails is kept by its
/// address: it fails for all who ask there.
struct SetUp {
    settings: Settings,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    thinkers: BTreeMap<(String, WorkKind), Arc<dyn Thinker>>,
    breakers: BTreeMap<String, Arc<Breaker>>,
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
        if let Some(known) = made.thinkers.get(&named) {
            return Ok(Arc::clone(known));
        }
        let settings = self.settings.thinker_of(agent, work);
        let new = spec(&settings).and_then(|spec| {
            let breaker = made.breakers.entry(spec.address()).or_default();
            thinker_with_breaker(&spec, Arc::new(SystemClock::default()), Arc::clone(breaker))
        });
        let new = new.map_err(|error| Fault::new(FaultKind::Misconfigured, error.to_string()))?;
        made.thinkers.insert(named, Arc::clone(&new));
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
        max_calls: settings.max_calls as usize,
        ..ThinkerSpec::of(kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfsame::ports::{CallOutcome, Desk, Prompt, ToolAnswer, ToolCard};
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    struct NoDesk;

    impl Desk for NoDesk {
        fn tools(&self) -> Vec<ToolCard> {
            Vec::new()
        }

        fn call(&self, _tool: &str, _arguments: &str) -> ToolAnswer {
            ToolAnswer { text: String::new(), outcome: CallOutcome::Refused }
        }

        fn spent(&self, _tokens: u64) -> Result<(), Fault> {
            Ok(())
        }

        fn time_left(&self) -> Duration {
            Duration::from_secs(10)
        }
    }

    /// A server that fails whoever asks it; and how many did.
    fn failing() -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 65_536]);
                counted.fetch_add(1, Ordering::SeqCst);
                let _ =
                    stream.write_all(b"HTTP/1.1 500 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            }
        });
        (url, asked)
    }

    fn told(set_up: &SetUp, agent: &str, work: WorkKind) -> String {
        let prompt = Prompt {
            instructions: "Think.".into(),
            material: String::new(),
            max_tokens: 10,
            timeout: Duration::from_secs(10),
        };
        set_up.thinker(agent, work).unwrap().think(&prompt, &NoDesk).unwrap_err().told
    }

    #[test]
    fn what_fails_for_one_agent_is_left_alone_by_all_who_ask_at_the_same_address() {
        let ((url, asked), (elsewhere, asked_elsewhere)) = (failing(), failing());
        let mut settings = Settings::default();
        settings.thinker.kind = ThinkerKind::Model;
        settings.thinker.provider = ThinkerProvider::Ollama;
        settings.thinker.model = Some("some-model".into());
        settings.thinker.url = Some(url.clone());
        let mut own = settings.thinker.clone();
        own.url = Some(elsewhere);
        let own =
            selfsame::config::OwnSettings { contemplation: settings.contemplation.clone(), thinker: own };
        settings.agents.insert("other".into(), own);
        let set_up = SetUp::new(settings);
        for (agent, work) in [
            ("maya", WorkKind::Contemplate),
            ("maya", WorkKind::ReviewInbox),
            ("tom", WorkKind::Contemplate),
            ("maya", WorkKind::Contemplate),
            ("tom", WorkKind::ExtractLessons),
        ] {
            assert!(!told(&set_up, agent, work).contains("left alone"));
        }
        for agent in ["tom", "maya", "zoe"] {
            let told = told(&set_up, agent, WorkKind::Contemplate);
            assert!(told.contains("left alone"), "{agent}: {told}");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 5, "nobody knocks any more");
        assert!(!told(&set_up, "other", WorkKind::Contemplate).contains("left alone"));
        assert_eq!(asked_elsewhere.load(Ordering::SeqCst), 1, "who asks elsewhere is not kept from it");
    }
}
