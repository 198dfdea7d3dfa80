/** Groups of attempts in environments of every kind: started, stopped, resumed, evaluated. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost, type RewardedAnswer } from '@emac/opening';
import type { GivenGrpoConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { stopAfter } from '../workers/small-updates.test.support.ts';
import { localWorkers } from '../workers/workers.test.support.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

function given(env: string, out: string, updates = 1) {
  return {
    env,
    play: { updates, promptsPerUpdate: 2, groupSize: 2, maxSteps: 2 },
    losses: { maxLength: 8 },
    trained: { rank: 2 },
    evaluation: { episodes: 1 },
    checkpointEvery: 1,
    out: join(folder, out),
  } as const satisfies GivenGrpoConfig;
}

function linesOf(run: string): Record<string, number>[] {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, number>);
}

describe.each([
  ['gym_cards/NumberLine-v0', 'rl-tiny'],
  ['alfworld', 'emma-tiny'],
])('attempts in %s', (env, model) => {
  it("train their kind's model, resume to the same bytes, and are evaluated by their run", async () => {
    const said: RewardedAnswer[] = [];
    const listener = { answered: (answer: RewardedAnswer) => void said.push(answer) };
    const whole = await trainGrpo(given(env, `${model}-whole`, 2), plainHost({ listener }));
    expect(whole.config).toMatchObject({ env, role: null, policy: model });
    // 2 updates of 2 groups of 2 attempts, each of at most 2 answers
    expect(said).toHaveLength(8);
    expect(new Set(said.map(({ solution }) => solution)).size).toBe(4);
    const [first, last] = linesOf(whole.folder);
    expect(first!['kl']).toBeCloseTo(0, 6);
    expect(last!['answers']).toBeLessThanOrEqual(16);
    const kept = [...contentOf(whole.folder).keys()].filter((name) => name.startsWith('attempts/'));
    expect(kept).toEqual(['attempts/000000.jsonl', 'attempts/000001.jsonl']);
    for (const name of ['reward_return', 'reward_penalty', 'mean_return', 'success', 'mean_steps'])
      expect(first).toHaveProperty(name);

    const out = `${model}-stopped`;
    const stop = new AbortController();
    onFailpoint((name) => {
      if (name === 'updating') stop.abort();
    });
    const stopped = trainGrpo(given(env, out, 2), plainHost({ signal: stop.signal }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const run = join(folder, out, readdirSync(join(folder, out))[0]!);
    expect(await resume(run)).toHaveLength(1);
    expect(contentOf(run)).toEqual(contentOf(whole.folder));

    const { result } = await evaluatePolicy({ ckpt: whole.folder, numGames: 1 });
    expect(result).toMatchObject({ games: whole.after!.games });
  });
});

describe('attempts on workers', () => {
  it.each([
    ['MiniGrid-Empty-5x5-v0', {}],
    ['tabletop/spatial/0', { losses: { maxLength: 8, advantages: 'leave-one-out' } }],
  ] as const)('in %s are learned from', async (env, changes) => {
    const small = given(env, env.replaceAll('/', '-'));
    const { folder: run, after } = await trainGrpo({ ...small, ...changes, rewards: { attempt: 'success' } });
    expect(linesOf(run)).toMatchObject([{ reward_success: expect.any(Number) as number }]);
    expect(after!.games).toHaveLength(1);
  });
});

describe('attempts among admissible commands', () => {
  it('begin at a ratio of 1 and a penalty of 0, and end in the same bytes over a worker', async () => {
    const small = given('alfworld', 'chosen alone');
    const asked = {
      ...small,
      play: { ...small.play, admissibleOnly: true, together: 1 },
      speech: { observe: 'both' as const },
      losses: { maxLength: 24, beta: 0.1, advantages: 'steps' as const },
      optimization: { gradientShards: 2 },
    };
    const alone = await trainGrpo(asked);
    const [line] = linesOf(alone.folder);
    expect(line!['no_action_share']).toBe(0);
    expect(line!['approx_kl']).toBeCloseTo(0, 6);
    expect(line!['kl']).toBeCloseTo(0, 6);
    const out = join(folder, 'chosen over 1');
    const workers = localWorkers(out, 1);
    const { folder: run } = await trainGrpo(
      { ...asked, out: join(out, 'runs') },
      { ...plainHost(), workers },
    );
    expect(contentOf(run)).toEqual(contentOf(alone.folder));
    await workers.stop();
    const [head, first] = readFileSync(join(run, 'attempts/000000.jsonl'), 'utf8')
      .split('\n', 2)
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(head).toMatchObject({ kind: 'attempt', update: 0, steps: 2 });
    // both attempts at a task begin in the same state
    expect(first!['sameState']).toBeGreaterThanOrEqual(2);
  });

  it('are refused where nothing but the frame may tell the task', async () => {
    const asked = { ...given('alfworld', 'frames'), speech: { observe: 'image' } } as const;
    await expect(trainGrpo({ ...asked, play: { admissibleOnly: true } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--admissible-only: tells where things are') as string,
    });
  });
});

describe('settings that mean nothing', () => {
  const cards = { env: 'NumberLine', out: join(folder, 'none') };
  it.each<[string, GivenGrpoConfig]>([
    ['--role: is for the Lewis game', { ...cards, role: 'speaker' }],
    ['--candidates: is for the Lewis game', { ...cards, game: { candidates: 4 } }],
    ['--listener-reward-mode: is for the Lewis game', { ...cards, rewards: { accuracy: 'soft_always' } }],
    ['--max-steps: is for tasks of other environments', { role: 'speaker', play: { maxSteps: 3 } }],
    ['--role: is required', {}],
    ['--epochs 2: the tasks are unlimited', { ...cards, play: { epochs: 2 } }],
  ])('are refused in a sentence: %s', async (message, asked) => {
    await expect(trainGrpo(asked as Parameters<typeof trainGrpo>[0])).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message) as string,
    });
  });
});

type Changes = Omit<GivenGrpoConfig, 'role'>;

describe.each<[string, Changes]>([
  ['gym_cards/NumberLine-v0', { play: { redraws: 2 }, optimization: { gradientShards: 2 } }],
  ...alsoLong<[string, Changes]>([
    ['alfworld', {}],
    [
      'alfworld',
      {
        optimization: { gradientShards: 2, maxStaleness: 1 },
        trained: { parts: 'projection,lora', rank: 2 },
      },
    ],
    ['MiniGrid-Empty-5x5-v0', { losses: { maxLength: 8, beta: 0.1 } }],
    ['tabletop/spatial/0', {}],
  ]),
])('attempts at tasks of %s over workers', (env, changes) => {
  it('end in the bytes of one process, each group of tasks a job, stopped on the way or not', async () => {
    const name = `${env.replaceAll('/', '-')} ${JSON.stringify(changes).length}`;
    const small = given(env, `${name} alone`, 2);
    const asked = { ...small, ...changes, play: { ...small.play, ...changes.play, together: 1 } };
    const alone = await trainGrpo(asked);
    for (const count of [1, ...alsoLong([3])]) {
      const out = join(folder, `${name} over ${count}`);
      const workers = localWorkers(out, count);
      const { folder: run } = await trainGrpo(
        { ...asked, out: join(out, 'runs') },
        { ...plainHost(), workers },
      );
      expect(linesOf(run)).toEqual(linesOf(alone.folder));
      expect(contentOf(run)).toEqual(contentOf(alone.folder));
      await workers.stop();
      // 2 updates of 2 tasks, and the tasks that replaced others
      const replaced = linesOf(run).reduce((sum, line) => sum + (line['redrawn_groups'] ?? 0), 0);
      expect(replaced > 0).toBe(changes.play?.redraws !== undefined);
      expect(workers.said.filter((line) => line.includes('.updates-'))).toHaveLength(4 + replaced);
    }
    const out = join(folder, `${name} stopped`);
    const workers = localWorkers(out, 1);
    const signal = stopAfter(1);
    const host = { ...plainHost({ signal }), workers };
    await expect(trainGrpo({ ...asked, out }, host)).rejects.toMatchObject({ code: 'interrupted' });
    const run = join(
      out,
      readdirSync(out).find((each) => !each.startsWith('shared') && !each.startsWith('.'))!,
    );
    await resume(run, { ...plainHost(), workers });
    expect(contentOf(run)).toEqual(contentOf(alone.folder));
    await workers.stop();
  });
});
