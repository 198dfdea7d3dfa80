/** Small runs of whole episodes for tests: a policy that writes, in a corridor and in tasks of one step. */
import {
  commandedEpisodes,
  parametersOf,
  questionEnvironment,
  Random,
  type ParameterSet,
  type Policy,
  type Prompt,
  type Task,
  type Trainable,
  wholeAnswers,
} from '@emac/core';
import { corridor, tokenTable, type TokenTable } from '@emac/testing';
import type { PlayedAttempt } from './attempts.ts';
import type { GrpoCheckpoint, GrpoLine, GrpoRun, Playing } from './grpo-run.ts';
import type { GrpoSettings } from './grpo-settings.ts';

/** One step of AdamW over everything for each update. */
export const plainOptimization: GrpoSettings['optimization'] = {
  passes: 1,
  minibatchSize: null,
  microBatchSize: null,
  learningRate: 0.1,
  warmup: 0,
  schedule: 'constant',
  finalShare: 1,
  clipNorm: null,
  betas: [0.9, 0.999],
  epsilon: 1e-8,
  weightDecay: 0,
};

export const settings: GrpoSettings = {
  play: { updates: 3, promptsPerUpdate: 3, groupSize: 4, temperature: 1 },
  losses: { clip: null, beta: 0, scale: 'group', normalization: 'dapo', maxLength: 2 },
  optimization: plainOptimization,
};

export type Changes = { [Group in keyof GrpoSettings]?: Partial<GrpoSettings[Group]> };

export const changed = (changes: Changes, from = settings): GrpoSettings => ({
  play: { ...from.play, ...changes.play },
  losses: { ...from.losses, ...changes.losses },
  optimization: { ...from.optimization, ...changes.optimization },
});

export const cells = 5;

export const words = ['left', 'right', 'stay'];

/** A policy of words that reads a rollout's prompt without its picture. */
export function table(
  { parameters, prompts = cells }: { parameters?: ParameterSet; prompts?: number } = {},
  said: readonly string[] = words,
): TokenTable {
  return tableOf({ prompts, words: said, maxLength: settings.losses.maxLength }, parameters);
}

/** A table, with these parameters if given; at a scale of 0 all tokens are equally likely. */
export function tableOf(
  form: Parameters<typeof tokenTable>[0],
  parameters?: ParameterSet,
  scale?: number,
): TokenTable {
  const made = tokenTable(form, Random.fromSeed(1), scale);
  if (parameters) parametersOf(made).get('table')!.data.set(parameters.get('table')!.data);
  made.commit();
  return made;
}

type Learner = Policy & Trainable;

/** The same policy for prompts with pictures. */
export function seeing(made: TokenTable): Learner {
  const read = <Asked extends { readonly prompt: Prompt }>(asked: readonly Asked[]): Asked[] =>
    asked.map((each) => ({ ...each, prompt: each.prompt.filter(({ kind }) => kind === 'text') }));
  return {
    ...made,
    decide: (questions, sampling) => made.decide(read(questions), sampling),
    score: (rows) => made.score(read(rows)),
    gradient: (rows, loss) => made.gradient(read(rows), loss),
  };
}

/** The same policy, whose prompts are texts alone. */
export const blind = (made: TokenTable): Learner => ({ ...made, encode: null });

export const copied = (policy: Pick<Trainable, 'groups'>): ParameterSet =>
  new Map([...parametersOf(policy)].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

/** Reads the newest cell's number; an answer that is no direction costs a tenth. */
const texts: Playing['texts'] = {
  prompt: ({ observation }) => cellOf(observation.text),
  target: (command) => command,
  read: ({ text }) => {
    const isWay = text === 'left' || text === 'right';
    return { action: isWay ? text : null, actionStart: 0, ...(!isWay && { penalty: -0.1 }) };
  },
};

const cellOf = (observation: string): string => /cell (\d+)/.exec(observation)![1]!;

/** Endless corridors: their seeds decide where they start. */
export const corridors = (more: Partial<Playing> = {}): Playing => ({
  tasks: { count: null, at: (number): Task => ({ id: `corridor/${number}`, type: 'corridor' }) },
  environment: commandedEpisodes({
    start: ({ id }) => ({ made: corridor({ cells, limit: 6 }), seed: Number(id.split('/')[1]) }),
    commands: ['left', 'right'],
    actionOf: (command) => [0, 1].find((action) => ['left', 'right'][action] === command) ?? null,
    label: () => ({ kind: 'unusable', reason: 'nobody knows the way' }),
  }),
  texts,
  maxSteps: 6,
  parallel: 5,
  ...more,
});

type Rewards<T> = Readonly<Record<string, (task: T, said: string) => number | Promise<number>>>;

/** Numbered tasks of one answer, with rewards by name. */
export const questions = <T>(
  tasks: readonly T[],
  rewards: Rewards<T>,
  more: Partial<Playing> = {},
): Playing => ({
  tasks: { count: tasks.length, at: (number): Task => ({ id: `${number}`, type: null }) },
  environment: questionEnvironment(({ id }) => ({ text: id, frames: [], admissible: null })),
  texts: wholeAnswers,
  maxSteps: 1,
  parallel: 1000,
  reward: {
    of: async ({ task, steps }) => {
      const [of, said] = [tasks[Number(task.id)]!, steps[0]!.answer];
      const worth = Object.entries(rewards).map(
        async ([name, reward]) => [name, await reward(of, said)] as const,
      );
      const paid = await Promise.all(worth);
      return { rewards: Object.fromEntries(paid), won: paid.some(([, reward]) => reward === 1) };
    },
  },
  ...more,
});

type Run = GrpoRun;

/** A run with all its events. */
export function recorded(made: TokenTable, playing: Playing = corridors(), more: Partial<Run> = {}) {
  const lines: GrpoLine[] = [];
  const attempts: (PlayedAttempt & { readonly update: number })[] = [];
  const stored: { readonly parameters: ParameterSet; readonly checkpoint: GrpoCheckpoint }[] = [];
  const policy = seeing(made);
  const run: Run = {
    settings,
    attempts: playing,
    policy,
    reference: null,
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    learned: ({ update, attempts: some }) => void attempts.push(...some.map((each) => ({ ...each, update }))),
    checkpoint: ({ state, optimizer, ...rest }) =>
      void stored.push({
        parameters: copied(policy),
        checkpoint: {
          state: JSON.parse(JSON.stringify(state)) as GrpoCheckpoint['state'],
          optimizer: structuredClone(optimizer),
          ...structuredClone(rest),
        },
      }),
    ...more,
  };
  return { run, lines, attempts, stored };
}
