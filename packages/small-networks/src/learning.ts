/** The gradient of policy and value loss in a small network: one run of one graph, built once per form of the losses. */
import {
  EmacError,
  type ActorCriticGradient,
  type ActorCriticLosses,
  type ActorCriticRow,
  type AnswerLoss,
  type Completion,
  type ParameterSet,
} from '@emac/core';
import {
  createSession,
  type Feeds,
  type Graph,
  type Session,
  type SessionOptions,
  type Value,
} from '@emac/graph';
import { traceLoss } from '@emac/losses';
import type { Architecture } from './architecture.ts';
import { coldness } from './choice.ts';
import { fedParameters, inputFeeds } from './feeds.ts';
import { answersOf, inputNames, learningGraph, type NetworkShape } from './network-graphs.ts';

export interface LearnerParts {
  readonly shape: NetworkShape;
  readonly architecture: Architecture;
  readonly actions: readonly string[];
  readonly parameters: Readonly<Record<'policy' | 'value', ParameterSet>>;
  readonly sessionOptions: SessionOptions;
}

export interface Learner {
  /** Errors: `internal` if a row lacks a constant that a loss reads, `data` for an answer that is not an action. */
  gradient(rows: readonly ActorCriticRow[], losses: ActorCriticLosses): Promise<ActorCriticGradient>;
  dispose(): Promise<void>;
}

export function learner(parts: LearnerParts): Learner {
  const { shape, architecture, parameters, sessionOptions } = parts;
  const learnings = new Map<string, Promise<Learning>>();
  const fed = fedParameters(parameters);
  const learningOf = (losses: ActorCriticLosses): Promise<Learning> => {
    const key = formOf(losses);
    const found = learnings.get(key) ?? openLearning(learningGraph(shape, losses), { fed, sessionOptions });
    learnings.set(key, found);
    return found;
  };
  return {
    gradient: async (rows, losses) => {
      const { session, feeds } = await learningOf(losses);
      const learns = losses.policy ? (['policy', 'value'] as const) : (['value'] as const);
      const names = learns.flatMap((part) => [...parameters[part].keys()]);
      const results = await session.run({ ...feeds, ...rowFeeds(parts, { rows, losses, architecture }) });
      return gradientOf(results, { rows, losses, names });
    },
    dispose: async () => {
      for (const learning of learnings.values()) await (await learning).session.dispose();
    },
  };
}

interface Learning {
  readonly session: Session;
  /** the live parameters read by its graph */
  readonly feeds: Feeds;
}

async function openLearning(
  graph: Graph,
  { fed, sessionOptions }: { readonly fed: Feeds; readonly sessionOptions: SessionOptions },
): Promise<Learning> {
  const feeds = Object.fromEntries(
    Object.entries(fed).filter(([name]) => graph.inputs.some((input) => input.name === name)),
  );
  return { session: await createSession(graph, sessionOptions), feeds };
}

/** Losses of one form share a graph; the answers' number and pooling also affect what the graph reads. */
function formOf({ policy, value }: ActorCriticLosses): string {
  const answers = policy?.over === 'answers' ? JSON.stringify([policy.pooling, policy.answers]) : '';
  return [policy && traceLoss(policy).form, answers, traceLoss(value).form].join('\n');
}

interface Asked {
  readonly rows: readonly ActorCriticRow[];
  readonly losses: ActorCriticLosses;
  readonly architecture: Architecture;
}

function rowFeeds({ actions }: LearnerParts, { rows, losses, architecture }: Asked): Feeds {
  const { policy, value } = losses;
  const prompts = rows.map(({ prompt }) => prompt);
  const inputs = inputFeeds(architecture, prompts, (row) => coldness(rows[row]!.temperature ?? 1));
  const common: Feeds = {
    ...numberFeeds('value', traceLoss(value).constants),
    value_weights: column(rows, ({ valueWeight }) => valueWeight),
  };
  const valueNames = traceLoss(value).names;
  if (!policy) {
    const { coldness: _, ...x } = inputs;
    return { ...x, ...common, ...constantFeeds(rows, valueNames) };
  }
  const answers = answersOf(policy);
  checkAnswers(answers, rows);
  const trace = traceLoss(policy);
  const said = Array.from({ length: answers }, (_, place): [string, Value] => [
    inputNames.label(place),
    labels(rows.map((row) => actionOf(row.answers[place]!, actions))),
  ]);
  return {
    ...inputs,
    ...common,
    ...numberFeeds('policy', trace.constants),
    ...constantFeeds(rows, [...valueNames, ...trace.names, ...factorNames(policy)]),
    ...Object.fromEntries(said),
    policy_weights: column(rows, ({ weight }) => weight),
  };
}

function factorNames(policy: NonNullable<ActorCriticLosses['policy']>): readonly string[] {
  const { pooling } = policy as Partial<AnswerLoss>;
  return typeof pooling === 'object' ? [pooling.factors] : [];
}

function numberFeeds(of: 'policy' | 'value', numbers: readonly number[]): Feeds {
  return Object.fromEntries(
    numbers.map((number, place): [string, Value] => [
      inputNames.number(of, place),
      { type: 'float32', shape: [], data: Float32Array.of(number) },
    ]),
  );
}

function constantFeeds(rows: readonly ActorCriticRow[], names: readonly string[]): Feeds {
  return Object.fromEntries(
    [...new Set(names)].map((name) => [
      inputNames.constant(name),
      column(rows, (row, place) => constantOf(row, place, name)),
    ]),
  );
}

function constantOf({ constants = {} }: ActorCriticRow, place: number, name: string): number {
  const given = Object.hasOwn(constants, name) ? constants[name]! : null;
  const number = given === null || typeof given === 'number' ? given : given.length === 1 ? given[0]! : null;
  if (number !== null) return number;
  const found = given === null ? Object.keys(constants).join(', ') || 'no constants' : 'a longer list';
  throw new EmacError(
    'internal',
    `gradient: the losses read ${name} of every row, one number for its one token, row ${place} gives ${found}`,
  );
}

function labels(actions: readonly number[]): Value {
  return { type: 'int64', shape: [actions.length], data: BigInt64Array.from(actions, BigInt) };
}

function checkAnswers(wanted: number, rows: readonly ActorCriticRow[]): void {
  const wrong = rows.findIndex(({ answers }) => answers.length !== wanted);
  if (wrong < 0) return;
  throw new EmacError(
    'internal',
    `gradient: the loss reads answers of a row: ${wanted}, row ${wrong} has ${rows[wrong]?.answers.length}`,
  );
}

/** The index of an action. Errors: `data` for an unknown one. */
export function actionOf(answer: Completion, actions: readonly string[]): number {
  const action = typeof answer === 'string' ? actions.indexOf(answer) : answer.length === 1 ? answer[0]! : -1;
  if (Number.isInteger(action) && action >= 0 && action < actions.length) return action;
  throw new EmacError(
    'data',
    `small network: an answer must be one of ${actions.length} actions, got ${JSON.stringify(answer)}`,
  );
}

function column(
  rows: readonly ActorCriticRow[],
  number: (row: ActorCriticRow, place: number) => number,
): Value {
  return { type: 'float32', shape: [rows.length], data: Float32Array.from(rows, number) };
}

interface Learned {
  readonly rows: readonly ActorCriticRow[];
  readonly losses: ActorCriticLosses;
  readonly names: readonly string[];
}

function gradientOf(
  results: Readonly<Record<string, Value>>,
  { rows, losses, names }: Learned,
): ActorCriticGradient {
  const floats = (name: string) => results[name]!.data as Float32Array;
  const read = Array.from({ length: losses.policy ? answersOf(losses.policy) : 0 }, (_, answer) =>
    floats(inputNames.read(answer)),
  );
  return {
    policyLoss: losses.policy ? floats('policy_loss')[0]! : 0,
    valueLoss: floats('value_loss')[0]!,
    gradients: new Map(names.map((name) => [name, floats(inputNames.gradient(name))])),
    logProbabilities: rows.map((_, row) => read.map((each) => each[row]!)),
    values: floats('values'),
  };
}
