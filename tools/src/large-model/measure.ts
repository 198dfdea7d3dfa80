/**
 * Seconds and memory of one behaviour-cloning step (features of a frame, forward, backward, update of the projection)
 * and of one generated action, with the streamed language model.
 *
 *   node tools/dist/large-model/measure.js FOLDER [--text-tokens 512] [--steps 2] [--act 8] [--beams 1]
 *     [--layers streamed] [--activations kept] [--weights int8 --cache FOLDER] [--threads N] [--skip-features]
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { int8Checkpoint, openCheckpoint } from '@emac/backbone';
import { EmacError, Random, type Features } from '@emac/core';
import { createProjection, createStudent, loadTensorflow } from '@emac/model';
import { createAdamW } from '@emac/trainer';
import { peakMemory, residentMemory } from './process-memory.ts';

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
    'skip-features': { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'measure: needs a model folder');

/** Runs a stage and prints its seconds, and the memory after it and at its highest. */
async function stage<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await run();
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `${name.padEnd(34)} ${seconds.toFixed(2).padStart(8)} s   resident ${residentMemory().toFixed(2)} GB, peak ${peakMemory().toFixed(2)} GB\n`,
  );
  return result;
}

const answer = ' go to cabinet 1';
const maxLength = Number(values.act);
const { tf } = await loadTensorflow('auto');
const stored = openCheckpoint(folder);
const checkpoint =
  values.weights === 'int8'
    ? await stage('weights of eight bits', () =>
        int8Checkpoint(stored, { identity: createHash('sha256').update(resolve(folder)).digest('hex'), folder: values.cache }),
      )
    : stored;
const { qformer, llama, queryTokens } = checkpoint.config;
const projection = createProjection(tf, {
  kind: 'linear',
  inputWidth: qformer.hiddenSize,
  outputWidth: llama.hiddenSize,
  parameters: Random.fromSeed('projection'),
});
const student = await createStudent({
  model: checkpoint,
  identity: 'measured',
  projection,
  generation: { beams: Number(values.beams), minLength: maxLength, maxLength: Math.max(maxLength, answer.length + 1) },
  layers: values.layers as 'streamed' | 'resident',
  activations: values.activations as 'kept' | 'recomputed',
  ...(values.threads ? { threads: Number(values.threads) } : {}),
});
const optimizer = createAdamW(student.parameters(), { betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0.05 });

// one token a character, one for the begin of the text and one for the end of the answer
const text = 'a'.repeat(Number(values['text-tokens']) - answer.length - 4) + '\n>';
const random = Random.fromSeed('frame');
const frame = {
  width: 300,
  height: 300,
  data: Uint8Array.from({ length: 3 * 300 * 300 }, () => random.integer(256)),
};
const given: Features = {
  key: 'given',
  data: Float32Array.from({ length: queryTokens * qformer.hiddenSize }, () => random.normal()),
};
const features = values['skip-features']
  ? given
  : await stage('features of the first frame', () => student.features(frame));
if (!values['skip-features'])
  await stage('features of a second frame', () => student.features({ ...frame, data: frame.data.map((each) => 255 - each) }));

const row = { features, text, target: answer };
const forward = () => stage('forward alone (log-probabilities)', () => student.logProbabilities([row]));
if (Number(values.steps) > 0) process.stdout.write(`log-probability ${(await forward())[0]!.sum.toFixed(4)}\n`);
for (let step = 1; step <= Number(values.steps); step++) {
  const { loss, gradients } = await stage(`step ${step}: forward and backward`, () =>
    student.imitationGradient([{ ...row, weight: 1 / (answer.length + 1) }]),
  );
  await stage(`step ${step}: update`, () => {
    optimizer.step(gradients, 1e-5);
    student.commit();
  });
  process.stdout.write(`loss ${loss.toFixed(5)}\n`);
}
if (maxLength > 0) {
  const words = await stage(`an action of ${maxLength} tokens`, () => student.act(text, features));
  process.stdout.write(`${JSON.stringify(words)}\n`);
}
await student.dispose();
