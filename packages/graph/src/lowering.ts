/**
 * Lowers a graph to operators with kernels on a provider. Builders write one graph for all providers; differences are
 * decided here, when a session is created. `cpu` runs graphs unchanged. `cuda` has kernels for
 * FusedMatMul in float32, float16 and bfloat16; `webgpu` lacks it and some others (`webgpu-rules.ts`). Both get
 * attention decomposed (`attention-rules.ts`).
 */
import { attentionRules } from './attention-rules.ts';
import type { Graph, Initializer, Node, Tensor } from './graph.ts';
import type { Rule, Writer } from './lowering-rule.ts';
import type { Provider } from './session-provider.ts';
import { webgpuRules } from './webgpu-rules.ts';

export interface LoweredGraph {
  readonly inputs: readonly Tensor[];
  readonly nodes: readonly Node[];
  readonly initializers: readonly Initializer[];
  readonly outputs: ReadonlyMap<string, Tensor>;
}

const rules: Readonly<Record<Provider, ReadonlyMap<string, Rule>>> = {
  cpu: new Map(),
  cuda: attentionRules,
  webgpu: new Map([...webgpuRules, ...attentionRules]),
};

/** The nodes that an output depends on, as the provider runs them, and the weights they read. */
export function lower(graph: Graph, provider: Provider): LoweredGraph {
  const constants = new Map<string, Initializer>();
  const shared = new Map<string, Tensor>();
  const live = liveNodes(graph);
  const readLive = namesRead(live, graph.outputs);
  const nodes = live.flatMap((node) => {
    const rule = rules[provider].get(node.type);
    if (!rule) return [node];
    const written: Node[] = [];
    return rule(node, writer(graph, { node, written, constants, shared, read: readLive })) ? written : [node];
  });
  const read = namesRead(nodes, graph.outputs);
  const initializers = [...graph.initializers.values(), ...constants.values()];
  return {
    inputs: graph.inputs,
    nodes,
    initializers: initializers.filter(({ tensor }) => read.has(tensor.name)),
    outputs: graph.outputs,
  };
}

/** Names of values read by nodes or outputs. */
export function namesRead(nodes: readonly Node[], outputs: ReadonlyMap<string, Tensor>): ReadonlySet<string> {
  const read = new Set<string>();
  for (const { name } of outputs.values()) read.add(name);
  for (const { inputs } of nodes) for (const input of inputs) if (input) read.add(input.name);
  return read;
}

/** Nodes that an output depends on, in order. */
function liveNodes(graph: Graph): Node[] {
  const needed = new Set([...graph.outputs.values()].map((tensor) => tensor.name));
  const live: Node[] = [];
  for (const node of [...graph.nodes].reverse()) {
    if (!node.outputs.some((output) => needed.has(output.name))) continue;
    live.push(node);
    for (const input of node.inputs) if (input) needed.add(input.name);
  }
  return live.reverse();
}

interface Replacement {
  readonly node: Node;
  readonly written: Node[];
  readonly constants: Map<string, Initializer>;
  readonly shared: Map<string, Tensor>;
  readonly read: ReadonlySet<string>;
}

function writer(graph: Graph, { node, written, constants, shared, read }: Replacement): Writer {
  const domain = '';
  return {
    step: (type, inputs, { attributes = {}, ...output }) => {
      const name = `${node.outputs[0]!.name} ${written.length} ${type}`;
      const tensor: Tensor = { name, graph, type: output.type, shape: output.shape };
      written.push({ type, domain, inputs, outputs: [tensor], attributes });
      return tensor;
    },
    last: (type, inputs, attributes = {}) =>
      written.push({ type, domain, inputs, outputs: node.outputs, attributes }),
    output: (output, type, { inputs, attributes = {} }) =>
      written.push({ type, domain, inputs, outputs: [output], attributes }),
    isRead: ({ name }) => read.has(name),
    constant: (data, shape) => {
      const name = `lowered ${data.constructor.name} [${shape.join()}] ${data.join()}`;
      const known = constants.get(name);
      if (known) return known.tensor;
      const type = data instanceof Float32Array ? 'float32' : data instanceof Int32Array ? 'int32' : 'int64';
      const tensor: Tensor = { name, graph, type, shape };
      constants.set(name, { tensor, data });
      return tensor;
    },
    shared: (key, make) => {
      const made = shared.get(key) ?? make();
      shared.set(key, made);
      return made;
    },
    valuesOf: ({ name }) => {
      const data = graph.initializers.get(name)?.data;
      return ArrayBuffer.isView(data) ? data : undefined;
    },
  };
}
