/** Small dataset runs for tests: prompts of fetching, two outputs each, and all events. */
import { answersTo, promptOf, Random } from '@emac/core';
import { bagOfWords, blank, commands, type BagOfWords } from '@emac/testing';
import type { OfflineData, OfflineSample } from './offline-data.ts';
import type { OfflineMoment, OfflineRun } from './offline.ts';
import { isJudged } from '../methods/list.ts';
import type { MetricsLine } from '../progress.ts';
import { smallSettings } from '../small-runs.test.support.ts';

/** Outputs of three tokens, every seventh of four, so token means distinguish samples. */
export function sampleOf(place: number): OfflineSample {
  const [output, worse] = [0, 1].map((more) => ` ${commands[(place + more) % 7]!}`) as [string, string];
  return { prompt: promptOf([blank], `want-${'abc'[place % 3]} at-a`), output, worse };
}

/** Samples, some of them bad on reading; `known` ones were found bad before. */
export function dataOf(length: number, bad: readonly number[] = [], known: readonly number[] = []) {
  const found = new Set(known);
  const used: number[] = [];
  const data: OfflineData = {
    length,
    leftOut: () => found.size,
    sample: (index) => {
      if (bad.includes(index)) found.add(index);
      else used.push(index);
      return Promise.resolve(bad.includes(index) ? null : sampleOf(index));
    },
  };
  return { data, used, found };
}

/** The policy that small offline runs begin with, and their reference. */
export const offlineBeginner = (): BagOfWords => bagOfWords(Random.fromSeed('policy'));

export interface OfflineChanges extends Partial<Omit<OfflineRun, 'policy' | 'settings'>> {
  readonly policy?: BagOfWords;
  readonly settings?: Partial<OfflineRun['settings']['optimization']>;
}

/** Two epochs in updates of 2 × 2 samples, with copies of all checkpoints. */
export function offlineRun({
  phase = 'bc',
  policy = offlineBeginner(),
  settings,
  ...changed
}: OfflineChanges) {
  const [metrics, moments] = [[] as MetricsLine[], [] as OfflineMoment[]];
  const optimization = { batchSize: 2, accumulate: 2, learningRate: 0.1, ...settings };
  const run: OfflineRun = {
    phase,
    settings: smallSettings(phase, { optimization }),
    epochs: 2,
    policy,
    reference: isJudged(phase) ? offlineBeginner() : null,
    data: dataOf(7).data,
    validation: null,
    random: Random.fromSeed('run'),
    metrics: (line) => void metrics.push(line),
    checkpoint: (moment) => void moments.push(structuredClone(moment)),
    ...changed,
  };
  return { run, metrics, moments, policy };
}

/** −log p per output token, mean over all tokens of these samples, before training. */
export async function tokenMeanOf(places: readonly number[]): Promise<number> {
  const rows = places.map(sampleOf).map(({ prompt, output }) => ({ prompt, ...answersTo([output]) }));
  const scores = (await offlineBeginner().score(rows)).map(([answer]) => [...answer!]).flat();
  return -scores.reduce((sum, value) => sum + value, 0) / scores.length;
}
