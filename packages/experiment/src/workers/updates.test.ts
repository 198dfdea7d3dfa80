/** Reinforcement learning on workers has the bytes of one process with the same groups. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { encodePng } from '@emac/images';
import { plainHost } from '@emac/opening';
import type { GivenGrpoConfig, GivenPpoConfig, GivenSettings, LewisRole } from '@emac/settings';
import { alsoLong, isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPhases } from '../training/train.ts';
import { language, robot } from './small-updates.test.support.ts';
import { localWorkers, watched } from './workers.test.support.ts';

const folder = temporaryFolder();
let runs = 0;

/** A run's content, and the number of its workers' jobs: none, or with so many workers. */
async function over(
  count: number,
  train: (out: string, host: ReturnType<typeof plainHost>) => Promise<{ readonly folder: string }>,
) {
  const out = join(folder, `run-${++runs}`);
  const workers = count === 0 ? undefined : localWorkers(out, count);
  const { folder: run } = await train(join(out, 'runs'), { ...plainHost(), workers });
  const done = ((await workers?.stop()) ?? []).map(({ counted }) => counted);
  return { run, content: contentOf(run), done, jobs: done.reduce((sum, each) => sum + each, 0) };
}

const network: GivenPpoConfig = {
  env: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  play: { environmentSteps: 96, environments: 4, stepsPerUpdate: 8, together: 1, maxSteps: 6 },
  evaluation: { episodes: 2 },
  checkpointEvery: 1,
};

/** Each answer scores the actions; reading it draws one. */
const scoring: GivenPpoConfig = {
  ...language,
  env: 'MiniGrid-Empty-5x5-v0',
  value: { hiddenWidths: [4] },
  speech: { maxLength: 8, maxPromptTokens: 600, actionScores: true },
};

describe('PPO', () => {
  const trained = (given: GivenPpoConfig) => (out: string, host: ReturnType<typeof plainHost>) =>
    trainPpo({ ...given, out }, host);

  it.each([
    // 3 updates of 4 environments, and 2 episodes before and after
    ['a perceptron, environment by environment', network, 16],
    ...alsoLong([
      [
        'a network of pictures, two environments at a time',
        { ...network, policy: 'cnn', play: { ...network.play, together: 2 } },
        10,
      ],
    ] as const),
    // sampled answers sometimes reach the goal, so scores identify the policy
    [
      'a perceptron that plays two environments, which evaluations play in turn',
      {
        ...network,
        play: { ...network.play, maxSteps: 60 },
        curriculum: { tasks: 'MiniGrid-Empty-5x5-v0,MiniGrid-Empty-Random-6x6-v0' },
        evaluation: { episodes: 6, temperature: 1 },
      },
      24,
    ],
    ...alsoLong([['a language model with values of an adapter of their own', language, 4]] as const),
    ['a language model that scores actions', scoring, 4],
    ['a model that moves a robot', robot, 4],
  ] as const)(
    'of %s has the same metrics and checkpoints with no, one and four workers',
    async (_name, given, jobs) => {
      const alone = await over(0, trained(given as GivenPpoConfig));
      expect([...alone.content.keys()]).toContain('metrics.jsonl');
      for (const count of [2, ...alsoLong([1, 4])]) {
        const many = await over(count, trained(given as GivenPpoConfig));
        expect(many.content).toEqual(alone.content);
        expect(many.jobs).toBe(jobs);
        if (count > 1) expect(Math.max(...many.done)).toBeLessThan(jobs);
      }
    },
  );
});

const answering = {
  policy: 'lewis-tiny',
  play: { updates: 2, promptsPerUpdate: 3, groupSize: 3, together: 1 },
  losses: { maxLength: 12, beta: 0.1 },
  rewards: { accuracy: 'soft_always' },
  trained: { rank: 2 },
  evaluation: { episodes: 2 },
  checkpointEvery: 1,
} as const satisfies Partial<GivenGrpoConfig>;

describe('an evaluation in an environment', () => {
  it.each([
    ['of a run', network],
    [
      'of a model whose pictures are blank',
      { ...language, env: 'MiniGrid-Empty-5x5-v0', play: { ...language.play, maxSteps: 3 } },
    ],
  ] as const)('%s has the same result with no, one and four workers', async (_name, given) => {
    const speech = { observe: given.policy === 'mlp' ? 'both' : 'text' } as const;
    const trained = await over(0, (out, host) => trainPpo({ ...(given as GivenPpoConfig), out }, host));
    const asked = { env: given.env, ckpt: trained.run, numGames: 5, temperature: 1, seed: 3, speech };
    const evaluated = async (count: number) => {
      const out = join(folder, `evaluated-${++runs}`);
      const workers = count === 0 ? undefined : localWorkers(out, count);
      await evaluatedSteps({ ...asked, out: join(out, 'eval') }, { ...plainHost(), workers });
      const jobs = ((await workers?.stop()) ?? []).reduce((sum, { counted }) => sum + counted, 0);
      return { jobs, file: readFileSync(join(out, 'eval', 'eval.json'), 'utf8') };
    };
    const { file } = await evaluated(0);
    for (const count of [2, ...alsoLong([1, 4])])
      expect(await evaluated(count)).toEqual({ file, jobs: asked.numGames });
  });

  it('takes no result of a checkpoint that differs in parts the evaluation keeps frozen', async () => {
    const place = join(folder, 'projections');
    mkdirSync(place);
    const image = { width: 3, height: 2, data: Uint8Array.from({ length: 18 }, (_, at) => 10 * at) };
    writeFileSync(join(place, 'one.png'), await encodePng(image));
    const data = join(place, 'train.json');
    const record = { image: 'one.png', text_input: 'You see.', text_output: 'look' };
    writeFileSync(data, JSON.stringify([record]));
    // trains only the projection; an evaluation adds a new adapter and critic, the same for both
    const trained = async (learningRate: number): Promise<string> => {
      const settings: GivenSettings = {
        policy: 'rl-tiny',
        trained: { parts: 'projection' },
        dataset: { data, epochs: 1 },
        optimization: { learningRate },
        evaluation: { episodes: 0 },
        out: join(place, `runs-${learningRate}`),
      };
      const [run] = await trainPhases(settings, ['bc'], plainHost());
      return run!.folder;
    };
    const checkpoints = [await trained(0.001), await trained(0.002)];
    const workers = localWorkers(place, 1);
    // like an evaluation interrupted before its results were dropped
    const queue = watched(workers, { forget: async () => {} });
    for (const ckpt of checkpoints) {
      const asked = { env: 'gym_cards/NumberLine-v0', ckpt, numGames: 1 };
      await evaluatedSteps(asked, { ...plainHost(), workers: { ...workers, queue } });
    }
    expect((await workers.stop()).map(({ counted }) => counted)).toEqual([2]);
  });

  it('is refused with a watcher', async () => {
    const workers = localWorkers(join(folder, 'watched'), 0);
    const asked = {
      env: network.env,
      ckpt: 'untouched',
      model: { path: 'mlp' },
      numGames: 1,
    };
    const watch = { begun: () => {}, stepped: () => {}, ended: () => {} };
    const out = join(folder, 'watched-evaluation');
    await expect(
      evaluatedSteps({ ...asked, out }, { ...plainHost(), workers }, { begin: () => watch }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('workers show no steps') as string,
    });
  });
});

describe('GRPO', () => {
  // a speaker that is answered ahead is tried in the tests of staleness
  it.each(alsoLong(['listener', 'speaker'] as const))(
    'of a %s has the same metrics and checkpoints with no, one and four workers',
    async (role: LewisRole) => {
      const trained = (out: string, host: ReturnType<typeof plainHost>) =>
        trainGrpo({ ...answering, role, out }, host);
      const alone = await over(0, trained);
      for (const count of [2, ...alsoLong([1, 4])]) {
        const many = await over(count, trained);
        expect(many.content).toEqual(alone.content);
        // 2 updates of 3 prompts
        expect(many.jobs).toBe(6);
      }
    },
  );

  it('refuses a prompt that is too long before requesting workers', async () => {
    const speech = { maxPromptTokens: 16 };
    const long = {
      ...answering,
      role: 'speaker',
      speech,
      policy: 'rl-tiny',
      evaluation: { episodes: 0 },
    } as const;
    const workers = localWorkers(join(folder, 'long'), 0);
    const out = join(folder, 'long-runs');
    await expect(trainGrpo({ ...long, out }, { ...plainHost(), workers })).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('--max-prompt-tokens') as string,
    });
    expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 0 });
  });
});

describe('results that are not in the shared folder any more', () => {
  const gone = (): never => {
    throw new EmacError('missing', 'a file: does not exist');
  };
  const optimization = { ...language.optimization, gradientShards: 2 };

  it.each([
    ...alsoLong([['PPO', (out, host) => trainPpo({ ...language, optimization, out }, host)]] satisfies [
      string,
      Parameters<typeof over>[1],
    ][]),
    [
      'GRPO',
      (out, host) =>
        trainGrpo({ ...answering, role: 'speaker', optimization: { gradientShards: 2 }, out }, host),
    ],
  ] satisfies [string, Parameters<typeof over>[1]][])(
    'end %s with the name under which they are forgotten',
    async (name, train) => {
      const out = join(folder, `gone-${name}`);
      const workers = localWorkers(out, 1);
      const emptied = { ...workers, folder: { ...workers.folder, get: gone, file: gone } };
      const failed = train(join(out, 'runs'), { ...plainHost(), workers: emptied });
      const run = /\d{4}-\d\d-\d\dT\d{4}-\w+-s0-\w{4}/;
      await expect(failed).rejects.toMatchObject({
        code: 'missing',
        message: expect.stringMatching(
          new RegExp(`is missing .*--forget ${run.source} and start again`),
        ) as string,
      });
      await workers.stop();
    },
  );
});

describe('a run of PPO over workers', () => {
  it.runIf(isLong)('starts from a run that only the trainer sees', async () => {
    const first = await over(0, (out, host) => trainPpo({ ...language, out }, host));
    const given = { ...language, init: first.run, trained: { parts: 'lora' } } as const;
    const trained = (out: string, host: ReturnType<typeof plainHost>) => trainPpo({ ...given, out }, host);
    const alone = await over(0, trained);
    expect((await over(2, trained)).content).toEqual(alone.content);
  });

  it('resumes after a stop while waiting, with or without workers, and finds played results', async () => {
    const given = { ...network, evaluation: { episodes: 0 } };
    const alone = await over(0, (out, host) => trainPpo({ ...given, out }, host));
    for (const count of [0, 2]) {
      const out = join(folder, `stopped-${count}`);
      const workers = localWorkers(join(out, 'first'), 0);
      const stop = new AbortController();
      const host = plainHost({ signal: stop.signal });
      const failed = trainPpo({ ...given, out: join(out, 'runs') }, { ...host, workers }).catch(
        (thrown: unknown) => thrown,
      );
      // the first update's jobs are in the queue, without workers
      while ((await workers.queue.counts()).waiting < 4) await new Promise(setImmediate);
      stop.abort();
      const { run } = (await failed) as { readonly run: { readonly folder: string } };
      expect(await failed).toMatchObject({ code: 'interrupted' });
      const others = count === 0 ? undefined : localWorkers(join(out, 'second'), count);
      await resume(run.folder, { ...plainHost(), workers: others });
      expect(contentOf(run.folder)).toEqual(alone.content);
      await others?.stop();
    }
  });

  it.each([
    [{ ...robot, curriculum: { formula: 'half' } }, '--curriculum half'],
    [{ ...robot, inference: { url: 'http://127.0.0.1:9', adapters: '/nowhere' } }, '--inference'],
  ] as const)(
    'is refused in a sentence for settings that workers do not support: %#',
    async (given, word) => {
      const workers = localWorkers(join(folder, 'refused'), 0);
      const asked = trainPpo({ ...given, out: join(folder, 'refused') }, { ...plainHost(), workers });
      await expect(asked).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(new RegExp(`--queue.*${word}`)) as string,
      });
    },
  );
});
