/** Runs of the Lewis game with a real model: stopped, resumed, in turns, evaluated. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { onFailpoint, readJournal } from '@emac/files';
import { plainHost, type Listener } from '@emac/opening';
import { readRecord } from '@emac/runs';
import { shippedModelFolder, type GivenGrpoConfig } from '@emac/settings';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { evaluateLewis } from '../lewis/evaluate-lewis.ts';
import type { LewisEvaluation } from '../lewis/lewis-evaluation.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { FinishedGrpo } from './recipe.ts';
import { trainGrpo } from './train-grpo.ts';
import { trainGrpoRuns } from './train-grpo.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const small = {
  policy: 'lewis-tiny',
  play: { updates: 3, promptsPerUpdate: 2, groupSize: 3 },
  losses: { maxLength: 12, beta: 0.1 },
  trained: { rank: 2 },
  evaluation: { episodes: 3 },
  checkpointEvery: 1,
} as const satisfies Partial<GivenGrpoConfig>;

/** Every answer has another reward, so there is something to learn: the untrained model never names attributes. */
const speaker = {
  ...small,
  // a path as typed, which a resumed run names as it was typed
  policy: relative('.', shippedModelFolder('lewis-tiny')!),
  role: 'speaker',
  rewards: { accuracy: 'soft_always' },
} as const;

const stopAt = (update: number): AbortSignal => {
  const stop = new AbortController();
  let made = 0;
  onFailpoint((name) => {
    if (name === 'updating' && ++made === update) stop.abort();
  });
  return stop.signal;
};

describe('a run of a speaker', () => {
  let whole: FinishedGrpo;
  beforeAll(async () => {
    whole = await trainGrpo({ ...speaker, out: join(folder, 'whole') });
  });

  it('trains an adapter, reports rewards, and is evaluated before and after on the same games', () => {
    const lines = readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
      [0, 1, 2].map((update) => ({ kind: 'update', phase: 'grpo', update, answers: 6 * (update + 1) })),
    );
    const first = JSON.parse(lines[0]!) as Record<string, number>;
    // nothing has moved yet
    expect(first['kl']).toBeCloseTo(0, 6);
    expect(first['gradient_norm']).toBeGreaterThan(0);
    for (const name of ['reward_accuracy', 'reward_format', 'reward_length', 'frac_reward_zero_std'])
      expect(first).toHaveProperty(name);
    const ids = ({ after, before }: FinishedGrpo) =>
      [before, after].map((each) => each!.games.map(({ id }) => id));
    expect(new Set(ids(whole).map(String)).size).toBe(1);
    expect(played(whole).identification.results).toHaveLength(3);
    expect(played(whole).recognition!.metrics.total).toBe(3);
  });

  it('resumes to the same bytes', async () => {
    const out = join(folder, 'stopped');
    const stopped = trainGrpo({ ...speaker, out }, plainHost({ signal: stopAt(2) }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const run = join(out, readdirSync(out)[0]!);
    expect(await resume(run)).toHaveLength(1);
    expect(contentOf(run)).toEqual(contentOf(whole.folder));
    expect([...contentOf(run).keys()]).toContain('checkpoints/00000021/adapter_model.safetensors');
    // finished: nothing is done again
    expect(await resume(run)).toEqual([]);
  });

  it('plays with any listener afterwards, under controls too', async () => {
    const asked = { speaker: whole.folder, listener: 'model', model: modelOf(whole), games: 2 };
    const { result } = await evaluateLewis(asked);
    expect(result.identification.results.map(({ content }) => content)).toEqual(
      played(whole)
        .identification.results.slice(0, 2)
        .map(({ content }) => content),
    );
    const other = await evaluateLewis({ ...asked, speaker: 'true', describes: 'next' });
    const [one, next] = other.result.identification.results;
    const own = (await evaluateLewis({ ...asked, speaker: 'true' })).result.identification.results;
    expect(one!.description).toBe(own[1]!.description);
    expect(next!.description).toBe(own[0]!.description);
    await expect(evaluateLewis({ ...asked, listener: whole.folder })).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('trained a speaker') as string,
    });
  });

  it('counts an answer as won by which the listener chose the right picture', async () => {
    const scores: number[] = [];
    const answered: NonNullable<Listener['answered']> = ({ rewards }) =>
      void scores.push(rewards['accuracy']!);
    const { folder: run } = await trainGrpo(
      {
        ...speaker,
        // nothing for a wrong choice
        rewards: { accuracy: 'soft_gated' },
        game: { candidates: 2 },
        play: { ...small.play, updates: 1 },
        evaluation: { episodes: 0 },
        out: join(folder, 'won'),
      },
      { ...plainHost(), listener: { answered } },
    );
    const [line] = readJournal(join(run, 'metrics.jsonl')) as [Record<string, number>];
    const chosen = scores.filter((share) => share > 0).length;
    expect([scores.length, line['success']]).toEqual([6, chosen / 6]);
    expect(chosen).toBeGreaterThan(0);
  });

  it('keeps only the last checkpoint if asked', async () => {
    const { folder: run } = await trainGrpo({
      ...speaker,
      evaluation: { episodes: 0 },
      keep: 2,
      onlyLast: true,
      out: join(folder, 'last'),
    });
    const names = readdirSync(join(run, 'checkpoints')).sort();
    expect(names).toEqual(['00000021', 'best', 'latest']);
    for (const name of ['best', 'latest'])
      expect(readFileSync(join(run, 'checkpoints', name), 'utf8')).toBe('00000021\n');
  });

  it('refuses a prompt that is too long, and cuts none', async () => {
    const out = join(folder, 'long');
    await expect(
      trainGrpo({
        ...speaker, // its prompts are longer than lewis-tiny's
        policy: 'rl-tiny',
        speech: { maxPromptTokens: 16 },
        out,
      }),
    ).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('--max-prompt-tokens: a prompt has') as string,
    });
  });
});

describe('both roles in turns', () => {
  it("are a chain of runs, each against the other role's newest, resumable at any point", async () => {
    const play = { ...small.play, updates: 1 };
    const given = { ...small, role: 'both', turns: 3, play, evaluation: { episodes: 1 } } as const;
    const out = join(folder, 'turns');
    const runs = await trainGrpoRuns({ ...given, out });
    expect(runs.map(({ config }) => config.role)).toEqual(['listener', 'speaker', 'listener']);
    const [first, second, third] = runs.map((run) => run);
    expect(second!.config.listener).toBe(first!.folder);
    expect(third!.config).toMatchObject({ speaker: second!.folder, init: first!.folder, turn: 2 });
    expect(readRecord(third!.folder).previous).toBe(second!.folder.split('/').at(-1));

    // stopped in the second turn
    const stopped = join(folder, 'stopped-turns');
    const broken = trainGrpoRuns({ ...given, out: stopped }, plainHost({ signal: stopAt(2) }));
    await expect(broken).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const begun = readdirSync(stopped).map((name) => join(stopped, name));
    const start = begun.find((run) => readRecord(run).previous === undefined)!;
    expect(await resume(start)).toHaveLength(2);
    const again = readdirSync(stopped).map((name) => join(stopped, name));
    expect(again).toHaveLength(3);
    for (const run of again) {
      const { seed } = readRecord(run);
      const same = runs.find(({ config }) => config.seed === seed)!;
      const weights = (of: string) =>
        [...contentOf(of)].filter(
          ([name]) => name.endsWith('adapter_model.safetensors') || name === 'metrics.jsonl',
        );
      expect(weights(run)).toEqual(weights(same.folder));
    }
  });
});

function played({ after }: FinishedGrpo): LewisEvaluation {
  return after as LewisEvaluation;
}

function modelOf({ config }: FinishedGrpo) {
  return config.model;
}
