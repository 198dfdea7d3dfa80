/** The best checkpoint by a moving average of returns, alone and in runs that are stopped. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PpoLine } from '@emac/algorithms';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { bestSoFar, type BestSoFar } from '../life/best-return.ts';
import { cohortsOf } from '../life/cohorts.ts';
import { contentOf } from './run-content.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const line: PpoLine = { v: 1, kind: 'update', phase: 'ppo', update: 0 };
const settings = { ema: 0.5, minDelta: 0.1, patience: 2 };

/** An update with one ended episode, or none. */
function told(best: BestSoFar, reached: number | null): void {
  if (reached !== null) best.episode({ place: 0, return: reached });
  best.update(line);
}

describe('the best return', () => {
  it('is a moving average that has to rise by more than the least, and gives up after its patience', () => {
    const best = bestSoFar(settings, cohortsOf(1, null), null);
    const found = [null, 1, 1.5, 1.5, 2, 0, 0].map((reached) => {
      told(best, reached);
      return [best.isBest, best.loss, best.isOver];
    });
    // averages: –, 1, 1.25, 1.375, 1.6875, 0.84375, 0.421875; best 1, 1.25, 1.375, 1.6875
    expect(found).toEqual([
      [false, null, false],
      [true, -1, false],
      [true, -1.25, false],
      [true, -1.375, false],
      [true, -1.6875, false],
      [false, null, false],
      [false, null, true],
    ]);
    expect(best.state).toEqual({ ema: 0.421875, best: 1.6875, updates: 6, bestUpdate: 4 });
    expect(bestSoFar(settings, cohortsOf(1, null), best.state).isOver).toBe(true);
  });

  it("is the newest update's without an average", () => {
    const best = bestSoFar({ ...settings, ema: null }, cohortsOf(1, null), undefined);
    const losses = [0.5, 0.25, null].map((reached) => (told(best, reached), best.loss));
    expect(losses).toEqual([-0.5, -0.25, null]);
    expect([best.isBest, best.state]).toEqual([false, null]);
  });

  it('is not a lucky, short episode: an update counts once the slowest environment has ended an episode', () => {
    for (const ema of [null, 0.5]) {
      const best = bestSoFar({ ...settings, ema }, cohortsOf(2, null), null);
      best.episode({ place: 0, return: 1 });
      best.update(line);
      expect([best.loss, best.isBest]).toEqual([null, false]);
      best.episode({ place: 1, return: 0 });
      best.update(line);
      expect(best.loss).toBe(-0.5);
    }
  });

  it('reports how far the newest returns exceed it', () => {
    const best = bestSoFar({ ...settings, ema: 0.9 }, cohortsOf(1, null), null);
    // the average rises once, then by less than 0.1
    for (const reached of [0, -1, 0.5]) told(best, reached);
    expect(best.behind).toBeCloseTo(0.5 / 1.5);
    told(best, -2);
    expect(best.behind).toBeNull();
  });
});

describe('a run that averages its returns', () => {
  const small: GivenPpoConfig = {
    env: 'gym_cards/NumberLine-v0',
    policy: 'mlp',
    // in every update each environment ends an episode: then all cohorts but the last few are complete
    play: { environments: 1, stepsPerUpdate: 64, environmentSteps: 64 * 40 },
    // nothing is learned: the average wanders until patience is over
    optimization: { learningRate: 1e-9 },
    best: { ema: 0.5, patience: 4 },
    checkpointEvery: 7,
    keep: null,
    evaluation: { episodes: 0 },
  };

  it('writes a checkpoint at a rise, marks it best, and ends early', async () => {
    const { folder: run, outcome: state } = await trainPpo({ ...small, out: join(folder, 'whole') });
    const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
    const returns = lines.map((each) => (JSON.parse(each) as { mean_return: number }).mean_return);
    // worked out again, α = ½
    let [ema, highest, at] = [returns[0]!, returns[0]!, 1];
    const rises = [1];
    returns.slice(1).forEach((reached, before) => {
      ema = (ema + reached) / 2;
      if (ema > highest) rises.push(([highest, at] = [ema, before + 2])[1]);
    });
    expect(state.update).toBe(returns.length);
    expect(state.update).toBeLessThan(40);
    expect(state.update - at).toBe(4);
    const updates = readdirSync(join(run, 'checkpoints')).filter((name) => /^\d+$/.test(name));
    const due = [...new Set([...rises, state.update, ...[0, 7, 14, 21, 28, 35]])].filter(
      (each) => each <= state.update,
    );
    // world steps plus updates
    expect(updates.map(Number).sort((one, other) => one - other)).toEqual(
      due.sort((one, other) => one - other).map((update) => update * 65),
    );
    expect(Number(readFileSync(join(run, 'checkpoints', 'best'), 'utf8'))).toBe(at * 65);
  });

  it('stopped anywhere ends in the same bytes', async () => {
    const whole = join(folder, 'whole', readdirSync(join(folder, 'whole'))[0]!);
    for (const stopAt of [1, 4]) {
      const stop = new AbortController();
      let left = stopAt;
      onFailpoint((name) => {
        if (name === 'updating' && --left === 0) stop.abort();
      });
      const out = join(folder, `stopped-${stopAt}`);
      const begun = trainPpo({ ...small, out }, plainHost({ signal: stop.signal }));
      await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
      onFailpoint(null);
      const stopped = join(out, readdirSync(out)[0]!);
      await resume(stopped);
      expect(contentOf(stopped)).toEqual(contentOf(whole));
    }
  });
});
