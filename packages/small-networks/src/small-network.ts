/**
 * An actor-critic small enough to train in seconds: a categorical policy over a list of actions, and a value function, with two
 * separate trunks of the same layers. It reads arrays of a prompt. An answer is the name of an action and, as its one token, its
 * index. One run of the graph answers all questions, one gives all gradients of a minibatch.
 */
import {
  EmacError,
  type Acted,
  type ActorCritic,
  type ParameterSet,
  type Prompt,
  type Question,
  type Random,
  type Sampling,
  type ScoredRow,
  type Scorer,
} from '@emac/core';
import { createSession, type Feeds, type Session, type SessionOptions } from '@emac/graph';
import type { Architecture } from './architecture.ts';
import { answerOf, coldness as coldnessAt, coldnessOf, entropyOf } from './choice.ts';
import { fedParameters, inputFeeds } from './feeds.ts';
import { actionOf, learner } from './learning.ts';
import { actingGraph } from './network-graphs.ts';
import { startOf } from './parameters.ts';

export interface SmallNetworkOptions {
  readonly architecture: Architecture;
  /** their names, in the order of their ids */
  readonly actions: readonly string[];
  /** a generator for random initialization, if the architecture has one; or parameters by name, copied */
  readonly start: Random | ParameterSet;
}

/** An answer has one token, the action. */
export interface SmallNetwork extends ActorCritic, Scorer {
  /** Closes its sessions. */
  dispose(): Promise<void>;
}

/**
 * Opens its own sessions, by default in this thread and with one thread each: a run takes less time than crossing to another.
 * Errors: `usage` for invalid sizes, `data` for parameters of another network; those of `createSession`.
 */
export async function createSmallNetwork(
  options: SmallNetworkOptions,
  sessionOptions: SessionOptions = { thread: 'main', threads: 1 },
): Promise<SmallNetwork> {
  const { architecture, actions, start } = options;
  const shape = { input: architecture.input, network: architecture.network(actions.length) };
  const parameters = startOf(shape.network.parameters, start);
  const acting = await createSession(actingGraph(shape), sessionOptions);
  const learning = learner({ shape, architecture, actions, parameters, sessionOptions });
  const network = { acting, architecture, parameters: fedParameters(parameters) };
  const act = async (questions: readonly Question[], sampling: Sampling): Promise<Acted> => {
    const coldness = coldnessOf(sampling);
    const prompts = questions.map(({ prompt }) => prompt);
    const { logProbabilities, values } = await forward(network, prompts, () => coldness);
    const answers = questions.map((question, row) =>
      answerOf(actions, logProbabilities.subarray(row * actions.length, (row + 1) * actions.length), {
        question,
        sampling,
      }),
    );
    return { answers, values };
  };
  const scored = async (rows: readonly ScoredRow[]) => {
    const prompts = rows.map(({ prompt }) => prompt);
    const cold = (row: number) => coldnessAt(rows[row]!.temperature ?? 1);
    const { logProbabilities } = await forward(network, prompts, cold);
    return rows.map(({ answers }, row) => {
      const all = logProbabilities.subarray(row * actions.length, (row + 1) * actions.length);
      const entropies = Float32Array.of(entropyOf(all));
      return answers.map((answer) => {
        return { logProbabilities: Float32Array.of(all[actionOf(answer, actions)]!), entropies };
      });
    });
  };
  return {
    groups: {
      policy: [{ name: 'policy', parameters: parameters.policy, learningRateScale: 1 }],
      value: [{ name: 'value', parameters: parameters.value, learningRateScale: 1 }],
    },
    encode: () =>
      Promise.reject(
        new EmacError('usage', 'small network: reads arrays, no encoded pictures; put pixels into an array'),
      ),
    decide: async (questions, sampling) => (await act(questions, sampling)).answers,
    // it reads no text
    countPromptTokens: () => 0,
    act,
    values: async (prompts) => (await forward(network, prompts, () => 1)).values,
    score: async (rows) =>
      (await scored(rows)).map((answers) => answers.map(({ logProbabilities }) => logProbabilities)),
    scoreWithEntropy: scored,
    gradient: (rows, losses) => learning.gradient(rows, losses),
    // runs are fed the live arrays
    commit: () => undefined,
    dispose: async () => {
      await learning.dispose();
      await acting.dispose();
    },
  };
}

interface Network {
  readonly acting: Session;
  readonly architecture: Architecture;
  readonly parameters: Feeds;
}

async function forward(
  { acting, architecture, parameters }: Network,
  prompts: readonly Prompt[],
  coldness: (row: number) => number,
): Promise<{ logProbabilities: Float32Array; values: Float32Array }> {
  if (prompts.length === 0) return { logProbabilities: new Float32Array(0), values: new Float32Array(0) };
  const results = await acting.run({ ...parameters, ...inputFeeds(architecture, prompts, coldness) });
  return {
    logProbabilities: results['log_probabilities']!.data as Float32Array,
    values: results['values']!.data as Float32Array,
  };
}
