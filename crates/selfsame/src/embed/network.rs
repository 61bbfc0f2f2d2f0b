//! The graph of a model, run on one thread.

use super::pooling::Answer;
use super::tokens::TextTokens;
use super::{EmbedError, NamedFile, read};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use std::sync::Arc;

/// The outputs that are known by name, the best first; else the first one there is.
const OUTPUTS: [&str; 2] = ["sentence_embedding", "last_hidden_state"];

/// A graph in memory, its weights laid out for this machine.
pub(super) struct Network {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    /// One thread: a text is a few milliseconds of work, and the machine belongs to the agent.
    pool: Arc<ThreadPool>,
}

/// What a network may ask for.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

impl Network {
    pub(super) fn load(graph: &NamedFile, weights: Option<&NamedFile>) -> Result<Network, EmbedError> {
        let bad = |cause: String| EmbedError::Network { path: graph.path.clone(), cause };
        let mut options = ModelOptions::with_all_ops();
        // Laid out once when it is loaded, and not with each text: less than half of the time.
        options.prepack_weights(true);
        if let Some(weights) = weights {
            let name = weights.path.file_name().unwrap_or_default().to_string_lossy();
            options.external_data(&name, read(weights)?);
        }
        let model = options.load(read(graph)?).map_err(|cause| bad(cause.to_string()))?;
        let inputs = model
            .input_ids()
            .iter()
            .map(|id| Ok((*id, input(&name(&model, *id))?)))
            .collect::<Result<_, _>>()?;
        let known = OUTPUTS
            .iter()
            .find_map(|wanted| model.output_ids().iter().copied().find(|id| name(&model, *id) == *wanted));
        let output = known.or_else(|| model.output_ids().first().copied());
        let output = output.ok_or_else(|| bad("it has no output".into()))?;
        Ok(Network { model, inputs, output, pool: Arc::new(ThreadPool::with_num_threads(1)) })
    }

    /// Runs it over one text.
    pub(super) fn run(&self, tokens: &TextTokens) -> Result<Answer, EmbedError> {
        let count = tokens.ids.len();
        let given = |input: Input| match input {
            Input::Ids => tokens.ids.clone(),
            Input::Mask => vec![1; count],
            Input::Types => tokens.types.clone(),
        };
        let inputs: Vec<(NodeId, ValueOrView)> = (self.inputs.iter())
            .map(|(id, input)| (*id, NdTensor::from_data([1, count], given(*input)).into()))
            .collect();
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let [output] = self
            .model
            .run_n(inputs, [self.output], Some(options))
            .map_err(|cause| EmbedError::Run(cause.to_string()))?;
        let shown = format!("{:?} of {:?}", output.dtype(), output.shape().to_vec());
        let shape = output.shape().to_vec();
        let numbers = output.into_tensor::<f32>().map(|tensor| tensor.to_vec());
        match (shape.as_slice(), numbers) {
            ([1, width], Some(numbers)) if *width > 0 => Ok(Answer::Whole(numbers)),
            ([1, tokens, width], Some(numbers)) if *tokens == count && *width > 0 => {
                Ok(Answer::PerToken { numbers, width: *width })
            }
            _ => Err(EmbedError::Output(shown)),
        }
    }
}

fn name(model: &Model, id: NodeId) -> String {
    model.node_info(id).and_then(|node| node.name().map(str::to_owned)).unwrap_or_default()
}

fn input(name: &str) -> Result<Input, EmbedError> {
    match name {
        "input_ids" => Ok(Input::Ids),
        "attention_mask" => Ok(Input::Mask),
        "token_type_ids" => Ok(Input::Types),
        other => Err(EmbedError::Input(other.to_owned())),
    }
}
