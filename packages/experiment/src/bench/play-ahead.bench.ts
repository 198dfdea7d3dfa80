/**
 * The waiting time left when workers play ahead (`--max-staleness`): PPO updates with simulated playing and learning
 * times, drawn from half to one and a half of their mean. Play of update u begins when that of u − 1 is over and the
 * policy has made u − K updates; learning begins when both are ready. Build, then run `node
 * packages/experiment/dist/bench/play-ahead.bench.js --play-ms 300 --learn-ms 200`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ppo, ppoPreset, type StepsElsewhere } from '@emac/algorithms';
import { Random, vectorOf, type ActorCritic } from '@emac/core';
import { openEnvironment } from '@emac/opening';
import { arrayTexts, sayingSteps } from '@emac/rollout';

interface Times {
  /** milliseconds of each update */
  readonly play: readonly number[];
  readonly learn: readonly number[];
}

/** When the last update is over. */
function predictedMs({ play, learn }: Times, limit: number): number {
  const [played, learned]: [number[], number[]] = [[], []];
  play.forEach((ms, update) => {
    played.push(Math.max(played[update - 1] ?? 0, learned[update - 1 - limit] ?? 0) + ms);
    learned.push(Math.max(learned[update - 1] ?? 0, played[update]!) + learn[update]!);
  });
  return learned.at(-1)!;
}

const environment = () => openEnvironment('gym_cards/NumberLine-v0', { palette: null, maxSteps: null });
const zeros = (count: number) => new Float32Array(count);

/** Always takes the first action; a gradient takes a given time. */
function waiting(gradient: ActorCritic['gradient']): ActorCritic {
  const answer = { text: '', tokens: [0], logProbabilities: [-1], entropies: [0] };
  const parameters = new Map([['one', { shape: [1], data: zeros(1) }]]);
  const nothing = () => Promise.reject(new Error('the policy is not asked'));
  return {
    groups: { policy: [{ name: 'one', parameters, learningRateScale: 1 }], value: [] },
    act: async (questions) => ({ answers: questions.map(() => answer), values: zeros(questions.length) }),
    values: async (prompts) => zeros(prompts.length),
    gradient,
    commit: () => {},
    encode: nothing,
    decide: nothing,
    countPromptTokens: () => 0,
  };
}

async function measuredMs({ play, learn }: Times, limit: number): Promise<number> {
  let update = 0;
  const policy = waiting(async (rows) => {
    await pause(learn[update++]!);
    const logProbabilities = rows.map(() => [-1]);
    const gradients = new Map([['one', zeros(1)]]);
    return { policyLoss: 0, valueLoss: 0, gradients, logProbabilities, values: zeros(rows.length) };
  });
  const elsewhere: StepsElsewhere = {
    digest: () => 'not compared',
    play: async ({ update: which, steps, groups }, { put }) => {
      put();
      await pause(play[which]!);
      return Promise.all(
        groups.map(({ state, randoms }) => {
          const vector = vectorOf([environment()], { seedOf: () => 2 });
          vector.restore(state);
          const running = [{ return: 0, steps: 0 }];
          const sampling = { kind: 'sample', temperature: 1, topP: 1 } as const;
          const draws = randoms.map((path) => Random.fromSeed(path));
          const asked = {
            actor: policy,
            vector,
            texts: arrayTexts,
            sampling,
            steps,
            randoms: draws,
            running,
          };
          return sayingSteps(asked, () => 'not compared');
        }),
      );
    },
  };
  const { settings } = ppoPreset('tiny');
  const start = performance.now();
  await ppo({
    settings: {
      ...settings,
      play: { environmentSteps: 4 * play.length, stepsPerUpdate: 4, temperature: 1 },
      optimization: { ...settings.optimization, passes: 1, minibatchSize: 4, maxStaleness: limit },
    },
    actorCritic: policy,
    environments: [environment()],
    texts: arrayTexts,
    random: Random.fromSeed(0),
    metrics: () => {},
    elsewhere,
  });
  return performance.now() - start;
}

const option = (otherwise: string) => ({ type: 'string' as const, default: otherwise });
const { values } = parseArgs({
  options: { 'play-ms': option('300'), 'learn-ms': option('200'), updates: option('40') },
});
const drawn = (name: string, mean: number): number[] => {
  const random = Random.fromSeed(name);
  return Array.from({ length: Number(values.updates) }, () => mean * (0.5 + random.uniform()));
};
const times: Times = {
  play: drawn('play', Number(values['play-ms'])),
  learn: drawn('learn', Number(values['learn-ms'])),
};
for (const limit of [0, 1, 2, 4]) {
  const [predicted, measured] = [predictedMs(times, limit), await measuredMs(times, limit)];
  const each = (ms: number): string => `${(ms / times.play.length).toFixed(1)} ms`;
  console.log(`--max-staleness ${limit}: an update predicted ${each(predicted)}, measured ${each(measured)}`);
}
