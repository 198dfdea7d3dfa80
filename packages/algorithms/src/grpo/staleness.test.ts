/** Answers of older policies: their weight, and when workers are asked for them. */
import { setImmediate as turn } from 'node:timers/promises';
import { Random, type GradientRow, type ParameterSet } from '@emac/core';
import { recordedEpisode, rollout } from '@emac/rollout';
import type { TokenTable } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { grpo } from '../grpo.ts';
import type { AttemptsElsewhere, GrpoLine, GrpoRun } from './grpo-run.ts';
import { checkGrpoSettings, type GrpoSettings } from './grpo-settings.ts';
import { copied, plainOptimization, questions, blind, tableOf } from './small-attempts.test.support.ts';

const updates = 6;
const settingsOf = (maxStaleness: number): GrpoSettings => ({
  play: { updates, promptsPerUpdate: 2, groupSize: 4, temperature: 0.8, finalTemperature: 0.4, together: 1 },
  losses: { clip: null, beta: 0, scale: 'none', normalization: 'grpo', maxLength: 4 },
  optimization: { ...plainOptimization, learningRate: 0.2, maxStaleness },
});

const rewards = {
  words: (_: number, said: string) => said.split(' ').length + (said.startsWith('a') ? 0.5 : 0),
};

const table = (parameters?: ParameterSet): TokenTable =>
  tableOf({ prompts: 2, words: ['a', 'b', 'c'], maxLength: 4 }, parameters);

/** A run with its training data and the policy before each update, each of which asks both questions. */
function begun(maxStaleness: number, { elsewhere }: { readonly elsewhere?: AttemptsElsewhere } = {}) {
  const lines: GrpoLine[] = [];
  const learned: (readonly GradientRow[])[] = [];
  const stored: ParameterSet[] = [];
  const policy = blind(table());
  const run: GrpoRun = {
    settings: settingsOf(maxStaleness),
    policy: {
      ...policy,
      gradient: (rows, loss) => {
        learned.push(rows);
        return policy.gradient(rows, loss);
      },
    },
    reference: null,
    attempts: questions([0, 1], rewards, { elsewhere }),
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    checkpoint: () => void stored.push(copied(policy)),
  };
  return { run, lines, learned, stored };
}

describe('an update with answers of an older policy', () => {
  it.each([0, 1, 2])('weighs each token by π_θ / π_behaviour: K = %i', async (limit) => {
    const { run, lines, learned, stored } = begun(limit);
    await grpo(run);
    for (const [update, rows] of learned.entries()) {
      const [then, now] = await Promise.all(
        [Math.max(0, update - limit), update].map((version) => table().under(stored[version]!).score(rows)),
      );
      const answers = run.settings.play.promptsPerUpdate * run.settings.play.groupSize;
      // no deviation divides, so A = reward − mean of the group; loss = −(1/N) Σ (1/L) Σ ratio · A
      let loss = 0;
      rows.forEach(({ constants }, row) => {
        const [old, current] = [then![row]![0]!, now![row]![0]!];
        const sampled = constants!['sampledLogProbability'] as readonly number[];
        sampled.forEach((logProbability, token) => expect(logProbability).toBeCloseTo(old[token]!, 5));
        const ratios = Array.from(current, (value, token) => Math.exp(value - old[token]!));
        const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
        // answers without an advantage cost no gradient, and still count
        loss -= (mean * (constants!['advantage'] as number)) / answers;
      });
      expect(lines[update]!['loss']).toBeCloseTo(loss, 5);
      expect(lines[update]!['staleness']).toBe(limit === 0 ? undefined : Math.min(update, limit));
      // ratios are 1 where nothing is stale, and only there
      const isStale = Math.min(update, limit) > 0;
      expect((lines[update]!['approx_kl'] as number) > 1e-6).toBe(isStale);
    }
  });
});

it.each([0, 1, 2])('workers have all allowed requests before the trainer learns: K = %i', async (limit) => {
  const asked: number[] = [];
  const elsewhere: AttemptsElsewhere = ({ update, parameters }, { put }) => {
    asked.push(update);
    const policy = blind(table(parameters));
    return {
      labels: true,
      play: async function* (setup, attempts) {
        await turn();
        put();
        for (let turns = 0; turns < 10; turns++) await turn();
        const played = await rollout({ ...setup, elsewhere: undefined, policy }, attempts);
        for (const [place, trajectory] of played.entries()) yield [place, recordedEpisode(trajectory)];
      },
    };
  };
  const learns: number[] = [];
  const { run } = begun(limit, { elsewhere });
  await grpo({ ...run, metrics: () => void learns.push(asked.length) });
  expect(learns).toEqual(
    Array.from({ length: updates }, (_, update) => Math.min(updates, update + 1 + limit)),
  );
});

it.each([-1, 0.5, 17])('a staleness of %d is refused', (maxStaleness) => {
  const message = `--max-staleness: must be a whole number from 0 to 16, got ${maxStaleness}`;
  expect(() => checkGrpoSettings(settingsOf(maxStaleness))).toThrow(message);
});
