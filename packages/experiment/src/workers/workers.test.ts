/** Evaluations and training over workers end in the bytes that one process ends in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { builtinGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import type { GivenSettings } from '../config/stored-config.ts';
import type { TrainConfig } from '../config/train-config.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { plainHost, trainPhases } from '../training/train.ts';
import { contents, localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();

describe('an evaluation', () => {
  const given = { ckpt: 'emma-tiny', numGames: 6, maxSteps: 5, speech: { beams: 1 } };
  // the published logs end with the seconds it took
  const isTimeless = (name: string) => !/logging_results/.test(name);

  it('has the same result and episodes with no, one and four workers', async () => {
    await evaluatePolicy({ ...given, out: `${join(folder, 'alone')}/` });
    const alone = contents(join(folder, 'alone'), isTimeless);
    expect(Object.keys(alone)).toContain('eval.json');
    for (const count of [1, 4]) {
      const workers = localWorkers(folder, count);
      const out = join(folder, `by-${count}`);
      await evaluatePolicy({ ...given, out: `${out}/` }, { ...plainHost(), workers });
      expect(contents(out, isTimeless)).toEqual(alone);
      const done = (await workers.stop()).map(({ counted }) => counted);
      expect(done.reduce((sum, each) => sum + each)).toBe(6);
      if (count === 4) expect(Math.max(...done)).toBeLessThan(6);
    }
  });

  it('is there although the queue is gone at its end, and says what stays', async () => {
    const workers = localWorkers(folder, 1);
    const away = async () => {
      throw new EmacError('unavailable', 'redis://nowhere: does not answer');
    };
    const said: string[] = [];
    const listener = { warning: (line: string) => void said.push(line) };
    const queue = new Proxy(workers.queue, {
      get(target, name) {
        const own: unknown = name === 'forget' ? away : Reflect.get(target, name);
        return typeof own === 'function' ? (own.bind(target) as unknown) : own;
      },
    });
    const host = { ...plainHost(), listener, workers: { ...workers, queue } };
    const { result } = await evaluatePolicy({ ...given, numGames: 1 }, host);
    expect(result).toMatchObject({ games: [{ steps: expect.any(Number) as number }] });
    expect(said).toEqual([expect.stringMatching(/emac workers --forget eval-.*does not answer/)]);
    await workers.stop();
  });
});

describe('training', () => {
  const given: GivenSettings = {
    play: {
      rounds: 1,
      gamesPerRound: 4,
      maxSteps: 4,
      episodesPerUpdate: 2,
      expertShare: { start: 0.5, decay: 1 },
    },
    optimization: { updatesPerEpisode: 1, batchSize: 2 },
    speech: { beams: 1 },
    expert: { noise: 0.3 },
    evaluation: { games: 2 },
  };
  const isTimeless = (name: string) =>
    /^(metrics\.jsonl|eval.*\.json|buffers\/|checkpoints\/|reference\/)/.test(name) && !/latest/.test(name);

  const both: readonly TrainConfig['phase'][] = ['bc', 'dpo'];

  const trained = async (name: string, count: number, settings = given, phases = both) => {
    const workers = count === 0 ? undefined : localWorkers(folder, count);
    const host = { ...plainHost(), workers };
    const runs = await trainPhases({ ...settings, out: join(folder, name) }, phases, host);
    const done = (await workers?.stop())?.map(({ counted }) => counted) ?? [];
    return { runs: runs.map((run) => contents(run.folder, isTimeless)), done };
  };

  it('of both phases ends in the same metrics, buffers and checkpoints with no, one and four workers', async () => {
    const alone = await trained('alone-runs', 0);
    expect(Object.keys(alone.runs[1]!)).toEqual(
      expect.arrayContaining(['metrics.jsonl', 'eval.json', 'buffers/transitions.bin']),
    );
    for (const count of [1, 4]) {
      const { runs, done } = await trained(`runs-by-${count}`, count);
      expect(runs).toEqual(alone.runs);
      // of each phase: 4 games of the expert, 4 of training, 2 before and 2 after
      expect(done.reduce((sum, each) => sum + each)).toBe(24);
    }
  });

  it('of an adapter, by drawn answers, in games of files, with lessons that the policy reads, ends so too', async () => {
    const games = join(folder, 'games');
    for (const index of [0, 1]) {
      const { id, file } = builtinGame('valid_seen', index);
      mkdirSync(join(games, id), { recursive: true });
      writeFileSync(join(games, id, 'game.tw-pddl'), JSON.stringify(file));
    }
    const settings: GivenSettings = {
      ...given,
      trained: { parts: 'projection,lora', rank: 2, targets: 'q_proj,v_proj' },
      play: { games, rounds: 2, gamesPerRound: 2, maxSteps: 3, policyMemory: true, sampleTemperature: 1 },
      expert: { kind: 'planner' },
      evaluation: { games: 0 },
    };
    const alone = await trained('adapter-alone', 0, settings, ['bc']);
    const { runs, done } = await trained('adapter-over', 2, settings, ['bc']);
    expect(runs).toEqual(alone.runs);
    expect(Object.keys(runs[0]!).join(' ')).toContain('adapter_model.safetensors');
    // 2 of the expert, 2 in each round
    expect(done.reduce((sum, each) => sum + each)).toBe(6);
  });
});
