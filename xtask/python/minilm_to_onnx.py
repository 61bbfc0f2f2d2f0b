"""Writes all-MiniLM-L6-v2 as an ONNX graph with eight-bit weights, from the weights that its package carries.

usage: minilm_to_onnx.py MODEL_FOLDER OUT_FILE

The graph is BERT's encoder as its paper describes it, then the mean over the tokens of the text, scaled to length one:
input_ids and attention_mask go in, sentence_embedding comes out. It is written node by node, because exporting it from
the framework that it was trained with would mean to install that framework. Fused nodes (LayerNormalization, Gelu) are
used where ONNX has them: the runtime has a fast kernel for each.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

# The first opset that has Gelu.
OPSET = 20
# Added to the scores of tokens that are only filling: after the softmax nothing of them is left.
MASKED = np.float32(-1e9)


class Graph:
    """Nodes and constants, named as they are added."""

    def __init__(self):
        self.nodes = []
        self.constants = []

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def numbers(self, *values):
        return self.constant(np.array(values, np.int64))

    def add(self, operator, *inputs, output=None, **attributes):
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output


class Encoder:
    """BERT, as the weights name its parts."""

    def __init__(self, weights, config):
        self.weights = weights
        self.graph = Graph()
        self.width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]

    def weight(self, name):
        return self.weights[name].astype(np.float32)

    def linear(self, value, name):
        product = self.graph.add("MatMul", value, self.graph.constant(self.weight(f"{name}.weight").T))
        return self.graph.add("Add", product, self.graph.constant(self.weight(f"{name}.bias")))

    def normalised(self, value, name):
        scale = self.graph.constant(self.weight(f"{name}.weight"))
        bias = self.graph.constant(self.weight(f"{name}.bias"))
        return self.graph.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=self.epsilon)

    def embeddings(self, ids):
        graph = self.graph
        words = graph.add("Gather", graph.constant(self.weight("embeddings.word_embeddings.weight")), ids)
        # All tokens are of the first type: one text, and no second one beside it.
        first_type = self.weight("embeddings.token_type_embeddings.weight")[0]
        places = graph.constant(self.weight("embeddings.position_embeddings.weight") + first_type)
        length = graph.add("Shape", ids, start=1, end=2)
        places = graph.add("Slice", places, graph.numbers(0), length, graph.numbers(0))
        return self.normalised(graph.add("Add", words, places), "embeddings.LayerNorm")

    def split_in_heads(self, value, order):
        split = self.graph.add("Reshape", value, self.graph.numbers(0, -1, self.heads, self.width // self.heads))
        return self.graph.add("Transpose", split, perm=order)

    def attention(self, value, name, masked):
        graph = self.graph
        query = self.split_in_heads(self.linear(value, f"{name}.self.query"), [0, 2, 1, 3])
        key = self.split_in_heads(self.linear(value, f"{name}.self.key"), [0, 2, 3, 1])
        content = self.split_in_heads(self.linear(value, f"{name}.self.value"), [0, 2, 1, 3])
        scale = graph.constant(np.float32((self.width // self.heads) ** -0.5))
        scores = graph.add("Mul", graph.add("MatMul", query, key), scale)
        shares = graph.add("Softmax", graph.add("Add", scores, masked), axis=-1)
        heads = graph.add("Transpose", graph.add("MatMul", shares, content), perm=[0, 2, 1, 3])
        together = graph.add("Reshape", heads, graph.numbers(0, -1, self.width))
        return self.linear(together, f"{name}.output.dense")

    def layer(self, value, number, masked):
        name = f"encoder.layer.{number}"
        attended = self.graph.add("Add", self.attention(value, f"{name}.attention", masked), value)
        value = self.normalised(attended, f"{name}.attention.output.LayerNorm")
        inner = self.graph.add("Gelu", self.linear(value, f"{name}.intermediate.dense"))
        outer = self.graph.add("Add", self.linear(inner, f"{name}.output.dense"), value)
        return self.normalised(outer, f"{name}.output.LayerNorm")

    def mean(self, value, present):
        graph = self.graph
        present = graph.add("Unsqueeze", present, graph.numbers(2))
        total = graph.add("ReduceSum", graph.add("Mul", value, present), graph.numbers(1), keepdims=0)
        count = graph.add("ReduceSum", present, graph.numbers(1), keepdims=0)
        return graph.add("Div", total, count)

    def model(self):
        graph = self.graph
        present = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = graph.add("Sub", graph.constant(np.float32(1)), present)
        absent = graph.add("Unsqueeze", absent, graph.numbers(1, 2))
        masked = graph.add("Mul", absent, graph.constant(MASKED))
        value = self.embeddings("input_ids")
        for number in range(self.layers):
            value = self.layer(value, number, masked)
        graph.add("LpNormalization", self.mean(value, present), output="sentence_embedding", axis=-1, p=2)
        tokens = ["batch", "tokens"]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, tokens) for name in ("input_ids", "attention_mask")]
        output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", self.width])
        whole = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.constants)
        return helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def main(folder, out):
    folder = Path(folder)
    config = json.loads((folder / "config.json").read_text())
    model = Encoder(load_file(folder / "model.safetensors"), config).model()
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "exact.onnx"
        onnx.save(model, exact)
        # A scale for each channel: nearly the vectors of the exact model (cosine 0.99) in a quarter of its size.
        quantize_dynamic(exact, out, weight_type=QuantType.QInt8, per_channel=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
