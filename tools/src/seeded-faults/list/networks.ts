/** Faults in the networks. */
import { fault, type Fault } from '../fault.ts';

export const networks: readonly Fault[] = [
  // graph
  fault(
    'divide-gradient',
    ['negate(divide(multiply(g, x), square(y)))', 'divide(multiply(g, x), square(y))'],
    'the gradient of a quotient by its divisor has the other sign',
  ),
  fault(
    'softmax-gradient',
    ['multiply(p, subtract(g, reduceSum(multiply(g, p), [-1], true)))', 'multiply(p, g)'],
    'the gradient of softmax forgets that it sums to 1',
  ),
  fault(
    'attention-scale',
    [
      'key: matMul(inner, query, { transposeA: true, scale }),',
      'key: matMul(inner, query, { transposeA: true }),',
    ],
    'the gradient of keys is not scaled',
  ),
  fault(
    'rotary-back',
    ['graph.memo(`negated ${sin.name}`, () => negate(sin))', 'sin'],
    'the gradient of a rotation turns forward',
  ),
  fault(
    'gelu-density',
    ['add(cumulative, multiply(x, density))', 'cumulative'],
    'the slope of GELU lacks a term',
  ),
  fault(
    'window-count',
    [
      'place.pads[0] + place.pads[1] - place.dilation * (kernel - 1) - 1',
      'place.pads[0] + place.pads[1] - place.dilation * (kernel - 1)',
    ],
    'a convolution has one window too many',
  ),
  // backbone
  fault(
    'residual',
    [
      "x = op.add(x, behind('post_feedforward_layernorm', fed));",
      "x = behind('post_feedforward_layernorm', fed);",
    ],
    'the language model has no path around its MLP',
  ),
  fault(
    'grouped-keys',
    ['heads / keyValueHeads, length!, headSize', 'keyValueHeads, length!, headSize'],
    'grouped keys are repeated a wrong number of times',
  ),
  fault(
    'minimum-tokens',
    [
      'generated.length < rules.minNewTokens) for (const token',
      'generated.length <= rules.minNewTokens) for (const token',
    ],
    'an answer may end one token later than it could',
  ),
  fault(
    'sampling-temperature',
    ['tokenDistribution(logits, options.temperature, among)', 'tokenDistribution(logits, 1, among)'],
    'log-probabilities of sampled tokens ignore the temperature',
  ),
  fault(
    'sampling-parent',
    ['parent: length === 0 ? 0 : beam', 'parent: 0'],
    'sampled answers of a group continue the first one',
  ),
  // model
  fault(
    'label-position',
    ['labelPositions.push(BigInt(before));', 'labelPositions.push(BigInt(cursor));'],
    'tokens of an answer see themselves',
  ),
  fault('segment', ['segment++;', 'segment = 1;'], 'answers after one prompt see each other'),
  fault(
    'pool-mean',
    ["if (pooling === 'sum') return () => 1;", "if (pooling === 'sum') return shares;"],
    'summed log-probabilities are averaged',
  ),
  fault(
    'value-relu',
    ['layer < weights.length - 1 ? op.relu(made) : made', 'op.relu(made)'],
    'values are never below 0',
  ),
  fault(
    'adapter-commit',
    ['if (trains.adapter) adapter!.commit();', ''],
    'a trained adapter acts with its old numbers',
  ),
  fault(
    'dropout-rate',
    ["train.includes('adapter') ? adapter!.settings.dropout : 0", '0'],
    'an adapter trains without dropout',
  ),
  // small networks, report
  fault(
    'network-coldness',
    ['coldness(rows[row]!.temperature ?? 1)', 'coldness(1)'],
    'a small network learns at another temperature than that of acting',
  ),
  fault(
    'network-orthogonal',
    ['vector[place]! -= share * other[place]!;', 'vector[place]! -= share;'],
    'rows of a network do not start orthogonal',
  ),
  fault(
    'band-order',
    ['[...byPlace.keys()].sort((a, b) => a - b)', '[...byPlace.keys()].sort()'],
    'the points of a curve are out of order',
  ),
];
