/**
 * Measures how strongly a policy prefers the expert's command to the student's own, against its reference, at states
 * unseen in training: the mean of log πθ(w) − log πref(w) − (log πθ(l) − log πref(l)), DPO's margin before β, over a
 * dataset's pairs.
 *
 *   npx emac collect --phase dpo --ckpt REF --games json_2.1.1/valid_seen --num-games 40 --out DATASET
 *   node tools/dist/experiments/held-out-margin.js REF CKPT DATASET
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promptOf } from '@emac/core';
import { openAgent } from '@emac/experiment';
import { decodeImage } from '@emac/images';

interface Pair {
  readonly image: string;
  readonly text_input: string;
  readonly text_output: string;
  readonly text_output_neg: string;
}

const [ref, ckpt, dataset] = process.argv.slice(2);
if (dataset === undefined) throw new Error('usage: held-out-margin REF CKPT DATASET');
const pairs = JSON.parse(readFileSync(join(dataset, 'train.json'), 'utf8')) as Pair[];
const [before, after] = [await gaps(ref!), await gaps(ckpt!)];
const margins = after.map((gap, place) => gap - before[place]!);
const mean = margins.reduce((sum, each) => sum + each, 0) / margins.length;
const rising = margins.filter((margin) => margin > 0).length;
process.stdout.write(`${margins.length} pairs, mean margin ${mean.toFixed(4)}, above 0 in ${rising}\n`);

/** log π(w) − log π(l) of every pair. */
async function gaps(policy: string): Promise<number[]> {
  const { student, form, dispose } = await openAgent(policy);
  const found: number[] = [];
  for (const { image, text_input, text_output, text_output_neg } of pairs) {
    const { observe } = form.text;
    const frame = observe === 'text' ? null : await decodeImage(readFileSync(join(dataset!, image)));
    const prompt = promptOf(frame ? [await student.encode!(frame)] : [], text_input);
    const answers = [text_output, text_output_neg].map((text) => ` ${text}`);
    const [[w, l] = []] = await student.score([{ prompt, answers }]);
    found.push(total(w!) - total(l!));
  }
  await dispose();
  return found;
}

function total(logProbabilities: Float32Array): number {
  return logProbabilities.reduce((sum, each) => sum + each, 0);
}
