/** Evaluations and training over workers end in the bytes that one process ends in. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { plainHost } from '@emac/opening';
import type { GivenSettings, TrainConfig } from '@emac/settings';
import { forgetRun } from '@emac/workers';
import { builtinGame } from '@emac/world';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPhases } from '../training/train.ts';
import { contents, disputed, localWorkers, watched } from './workers.test.support.ts';

const folder = temporaryFolder();

describe('an evaluation', () => {
  const given = { ckpt: 'emma-tiny', numGames: 6, maxSteps: 3, speech: { beams: 1 } };
  // the published logs end with the seconds it took
  const isTimeless = (name: string) => !/logging_results/.test(name);

  it('has the same result and episodes with no, one and four workers', async () => {
    await evaluatePolicy({ ...given, out: `${join(folder, 'alone')}/` });
    const alone = contents(join(folder, 'alone'), isTimeless);
    expect(Object.keys(alone)).toContain('eval.json');
    for (const count of [4, ...alsoLong([1])]) {
      const workers = localWorkers(folder, count);
      const out = join(folder, `by-${count}`);
      await evaluatePolicy({ ...given, out: `${out}/` }, { ...plainHost(), workers });
      expect(contents(out, isTimeless)).toEqual(alone);
      const done = (await workers.stop()).map(({ counted }) => counted);
      expect(done.reduce((sum, each) => sum + each)).toBe(6);
      if (count === 4) expect(Math.max(...done)).toBeLessThan(6);
    }
  });

  it('has the same attempts, sampled, with and without workers', async () => {
    const sampled = { ...given, numGames: 2, maxSteps: 3, attempts: 3, temperature: 1, seed: 5 };
    await evaluatePolicy({ ...sampled, out: `${join(folder, 'sampled')}/` });
    const workers = localWorkers(folder, 2);
    const out = join(folder, 'sampled-by-2');
    await evaluatePolicy({ ...sampled, out: `${out}/` }, { ...plainHost(), workers });
    expect(contents(out, isTimeless)).toEqual(contents(join(folder, 'sampled'), isTimeless));
    const done = (await workers.stop()).map(({ counted }) => counted);
    expect(done.reduce((sum, each) => sum + each)).toBe(6);
  });

  it('ends even if the queue is gone, and names what stays in it', async () => {
    const workers = localWorkers(folder, 1);
    const away = async () => {
      throw new EmacError('unavailable', 'redis://nowhere: does not answer');
    };
    const said: string[] = [];
    const listener = { warning: (line: string) => void said.push(line) };
    const queue = watched(workers, { forget: away });
    const host = { ...plainHost(), listener, workers: { ...workers, queue } };
    const { result } = await evaluatePolicy({ ...given, numGames: 1 }, host);
    expect(result).toMatchObject({ games: [{ steps: expect.any(Number) as number }] });
    expect(said).toEqual([expect.stringMatching(/emac workers --queue … --forget eval-.*does not answer/)]);
    await workers.stop();
  });
});

describe('leftovers in a queue', () => {
  const given = { ckpt: 'emma-tiny', numGames: 2, maxSteps: 2, speech: { beams: 1 } };
  const faultOf = async (asked: Promise<unknown>): Promise<EmacError> => {
    const [{ status, reason }] = (await Promise.allSettled([asked])) as [PromiseRejectedResult];
    expect(status).toBe('rejected');
    return reason as EmacError;
  };
  const nameIn = ({ message }: EmacError): string =>
    /npx emac workers --queue … --forget (\S+)/.exec(message)![1]!;

  it('two conflicting results end every start until the run is forgotten, even if all results are known', async () => {
    const workers = localWorkers(folder, 1);
    const host = { ...plainHost(), workers };
    const out = `${join(folder, 'disputed')}/`;
    // another worker, of another kind, did a job that was done, too
    const twice = { ...host, workers: { ...workers, queue: disputed(workers) } };
    const faults = [await faultOf(evaluatePolicy({ ...given, out }, twice))];
    faults.push(await faultOf(evaluatePolicy({ ...given, out }, host)));
    faults.push(await faultOf(evaluatePolicy({ ...given, out }, host)));
    for (const { code, message } of faults) {
      expect(code).toBe('check-failed');
      expect(message).toMatch(/two workers disagree on play of run eval-.*start again in another folder/);
    }
    await forgetRun(workers.queue, nameIn(faults[0]!));
    const { result } = await evaluatePolicy(given, host);
    expect(result).toMatchObject({ games: [{ steps: 2 }, { steps: 2 }] });
    await workers.stop();
  });

  it('results in an emptied folder are reported by the name that forgets them', async () => {
    const workers = localWorkers(join(folder, 'emptied'), 1);
    const host = { ...plainHost(), workers };
    const keeping = { ...host, workers: { ...workers, queue: watched(workers, { forget: async () => {} }) } };
    const before = await evaluatePolicy(given, keeping);
    rmSync(join(folder, 'emptied', 'shared-1'), { recursive: true });
    const fault = await faultOf(evaluatePolicy(given, host));
    expect(fault.code).toBe('missing');
    expect(fault.message).toMatch(/the shared folder must hold every result .* is missing .*start again$/);
    const name = nameIn(fault);
    await expect(forgetRun(workers.queue, `${name}x`)).rejects.toMatchObject({
      code: 'missing',
      message: `queue: it has no run ${name}x; give one of ${name}`,
    });
    await forgetRun(workers.queue, name);
    await expect(forgetRun(workers.queue, name)).rejects.toThrow('it has no runs');
    expect((await evaluatePolicy(given, host)).result).toEqual(before.result);
    await workers.stop();
  });
});

describe('training', () => {
  const given: GivenSettings = {
    play: {
      rounds: 1,
      gamesPerRound: 4,
      maxSteps: 3,
      episodesPerUpdate: 2,
      expertShare: { start: 0.5, decay: 1 },
    },
    optimization: { updatesPerEpisode: 1, batchSize: 2 },
    speech: { beams: 1 },
    expert: { noise: 0.3 },
    evaluation: { episodes: 1 },
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
    for (const count of [4, ...alsoLong([1])]) {
      const { runs, done } = await trained(`runs-by-${count}`, count);
      expect(runs).toEqual(alone.runs);
      // of each phase: 4 games of the expert, 4 of training, 1 before and 1 after
      expect(done.reduce((sum, each) => sum + each)).toBe(20);
    }
  });

  it('resumes an adapter run with sampled answers, file games and lessons to the same bytes', async () => {
    const games = join(folder, 'games');
    for (const index of [0, 1]) {
      const { id, file } = builtinGame('valid_seen', index);
      mkdirSync(join(games, id), { recursive: true });
      writeFileSync(join(games, id, 'game.tw-pddl'), JSON.stringify(file));
    }
    const settings: GivenSettings = {
      ...given,
      trained: { parts: 'projection,lora', rank: 2, targets: 'q_proj,v_proj' },
      games,
      play: { rounds: 2, gamesPerRound: 2, maxSteps: 3, policyMemory: true, sampleTemperature: 1 },
      // lessons name the places of things
      speech: { ...given.speech, observe: 'both' },
      expert: { kind: 'planner' },
      evaluation: { episodes: 0 },
    };
    const alone = await trained('adapter-alone', 0, settings, ['bc']);
    const { runs, done } = await trained('adapter-over', 2, settings, ['bc']);
    expect(runs).toEqual(alone.runs);
    expect(Object.keys(runs[0]!).join(' ')).toContain('adapter_model.safetensors');
    // 2 of the expert, 2 in each round
    expect(done.reduce((sum, each) => sum + each)).toBe(6);
  });
});
