/** Training by a program, with the shipped model: stopped and resumed, reopened, evaluated. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { builtinGameAt, plainHost } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import type { GivenTrainConfig } from '@emac/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { openAgent } from '../agent.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const small: GivenTrainConfig = {
  phase: 'bc',
  play: { rounds: 2, gamesPerRound: 3, maxSteps: 4, episodesPerUpdate: 3 },
  optimization: { updatesPerEpisode: 1, accumulate: 2 },
  speech: { beams: 2 },
  evaluation: { episodes: 2 },
};
/** One game, where the length of training does not matter. */
const brief = { rounds: 1, gamesPerRound: 1, maxSteps: 2 } as const;
const inFolder = (name: string, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig => {
  return { ...small, ...changes, out: join(folder, name) };
};

afterEach(() => onFailpoint(null));

/** Everything that must not depend on interruptions. */
function bytesOf(run: string): Record<string, string> {
  const checkpoints = join(run, 'checkpoints');
  const steps = readdirSync(checkpoints).filter((name) => /^\d+$/.test(name));
  const names = [
    'metrics.jsonl',
    'eval.json',
    'eval-before.json',
    'buffers/transitions.bin',
    ...steps.flatMap((step) =>
      readdirSync(join(checkpoints, step)).map((file) => join('checkpoints', step, file)),
    ),
  ];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

const logOf = (run: string) => readFileSync(join(run, 'logging_results', 'running_nb01.log'), 'utf8');

describe('train', () => {
  it('ends in the same bytes for every number of episodes under way', async () => {
    const played = async (parallelEpisodes: number) => {
      const config = inFolder(`parallel-${parallelEpisodes}`, {
        play: { ...small.play, rounds: 1, parallelEpisodes },
        evaluation: { episodes: 2, parallelEpisodes },
      });
      return train(config);
    };
    const [one, three] = [await played(1), await played(3)];
    expect(bytesOf(three.folder)).toEqual(bytesOf(one.folder));
    const transcripts = (run: string) =>
      readdirSync(join(run, 'episodes')).map((name) => readFileSync(join(run, 'episodes', name), 'utf8'));
    expect(transcripts(three.folder)).toEqual(transcripts(one.folder));
    expect(logOf(three.folder)).toBe(logOf(one.folder));
  });

  it('stops when asked and resumes to the same bytes, from anywhere', async () => {
    // one game at a time, so that there is a moment between two
    const evaluation = { games: 2, parallelEpisodes: 1 };
    const whole = await train(inFolder('whole', { evaluation }));
    const expected = bytesOf(whole.folder);
    const moments = ['evaluated', 'step', 'step', 'update', 'evaluated'] as const;
    const controllers = moments.map(() => new AbortController());
    const stoppingAt = (place: number, after: number) => {
      let seen = 0;
      const stop = (kind: string) => {
        if (kind === moments[place] && ++seen === after) controllers[place]!.abort();
      };
      return plainHost({
        signal: controllers[place]!.signal,
        listener: { training: ({ kind }) => stop(kind), game: () => stop('evaluated') },
      });
    };
    const out = join(folder, 'stopped');
    await expect(train({ ...small, evaluation, out }, stoppingAt(0, 1))).rejects.toMatchObject({
      code: 'interrupted',
      run: { canGoOn: true },
    });
    const run = join(out, readdirSync(out)[0]!);
    // one of two games before training is over; then inside a group of episodes, twice; between updates; and in the last evaluation
    expect(existsSync(join(run, 'eval-before.jsonl'))).toBe(true);
    for (const [place, after] of [
      [1, 4],
      [2, 9],
      [3, 2],
      [4, 1],
    ] as const)
      await expect(resume(run, stoppingAt(place, after)), `moment ${place}`).rejects.toMatchObject({
        code: 'interrupted',
      });
    const [finished] = await resume(run);
    expect(finished!.wasResumed).toBe(true);
    expect(bytesOf(run)).toEqual(expected);
    expect(logOf(run)).toBe(logOf(whole.folder));
    // each micro-step prints its own loss; their mean is the update's
    const printed = [...logOf(run).matchAll(/Epoch: \[(\d+)\], Iter: \[(\d+)\], .*Loss: \[([\d.]+)\]/g)];
    const accumulate = 2;
    const metrics = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
    const updates = metrics
      .map((line) => JSON.parse(line) as { kind: string; round: number; loss: number })
      .filter(({ kind }) => kind === 'update');
    expect(printed).toHaveLength(updates.length * accumulate);
    for (const [place, { round, loss }] of updates.entries()) {
      const ofUpdate = printed.slice(place * accumulate, (place + 1) * accumulate);
      expect(ofUpdate.every(([, epoch]) => Number(epoch) === round)).toBe(true);
      const mean = ofUpdate.reduce((sum, [, , , each]) => sum + Number(each), 0) / accumulate;
      // printed with four digits
      expect(Math.abs(mean - loss)).toBeLessThan(1e-4);
    }
    expect([existsSync(join(run, 'eval.jsonl')), existsSync(join(run, 'DONE'))]).toEqual([false, true]);
    expect(await resume(run)).toEqual([]);
  });

  it('resumes its evaluations after their finished games', async () => {
    const evaluation = { games: 2, parallelEpisodes: 1 };
    const stoppingAfter = (games: number) => {
      const controller = new AbortController();
      const game = () => void (--games === 0 && controller.abort());
      return plainHost({ signal: controller.signal, listener: { game } });
    };
    const interrupted = { code: 'interrupted' };
    const out = join(folder, 'known-games');
    await expect(train({ ...small, play: brief, evaluation, out }, stoppingAfter(1))).rejects.toMatchObject(
      interrupted,
    );
    const run = join(out, readdirSync(out)[0]!);
    recount(join(run, 'eval-before.jsonl'), 7);
    // the known game and the remaining one, then the first after training
    await expect(resume(run, stoppingAfter(3))).rejects.toMatchObject(interrupted);
    recount(join(run, 'eval.jsonl'), 8);
    await resume(run);
    expect([stepsIn(run, 'eval-before.json'), stepsIn(run, 'eval.json')]).toEqual([
      [7, 2],
      [8, 2],
    ]);
  });

  it('removes the journal of an evaluation that was killed after its result was stored', async () => {
    const dyingWhenStored = () =>
      onFailpoint((name) => {
        if (name === 'evaluation-stored') throw new EmacError('io', 'the machine is gone');
      });
    const out = join(folder, 'stored-and-killed');
    dyingWhenStored();
    await expect(train({ ...small, play: brief, out })).rejects.toMatchObject({ code: 'io' });
    const run = join(out, readdirSync(out)[0]!);
    const journals = () => ['eval-before.jsonl', 'eval.jsonl'].map((name) => existsSync(join(run, name)));
    expect(journals()).toEqual([true, false]);
    await expect(resume(run)).rejects.toMatchObject({ code: 'io' });
    expect(journals()).toEqual([false, true]);
    onFailpoint(null);
    await resume(run);
    expect(journals()).toEqual([false, false]);
  });

  it('refuses to resume a run of an older version, which can still be evaluated and trained from', async () => {
    const { folder: run } = await train(inFolder('older', { play: brief, evaluation: { episodes: 0 } }));
    const configOf = (at: string) => join(at, 'config.yaml');
    const old = join(folder, 'format-1');
    renameSync(run, old);
    writeFileSync(configOf(old), 'command: train\ngiven:\n  games: builtin:valid_seen\n');
    const record = JSON.parse(readFileSync(join(old, 'run.json'), 'utf8')) as object;
    const { createHash } = await import('node:crypto');
    const config = createHash('sha256')
      .update('{"command":"train","given":{"games":"builtin:valid_seen"}}')
      .digest('hex');
    writeFileSync(join(old, 'run.json'), JSON.stringify({ ...record, config, status: 'interrupted' }));
    renameSync(join(old, 'DONE'), join(old, 'undone'));
    await expect(resume(old)).rejects.toThrow(/older version of emac; its runs can be evaluated/);
    const { result } = await evaluatePolicy({ ckpt: old, numGames: 1, maxSteps: 4, speech: { beams: 1 } });
    expect(result).toMatchObject({ checkpoint: old });
    const next = await train(
      inFolder('newer', { phase: 'dpo', start: { ref: old }, play: brief, evaluation: { episodes: 0 } }),
    );
    // by default phase 2 plays the games of its reference run
    expect(next.config.games).toBe('builtin:valid_seen');
  });
});

/** Changes the step count of the only game in a journal. */
function recount(journal: string, steps: number): void {
  const [head, line, ...others] = readFileSync(journal, 'utf8').trimEnd().split('\n');
  expect(others).toEqual([]);
  const { game, ...rest } = JSON.parse(line!) as { readonly game: object };
  writeFileSync(journal, `${head}\n${JSON.stringify({ ...rest, game: { ...game, steps } })}\n`);
}

function stepsIn(run: string, name: string): number[] {
  const { games } = JSON.parse(readFileSync(join(run, name), 'utf8')) as EvaluationResult;
  return games.map(({ steps }) => steps);
}

describe('a policy opened from a run', () => {
  it('thinks if it learned to think', async () => {
    const config = inFolder('thinking', {
      play: brief,
      expert: { thoughts: true },
      evaluation: { episodes: 0 },
    });
    const { folder: run } = await train(config);
    const agent = await openAgent(run);
    expect(agent.form.text.thoughts).toBe(true);
    await agent.dispose();
  });

  it('acts, keeps its form, and evaluates alike however often it is interrupted', async () => {
    const config = inFolder('agent', {
      play: { ...brief, admissibleOnly: true },
      speech: { beams: 2, observe: 'both' },
      evaluation: { episodes: 0 },
    });
    const { folder: run } = await train(config);
    const agent = await openAgent(run, { maxSteps: 3 });
    expect(agent.form).toMatchObject({ admissibleOnly: true, generation: { beams: 2 } });
    const environment = agent.environment([builtinGameAt('builtin:valid_unseen', 0)]);
    const [trajectory] = await agent.play(environment);
    const { first } = await environment.begin(environment.tasks[0]!, '0');
    const command = await agent.act(first, { initial: first.text, turns: [] });
    expect(first.admissible).toContain(command);
    expect(trajectory!.steps[0]!.action).toBe(command);
    const unknown = agent.act({ ...first, admissible: null }, { initial: first.text, turns: [] });
    await expect(unknown).rejects.toMatchObject({ code: 'unavailable' });
    await agent.dispose();

    const out = join(folder, 'result.json');
    const given = { ckpt: run, numGames: 3, maxSteps: 5, parallelEpisodes: 1 };
    const whole = await evaluatePolicy(given);
    const controller = new AbortController();
    const listener = { game: () => controller.abort() };
    const stopped = evaluatePolicy({ ...given, out }, plainHost({ signal: controller.signal, listener }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(`${out}.part.jsonl`)).toBe(true);
    expect((await evaluatePolicy({ ...given, out })).result).toEqual(whole.result);
    expect(existsSync(`${out}.part.jsonl`)).toBe(false);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(whole.result);
  });
});
