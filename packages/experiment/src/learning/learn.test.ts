/** Learning as one call: the command's run, resumed by the same call; code of the program in place of built-in parts. */
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { imitation, namedGroupMethods } from '@emac/algorithms';
import {
  inlineEnvironment,
  loadEnvironmentModule,
  openEnvironment,
  plainHost,
  type InlineEnvironment,
} from '@emac/opening';
import { readConfig } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
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

/** Those of a new game, as it gives them. */
function localArrays() {
  const game = openEnvironment('gym_cards/NumberLine-v0', { palette: null, maxSteps: null });
  game.reset(0);
  return game.observe();
}

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
    const seen = { arrays: localArrays(), actions: ['-', '+'] };
    const action = await resumed.act({ initial: '', turns: [] }, seen);
    expect(['-', '+']).toContain(action);
    await resumed.dispose();
    const again = await learn(call, counting);
    expect(again.folder).toBe(resumed.folder);
    expect(updates).toHaveLength(2);
    expect(again.after).toEqual(whole.after);
    const { games } = await again.evaluate({ episodes: 2 });
    expect(games.map(({ id, won }) => ({ id, won }))).toEqual(
      whole.after!.games.map(({ id, won }) => ({ id, won })),
    );
  });

  it('is the same under earlier names of its settings', async () => {
    const call = (optimization: object): Learning => {
      const { settings } = line;
      return { ...line, settings: { ...settings, optimization }, folder: join(folder, 'named') } as Learning;
    };
    const first = await learn(call({ epochs: 2 }));
    expect((await learn(call({ passes: 2 }))).folder).toBe(first.folder);
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

/** The one step to the named side is right; a number and a picture say which one it is. */
const sides: InlineEnvironment = {
  name: 'sides',
  tasks: { training: ['left a', 'right a'], heldOut: ['left b', 'right b'] },
  actions: ['left', 'right'],
  maxSteps: 1,
  begin: (task) => ({
    observation: shownSide(task),
    step: (action) => {
      return { observation: shownSide(task), reward: task.startsWith(action) ? 1 : 0, done: true };
    },
  }),
};

function shownSide(task: string) {
  const side = task.startsWith('left') ? 0 : 1;
  return {
    text: 'Choose.',
    arrays: { side: { shape: [1], data: Float32Array.of(side) } },
    frames: [{ width: 16, height: 16, data: new Uint8Array(16 * 16 * 3).fill(255 * side) }],
  };
}

describe('a small network in an environment of the program', () => {
  const call = (policy: string, name: string): Learning => ({
    environment: sides,
    policy,
    method: 'ppo',
    settings: {
      play: { environments: 4, environmentSteps: 512, stepsPerUpdate: 16 },
      optimization: { learningRate: 0.01 },
      evaluation: { episodes: 4 },
      checkpointEvery: 1,
    },
    folder: join(folder, name),
  });

  it.each(['mlp', 'cnn'])('%s learns the best play, and acts so', async (policy) => {
    const run = await learn(call(policy, policy));
    expect(run.after!.success).toBe(1);
    const history = { initial: 'Choose.', turns: [] };
    for (const task of ['left b', 'right b']) {
      const { arrays, frames } = shownSide(task);
      const seen = policy === 'mlp' ? { arrays } : { frames };
      expect(await run.act(history, { actions: ['left', 'right'], ...seen })).toBe(task.slice(0, -2));
    }
    await expect(run.act(history)).rejects.toThrow(
      policy === 'mlp'
        ? /reads an array side of 1 numbers, the prompt has nothing$/
        : /reads the picture; give/,
    );
    expect((await run.evaluate({ episodes: 4 })).success).toBe(1);
    await run.dispose();
  });

  it.each([
    ...namedGroupMethods.map(({ name, losses }) => [name, losses, {}] as const),
    ['grpo', { advantages: 'batch' }, { losses: { advantages: 'batch' } }],
  ] as const)('learns by %s, which is %j', async (method, losses, more) => {
    const settings = {
      ...more,
      play: { updates: 1, promptsPerUpdate: 1, groupSize: 2 },
      evaluation: { episodes: 0 },
    };
    const place = join(folder, `${method}-${Object.values(losses).join('-')}`);
    const run = await learn({ environment: sides, policy: 'mlp', method, settings, folder: place });
    expect(readConfig(run.folder)).toMatchObject({ losses });
    expect(run.folder).toContain(`-${method}-s0`);
  });

  it('resumes to the same bytes', async () => {
    const stop = new AbortController();
    const listener = { reinforced: () => stop.abort() };
    const stopped = call('mlp', 'mlp-stopped');
    await expect(learn(stopped, plainHost({ signal: stop.signal, listener }))).rejects.toMatchObject({
      code: 'interrupted',
    });
    const resumed = await learn(stopped);
    const whole = await learn(call('mlp', 'mlp'));
    expect(contentOf(resumed.folder)).toEqual(contentOf(whole.folder));
  });

  it.each<[string, string, Partial<InlineEnvironment>, RegExp]>([
    ['mlp', 'arrays', { begin: () => blind }, /^--policy mlp: reads arrays, but inline\/sides has none/],
    [
      'cnn',
      'pictures',
      { begin: () => blind },
      /^--policy cnn: reads a picture, but inline\/sides shows none/,
    ],
    ['mlp', 'actions', { actions: undefined }, /chooses among listed actions, but inline\/sides lists none/],
  ] as never)('is refused as %s without %s', async (policy, what, more, message) => {
    const asked = { ...call(policy, `no-${what}`), environment: { ...sides, ...more } } as Learning;
    await expect(learn(asked)).rejects.toThrow(message);
    expect(existsSync(asked.folder)).toBe(false);
  });
});

const blind = {
  observation: 'Choose.',
  step: () => ({ observation: 'Chosen.', reward: 0, done: true }),
};

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
  speech: { maxLength: 6, maxPromptTokens: 128 },
  evaluation: { episodes: 2 },
} as const;
const attempts = {
  play: { updates: 1, promptsPerUpdate: 1, groupSize: 2 },
  losses: { maxLength: 6 },
  speech: { maxPromptTokens: 128 },
  evaluation: { episodes: 2 },
} as const;

describe('evaluations of a run', () => {
  it.each([
    ['bc', { ...short, seed: 3 }],
    ['grpo', { ...attempts, seed: 3 }],
  ] as const)('of %s begin alike before training, after it and with its seed', async (method, settings) => {
    const begun: string[] = [];
    const environment: InlineEnvironment = {
      ...numbers,
      begin: (task, seed) => {
        // 0: a trial when it is opened
        if (task.startsWith('second') && seed !== '0') begun.push(`${task}: ${seed}`);
        return numbers.begin(task, seed);
      },
    };
    const asked = { environment, method, settings, folder: join(folder, `seeds-${method}`) } as Learning;
    const run = await learn(asked);
    await run.dispose();
    const again = { ckpt: run.folder, numGames: 2, seed: 3, out: null };
    await evaluatePolicy(again, { ...plainHost(), environment: inlineEnvironment(environment) });
    expect(begun).toHaveLength(6);
    expect(new Set(begun).size).toBe(2);
  });
});

it('an evaluation that was stopped is not resumed by other code', async () => {
  const run = await learn({
    environment: numbers,
    method: 'bc',
    settings: short,
    folder: join(folder, 'code'),
  });
  await run.dispose();
  const out = join(folder, 'stopped.json');
  const subjectOf = async (environment: InlineEnvironment) => {
    const stop = new AbortController();
    const host = plainHost({ signal: stop.signal, listener: { game: () => stop.abort() } });
    const asked = { ckpt: run.folder, parallelEpisodes: 1, numGames: 2, out };
    const stopped = evaluatePolicy(asked, { ...host, environment: inlineEnvironment(environment) });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    return readFileSync(`${out}.part.jsonl`, 'utf8').split('\n')[0];
  };
  const subject = await subjectOf(numbers);
  expect(await subjectOf({ ...numbers, rewards: [0, 1] })).not.toBe(subject);
});

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
