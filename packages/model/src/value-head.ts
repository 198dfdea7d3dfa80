/**
 * The value of a state, from the language model's hidden state: layers with ReLUs between them, n → 1024 → 512 → 1 as in
 * RL4VLM (Zhai et al., arXiv 2405.10292); other sizes are options, down to n → 1. Parameters are plain arrays that an
 * optimizer changes in place; each run is fed their current numbers. The gradient comes from outside: given ∂loss/∂value of
 * each state, `backward` differentiates Σ value · stopgrad(∂loss/∂value) in the parameters and in the states.
 */
import { EmacError, type Parameter, type ParameterGroup, type ParameterSet, Random } from '@emac/core';
import {
  createSessions,
  Graph,
  gradients,
  op,
  type Feeds,
  type SessionOptions,
  type Tensor,
} from '@emac/graph';

export interface ValueHeadShape {
  /** width of a state, n */
  readonly inputWidth: number;
  /** widths between; default 1024 and 512, none for n → 1 */
  readonly hiddenWidths?: readonly number[];
  /** default true; VLA-RL's critic (arXiv 2505.18719) has none */
  readonly bias?: boolean;
}

export interface ValueHeadOptions extends ValueHeadShape {
  /** tensors by name, copied; or a generator for nn.Linear's initialization */
  readonly parameters: ParameterSet | Random;
  /** the head's learning rate relative to the policy's; default 1 */
  readonly learningRateScale?: number;
}

export interface ValueHead {
  /** `value_head.0.weight` [out, in], `value_head.0.bias` [out], then `.2.*`, `.4.*`, as in nn.Sequential; the arrays are live */
  readonly group: ParameterGroup;
  /** width of a state, n */
  readonly inputWidth: number;
  /** Values [R] of states [R · n]. Errors: `internal` for states of another width. */
  forward(states: Float32Array): Promise<Float32Array>;
  /** Gradients for states [R · n] and ∂loss/∂value [R]. */
  backward(states: Float32Array, slopes: Float32Array): Promise<ValueHeadGradient>;
  dispose(): Promise<void>;
}

export interface ValueHeadGradient {
  /** of every parameter, by name */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** ∂loss/∂state [R · n] */
  readonly states: Float32Array;
}

/** Names and shapes of a head's tensors, in order of application. Errors: `usage` for invalid widths. */
export function valueHeadShapes(shape: ValueHeadShape): ReadonlyMap<string, readonly number[]> {
  const { inputWidth, hiddenWidths = [1024, 512], bias = true } = shape;
  const widths = [inputWidth, ...hiddenWidths, 1];
  if (widths.some((width) => !Number.isSafeInteger(width) || width < 1))
    throw new EmacError('usage', `value head: needs positive whole widths, got ${widths.join(' → ')}`);
  return new Map(
    widths.slice(1).flatMap((width, layer): [string, readonly number[]][] => {
      // places in nn.Sequential, ReLUs counted
      const name = `value_head.${2 * layer}`;
      const weight = [width, widths[layer]!];
      return [[`${name}.weight`, weight], ...(bias ? [[`${name}.bias`, [width]] as [string, number[]]] : [])];
    }),
  );
}

/** A head in sessions of its own. Errors: `data` if tensors have other shapes; those of `createSessions`. */
export async function createValueHead(
  options: ValueHeadOptions,
  sessionOptions: SessionOptions = {},
): Promise<ValueHead> {
  const { inputWidth, learningRateScale = 1 } = options;
  const shapes = valueHeadShapes(options);
  const parameters = initialParameters(shapes, options.parameters);
  const { forward, backward } = await createSessions(
    { forward: headGraph(shapes, inputWidth), backward: headGraph(shapes, inputWidth, { backward: true }) },
    sessionOptions,
  );
  const feedsOf = (states: Float32Array): Feeds => {
    const rows = states.length / inputWidth;
    if (!Number.isInteger(rows))
      throw new EmacError(
        'internal',
        `value head: states must have ${inputWidth} numbers each, got ${states.length} in all`,
      );
    const fed = [...parameters].map(([name, { shape, data }]) => [name, { type: 'float32', shape, data }]);
    return {
      ...(Object.fromEntries(fed) as Feeds),
      states: { type: 'float32', shape: [rows, inputWidth], data: states },
    };
  };
  return {
    group: { name: 'value head', parameters, learningRateScale },
    inputWidth,
    forward: async (states) => (await forward.run(feedsOf(states)))['values']!.data as Float32Array,
    backward: async (states, slopes) => {
      const given = { type: 'float32', shape: [slopes.length], data: slopes } as const;
      const results = await backward.run({ ...feedsOf(states), slopes: given });
      const named = [...parameters.keys()].map(
        (name) => [name, results[`gradient.${name}`]!.data as Float32Array] as const,
      );
      return { gradients: new Map(named), states: results['gradient.states']!.data as Float32Array };
    },
    dispose: async () => {
      await Promise.all([forward.dispose(), backward.dispose()]);
    },
  };
}

/** `states` [R, n] and the parameters → `values` [R]; backward, with `slopes` [R], `gradient.<input>` of each. */
function headGraph(
  shapes: ReadonlyMap<string, readonly number[]>,
  inputWidth: number,
  { backward = false } = {},
): Graph {
  const graph = new Graph();
  const states = graph.input('states', 'float32', ['R', inputWidth]);
  const inputs = new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
  const values = op.reshape(layers(states, inputs), ['R']);
  if (!backward) {
    graph.output('values', values);
    return graph;
  }
  const loss = op.reduceSum(op.multiply(values, graph.input('slopes', 'float32', ['R'])), [0]);
  const wanted = new Map([['states', states], ...inputs]);
  const found = gradients([loss], [null], [...wanted.values()]);
  [...wanted.keys()].forEach((name, place) => graph.output(`gradient.${name}`, found[place]!));
  return graph;
}

function layers(states: Tensor, inputs: ReadonlyMap<string, Tensor>): Tensor {
  const weights = [...inputs.keys()].filter((name) => name.endsWith('weight'));
  return weights.reduce((x, name, layer) => {
    const made = op.linear(x, inputs.get(name)!, inputs.get(name.replace(/weight$/, 'bias')));
    return layer < weights.length - 1 ? op.relu(made) : made;
  }, states);
}

function initialParameters(
  shapes: ReadonlyMap<string, readonly number[]>,
  start: ParameterSet | Random,
): Map<string, Parameter> {
  const dataOf = start instanceof Random ? fresh(start, shapes) : given(start, shapes);
  return new Map([...shapes].map(([name, shape]) => [name, { shape, data: dataOf(name, shape) }]));
}

type Start = (name: string, shape: readonly number[]) => Float32Array;

/** As nn.Linear starts: weight and bias uniform within ±1/√(inputs of the layer). */
function fresh(random: Random, shapes: ReadonlyMap<string, readonly number[]>): Start {
  return (name, shape) => {
    const stream = random.stream(name);
    const fanIn = shapes.get(name.replace(/bias$/, 'weight'))![1]!;
    const size = shape.reduce((product, width) => product * width, 1);
    return Float32Array.from({ length: size }, () => (2 * stream.uniform() - 1) / Math.sqrt(fanIn));
  };
}

function given(parameters: ParameterSet, shapes: ReadonlyMap<string, readonly number[]>): Start {
  const unknown = [...parameters.keys()].find((name) => !shapes.has(name));
  if (unknown !== undefined)
    throw new EmacError('data', `value head: has no ${unknown}, only ${[...shapes.keys()].join(', ')}`);
  return (name, shape) => {
    const parameter = parameters.get(name);
    const found = parameter ? `[${parameter.shape.join(', ')}]` : 'nothing';
    const size = shape.reduce((product, width) => product * width, 1);
    if (found !== `[${shape.join(', ')}]` || parameter?.data.length !== size)
      throw new EmacError('data', `value head: ${name} must be [${shape.join(', ')}], got ${found}`);
    return parameter.data.slice();
  };
}
