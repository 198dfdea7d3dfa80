/** Learning as one call: the command's run, resumed by the same call; code of the program in place of built-in parts. */
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { imitation } from '@emac/algorithms';
import { loadEnvironmentModule, plainHost, type InlineEnvironment } from '@emac/opening';
import { readConfig } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';
import type { Learning, OwnMethod } from './asked-learning.ts';
import { learn } from './learn.ts';

const folder = temporaryFolder();

const line: Learning = {
  environment: 'gym_cards/NumberLine-v0',
  policy: 'mlp',
  method: 'ppo',
  settings: {
    play: { environments: 2, environmentSteps: 24, stepsPerUpdate: 4 },
    evaluation: { episodes: 2 },
    checkpointEvery: 1,
  },
  folder: join(folder, 'whole'),
};

describe('a call of learn', () => {
  it('resumes a stopped run to the same bytes, and returns a finished one without training', async () => {
    const whole = await learn(line);
    const call: Learning = { ...line, folder: join(folder, 'stopped') };
    const stop = new AbortController();
    const listener = { reinforced: () => stop.abort() };
    await expect(learn(call, plainHost({ signal: stop.signal, listener }))).rejects.toMatchObject({
      code: 'interrupted',
    });
    const updates: number[] = [];
    const counting = plainHost({ listener: { reinforced: ({ update }) => void updates.push(update) } });
    const resumed = await learn(call, counting);
    expect(contentOf(resumed.folder)).toEqual(contentOf(whole.folder));
    expect(updates).toEqual([1, 2]);
    const again = await learn(call, counting);
    expect(again.folder).toBe(resumed.folder);
    expect(updates).toHaveLength(2);
    expect(again.after).toEqual(whole.after);
    const { games } = await again.evaluate({ episodes: 2 });
    expect(games.map(({ id, won }) => ({ id, won }))).toEqual(
      whole.after!.games.map(({ id, won }) => ({ id, won })),
    );
  });

  it('is refused in the folder of another call', async () => {
    const other: Learning = { ...line, policy: 'cnn' };
    await expect(learn(other)).rejects.toThrow(
      `folder ${line.folder}: holds a run with another policy; give another folder, or the same call`,
    );
  });

  it.each<[string, Partial<Learning>, RegExp]>([
    [
      'method',
      { method: 'reinforce' as 'ppo' },
      /^method: must be bc, .*grpo.* or an object of your own, got "reinforce"/,
    ],
    ['policy', { policy: 'gone' }, /^policy: gone does not exist; give a model's name/],
    ['expert', { expert: () => '+' }, /^expert: ppo learns from rewards, without labels; leave it out$/],
    [
      'environment',
      { environment: { name: 'a b', tasks: { training: ['a'], heldOut: ['b'] }, begin: () => never } },
      /its name has letters, digits, dots and dashes, got "a b"/,
    ],
  ])('with an unknown %s leaves nothing behind', async (part, wrong, message) => {
    const out = join(folder, `no-${part}`);
    await expect(learn({ ...line, ...wrong, folder: out } as Learning)).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });
});

const never = { observation: '', step: () => ({ observation: '', reward: 0, done: true }) };

/** One step: the named number is right. */
const source = `({
  tasks: { training: ['first 1', 'first 2'], heldOut: ['second 1', 'second 2'] },
  maxSteps: 1,
  begin: (task) => ({
    observation: 'Say ' + task.at(-1) + '.',
    actions: ['1', '2'],
    step: (action) => ({ observation: 'Said.', reward: action === task.at(-1) ? 1 : 0, done: true }),
  }),
  expert: (task) => task.at(-1),
})`;
// the same text as the module's, so that both are the same code
const numbers = (0, eval)(source) as InlineEnvironment;

const short = {
  play: { rounds: 1, gamesPerRound: 2 },
  optimization: { updatesPerEpisode: 1, batchSize: 1 },
  speech: { maxLength: 6, maxTextTokens: 128 },
  evaluation: { games: 2 },
} as const;

describe('code of the program', () => {
  const metrics = (run: string) => readFileSync(join(run, 'metrics.jsonl'), 'utf8');

  it('is an environment that trains as the same code in a file does', async () => {
    const env = join(folder, 'numbers.mjs');
    writeFileSync(env, `export default ${source};`);
    const environment = await loadEnvironmentModule(env);
    const given = { phase: 'bc', env, out: join(folder, 'file'), ...short } as const;
    const fromFile = await train(given, { ...plainHost(), environment });
    const run = await learn({
      environment: numbers,
      method: 'bc',
      settings: short,
      folder: join(folder, 'inline'),
    });
    expect(metrics(run.folder)).toBe(metrics(fromFile.folder));
    expect(run.after!.games.map(({ id }) => id)).toEqual(['second 1', 'second 2']);
    const action = await run.act({ initial: 'Say 1.', turns: [] }, { actions: ['1', '2'] });
    expect(typeof action).toBe('string');
    await run.dispose();
    await expect(resume(run.folder)).resolves.toEqual([]);
  });

  it('is a method: imitation under another name learns the same, and is recorded', async () => {
    const own: OwnMethod = { name: 'mine', over: 'answers', learn: (policy) => imitation(policy) };
    const call = { environment: numbers, settings: short } as const;
    const built = await learn({ ...call, method: 'bc', folder: join(folder, 'inline') });
    const mine = await learn({ ...call, method: own, folder: join(folder, 'mine') });
    expect(metrics(mine.folder)).toBe(metrics(built.folder));
    expect(readConfig(mine.folder)).toMatchObject({ phase: 'bc', method: 'mine' });
    const stop = new AbortController();
    const listener = { training: () => stop.abort() };
    const stopped = { ...call, method: own, folder: join(folder, 'stopped-method') };
    const fault = await learn(stopped, plainHost({ signal: stop.signal, listener })).catch(
      (thrown: unknown) => thrown as { run: { folder: string } },
    );
    const { run } = fault as { run: { folder: string } };
    await expect(resume(run.folder)).rejects.toThrow(
      /^method: the configuration names mine, the program passes none; /,
    );
    const resumed = await learn(stopped);
    expect(metrics(resumed.folder)).toBe(metrics(built.folder));
  });

  it('is an expert: the labels are what it says', async () => {
    const run = await learn({
      environment: numbers,
      method: 'bc',
      expert: () => '2',
      settings: short,
      folder: join(folder, 'expert'),
    });
    // the environment's own expert would say 1 in the first task
    const labels = ['000000', '000001'].flatMap((episode) =>
      readFileSync(join(run.folder, 'episodes', `${episode}.jsonl`), 'utf8').match(/"label":"."/g),
    );
    expect(labels).toEqual(['"label":"2"', '"label":"2"']);
  });
});
