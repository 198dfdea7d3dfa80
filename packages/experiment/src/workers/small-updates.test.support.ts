/** Small runs of reinforcement learning for tests of workers, and how one is stopped. */
import { onFailpoint } from '@emac/files';
import type { GivenPpoConfig } from '@emac/settings';
import { onTestFinished } from 'vitest';

/**
 * Two updates of six steps in two groups; the critic has its own adapter. rl-tiny answers in JSON, or without an
 * action: then one is drawn.
 */
export const language = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 12, environments: 3, stepsPerUpdate: 2, together: 2 },
  optimization: { passes: 1, minibatchSize: 6, learningRate: 0.003, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'projection,lora', rank: 2 },
  value: { hiddenWidths: [4], learns: 'adapter' },
  speech: { maxLength: 16 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const satisfies GivenPpoConfig;

/** Pictures of a robot controlled by tokens. */
export const robot = {
  env: 'tabletop/spatial/0',
  policy: 'vla-tiny',
  play: { environmentSteps: 8, environments: 2, stepsPerUpdate: 2, together: 1, maxSteps: 3 },
  optimization: { ...language.optimization, minibatchSize: 4 },
  trained: { parts: 'lora', rank: 2 },
  value: { hiddenWidths: [4] },
  curriculum: { formula: null },
  best: { ema: null },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const satisfies GivenPpoConfig;

/** The signal of a run that is stopped after so many updates. */
export function stopAfter(updates: number): AbortSignal {
  const stop = new AbortController();
  let made = 0;
  onFailpoint((name) => {
    if (name === 'updating' && ++made === updates) stop.abort();
  });
  onTestFinished(() => onFailpoint(null));
  return stop.signal;
}
