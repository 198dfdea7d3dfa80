/**
 * How far weights of eight bits move a row's log-probability and the gradient of its loss in the projection.
 *
 *   node tools/dist/large-model/compare-int8.js FOLDER --cache FOLDER [--text-tokens 512]
 */
import { parseArgs } from 'node:util';
import { EmacError, promptOf } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { openStudent, openWeights, randomFeatures, target, textOf } from './sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'text-tokens': { type: 'string', default: '512' },
    cache: { type: 'string', default: '.' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'compare-int8: needs a model folder');

async function computed(weights: 'stored' | 'int8') {
  const checkpoint = await openWeights(folder!, { weights, cache: values.cache });
  const maxLength = target.length + 1;
  const student = await openStudent(checkpoint, {
    generation: { minLength: 1, maxLength },
    layers: 'streamed',
  });
  const prompt = promptOf([randomFeatures(checkpoint)], textOf(Number(values['text-tokens']), student));
  const row = { prompt, answers: [target], weight: 1 / maxLength };
  const { loss, gradients } = await student.gradient([row], imitationLoss);
  await student.dispose();
  return { loss, gradient: gradients.get('language_projection.weight')! };
}

const norm = (numbers: Float32Array): number =>
  Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0));
const exact = await computed('stored');
const rounded = await computed('int8');
const difference = rounded.gradient.map((each, index) => each - exact.gradient[index]!);
const cosine =
  exact.gradient.reduce((sum, each, index) => sum + each * rounded.gradient[index]!, 0) /
  (norm(exact.gradient) * norm(rounded.gradient));
process.stdout.write(
  `mean log-probability of a token: ${(-exact.loss).toFixed(5)} as stored, ${(-rounded.loss).toFixed(5)} in eight bits\n` +
    `gradient: relative error ${(norm(difference) / norm(exact.gradient)).toFixed(4)}, cosine ${cosine.toFixed(5)}\n`,
);
