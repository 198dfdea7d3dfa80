/** `traces.jsonl` of runs of each method, whole and killed, and of evaluations. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint, readJournal, sha256 } from '@emac/files';
import { afterEach, describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { resume } from '../methods.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { evaluationTraces } from './evaluation-traces.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

interface Trace {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly task: string;
  readonly reward: number;
  readonly rewards: readonly number[];
  readonly success: boolean;
  readonly end: string;
  readonly completion_ids: readonly (readonly number[])[];
  readonly completion_logprobs: readonly (readonly number[])[];
  readonly images?: readonly string[];
}

const tracesIn = (run: string, name = 'traces.jsonl') => readJournal(join(run, name)) as Trace[];
const names = ['traces.jsonl', 'traces-before.jsonl', 'traces-after.jsonl'];
const bytesOf = (run: string) => names.map((name) => readFileSync(join(run, name), 'utf8'));

/** Runs as small as they show an episode that ends and, of PPO, one that lasts over several updates. */
const runs: Readonly<Record<string, (out: string) => Promise<{ readonly folder: string }>>> = {
  'bc in ALFWorld': (out) =>
    train({
      phase: 'bc',
      play: { rounds: 1, gamesPerRound: 3, maxSteps: 3 },
      optimization: { updatesPerEpisode: 1 },
      evaluation: { episodes: 1 },
      probe: false,
      traces: true,
      out,
    }),
  'grpo in NumberLine': (out) =>
    trainGrpo({
      env: 'gym_cards/NumberLine-v0',
      play: { updates: 3, promptsPerUpdate: 2, groupSize: 2, maxSteps: 2 },
      losses: { maxLength: 8 },
      trained: { rank: 2 },
      evaluation: { episodes: 1 },
      checkpointEvery: 1,
      traces: true,
      out,
    }),
  'ppo in MiniGrid': (out) =>
    trainPpo({
      env: 'MiniGrid-Empty-5x5-v0',
      policy: 'mlp',
      play: { environments: 2, stepsPerUpdate: 8, environmentSteps: 64, maxSteps: 12 },
      optimization: { minibatchSize: 8 },
      evaluation: { episodes: 2, temperature: 1 },
      checkpointEvery: 1,
      traces: true,
      out,
    }),
};

describe.each(Object.keys(runs))('traces of %s', (name) => {
  const begun = (what: string) => runs[name]!(join(folder, `${name} ${what}`));

  it('tell every episode, and are equal after a kill', async () => {
    const { folder: whole } = await begun('whole');
    const traces = tracesIn(whole);
    expect(traces.length).toBeGreaterThanOrEqual(3);
    for (const { messages, rewards, completion_ids: ids, completion_logprobs: logprobs, reward } of traces) {
      const answers = messages.filter(({ role }) => role === 'assistant');
      expect(answers).toHaveLength(rewards.length);
      expect(ids.map(({ length }) => length)).toEqual(logprobs.map(({ length }) => length));
      expect(ids.every(({ length }) => length > 0)).toBe(true);
      expect(rewards.reduce((sum, each) => sum + each, 0)).toBeCloseTo(reward);
    }
    if (name === 'ppo in MiniGrid')
      // levels of training have even seeds
      for (const { task } of traces) expect(task).toMatch(/^MiniGrid-Empty-5x5-v0\/\d*[02468]$/);
    else
      for (const { images, messages } of names.flatMap((file) => tracesIn(whole, file))) {
        expect(images).toHaveLength(placesIn(messages));
        for (const file of images!)
          expect(file).toBe(`frames/${sha256(readFileSync(join(whole, file)))}.png`);
      }
    expect(new Set(traces.map(({ task }) => task)).size).toBeGreaterThan(1);
    expect(readdirSync(whole).filter((file) => file.endsWith('.part'))).toEqual([]);
    const evaluated = JSON.parse(readFileSync(join(whole, 'eval.json'), 'utf8')) as {
      readonly games: readonly { readonly id: string; readonly won: boolean; readonly steps: number }[];
    };
    expect(
      tracesIn(whole, 'traces-after.jsonl').map(({ task: id, success: won, rewards }) => ({
        id,
        won,
        steps: rewards.length,
      })),
    ).toEqual(evaluated.games.map(({ id, won, steps }) => ({ id, won, steps })));

    let updates = 0;
    onFailpoint((at) => {
      if (at === 'updating' && ++updates === 3) throw new Error('killed');
    });
    await expect(begun('killed')).rejects.toThrow('killed');
    onFailpoint(null);
    const out = join(folder, `${name} killed`);
    const killed = join(out, readdirSync(out)[0]!);
    await resume(killed);
    expect(bytesOf(killed)).toEqual(bytesOf(whole));
  });
});

const placesIn = (messages: Trace['messages']) =>
  messages.flatMap(({ content }) => content).filter((part) => (part as { type?: string }).type === 'image')
    .length;

it('traces with pictures are data for a model that sees', async () => {
  const out = join(folder, 'grpo in NumberLine whole');
  const data = join(out, readdirSync(out)[0]!, 'traces.jsonl');
  const policy = fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_5_vl', import.meta.url));
  const trained = await train({
    phase: 'bc',
    policy,
    dataset: { data, epochs: 1 },
    trained: { parts: 'lora', rank: 2 },
    optimization: { batchSize: 2, accumulate: 1 },
    speech: { beams: 1, maxLength: 8, maxPromptTokens: 400 },
    evaluation: { episodes: 0 },
    out: join(folder, 'data'),
  });
  const updates = readJournal(join(trained.folder, 'metrics.jsonl')) as { kind: string; loss: number }[];
  expect(updates.find(({ kind }) => kind === 'update')!.loss).toBeGreaterThan(0);
});

describe('an evaluation', () => {
  it('keeps a trace on disk when its episode ends, and resumes with those that are there', () => {
    const place = join(folder, 'kept');
    mkdirSync(place);
    const first = evaluationTraces(place, 'traces.jsonl');
    first.add('b', { task: 'b' });
    first.add('a', { task: 'a', reward: 0 });
    first.close();
    const second = evaluationTraces(place, 'traces.jsonl');
    second.add('c', { task: 'c', ä: 1 });
    second.add('a', { task: 'a', reward: 1 });
    second.finish(['a', 'gone', 'b', 'c']);
    expect(readJournal(join(place, 'traces.jsonl'))).toEqual([
      { task: 'a', reward: 1 },
      { task: 'b' },
      { task: 'c', ä: 1 },
    ]);
    expect(readdirSync(place)).toEqual(['traces.jsonl']);
  });

  it('writes its traces beside the result, and asks for a folder', async () => {
    const asked = { ckpt: 'rl-tiny', env: 'gym_cards/NumberLine-v0', numGames: 2, traces: true };
    const out = join(folder, 'evaluated');
    const { result } = await evaluatePolicy({ ...asked, out: `${out}/` });
    expect(tracesIn(out).map(({ task, reward }) => ({ id: task, return: reward }))).toMatchObject(
      'games' in result ? result.games.map(({ id, return: sum }) => ({ id, return: sum })) : [],
    );
    const nowhere = evaluatePolicy({ ...asked, out: null });
    await expect(nowhere).rejects.toThrow(/--traces: .* --out none is no folder/);
  });
});
