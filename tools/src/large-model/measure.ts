/**
 * Seconds and memory of behaviour-cloning steps (features of a frame, forward, backward, update of the projection) and
 * of one generated action.
 *
 *   node tools/dist/large-model/measure.js FOLDER [--text-tokens 512] [--steps 2] [--act 8] [--beams 1]
 *     [--layers streamed] [--activations kept] [--weights int8 --cache FOLDER] [--threads N]
 */
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { createAdamW } from '@emac/trainer';
import { peakMemory, residentMemory } from './process-memory.ts';
import { openStudent, openWeights, randomFrame, target, textOf } from './sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'text-tokens': { type: 'string', default: '512' },
    steps: { type: 'string', default: '2' },
    act: { type: 'string', default: '8' },
    beams: { type: 'string', default: '1' },
    layers: { type: 'string', default: 'streamed' },
    activations: { type: 'string', default: 'kept' },
    weights: { type: 'string', default: 'stored' },
    cache: { type: 'string', default: '.' },
    threads: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'measure: needs a model folder');

/** Runs a stage and prints its seconds, those of all cores together, and the memory after it and at its highest. */
async function stage<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(2).padStart(8);
  const { user, system } = process.cpuUsage(before);
  const work = ((user + system) / 1e6).toFixed(1).padStart(6);
  process.stdout.write(
    `${name.padEnd(34)} ${seconds} s, ${work} s of all cores   resident ${residentMemory().toFixed(2)} GB, peak ${peakMemory().toFixed(2)} GB\n`,
  );
  return result;
}

const checkpoint = await stage('open', () => openWeights(folder, values));
const newTokens = Number(values.act);
const student = await openStudent(checkpoint, {
  generation: {
    beams: Number(values.beams),
    minLength: newTokens,
    // a target is cut at the longest answer
    maxLength: Number(values.steps) > 0 ? Math.max(newTokens, target.length + 1) : newTokens,
  },
  layers: values.layers as 'streamed' | 'resident',
  activations: values.activations as 'kept' | 'recomputed',
  ...(values.threads ? { threads: Number(values.threads) } : {}),
});
const optimizer = createAdamW(student.parameters(), {
  betas: [0.9, 0.999],
  epsilon: 1e-8,
  weightDecay: 0.05,
});
const text = textOf(Number(values['text-tokens']));
await stage('features of the first frame', () => student.features(randomFrame('first')));
const features = await stage('features of a second frame', () => student.features(randomFrame('second')));
const row = { features, text, target };
if (Number(values.steps) > 0)
  await stage('forward alone (log-probabilities)', () => student.logProbabilities([row]));
for (let step = 1; step <= Number(values.steps); step++) {
  const { gradients } = await stage(`step ${step}: forward and backward`, () =>
    student.imitationGradient([{ ...row, weight: 1 / (target.length + 1) }]),
  );
  await stage(`step ${step}: update`, () => {
    optimizer.step(gradients, 1e-5);
    student.commit();
  });
}
if (newTokens > 0) {
  const tokens = Number(values.steps) > 0 ? `${newTokens} tokens or more` : `${newTokens} tokens`;
  await stage(`an action of ${tokens}`, () => student.act(text, features));
}
await student.dispose();
