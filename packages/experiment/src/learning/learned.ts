/** A finished run of `learn`: its results, and its policy to act with or to evaluate again. */
import { Random, type Frame, type History, type NumberArray } from '@emac/core';
import type { Host } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { storedEvaluation } from '../life/evaluations.ts';
import { openPlayer, type OpenedPlayer } from '../player.ts';

/** What the policy sees beside the history of texts. */
export interface SeenNow {
  /** actions accepted now; absent: unknown */
  readonly actions?: readonly string[];
  readonly frames?: readonly Frame[];
  readonly arrays?: Readonly<Record<string, NumberArray>>;
}

export interface Evaluating {
  /** held-out episodes; default 20 */
  readonly episodes?: number;
  /** 0, the default: greedy */
  readonly temperature?: number;
  /** default 0 */
  readonly seed?: number;
}

export interface Learned {
  /** the run folder, for `emac report`, `emac eval --ckpt`, `policy` of another call */
  readonly folder: string;
  /** on held-out episodes before training and after it; null if none were played */
  readonly before: EvaluationResult | null;
  readonly after: EvaluationResult | null;
  /** The action after this history, in words. A small network needs `arrays` or `frames`. Errors: those of `openAgent`. */
  act(history: History, seen?: SeenNow): Promise<string>;
  /** Plays held-out episodes again. */
  evaluate(options?: Evaluating): Promise<EvaluationResult>;
  /** Frees the policy that `act` has opened. */
  dispose(): Promise<void>;
}

/** Of a finished run. */
export function learned(folder: string, host: Host): Learned {
  let opened: Promise<OpenedPlayer> | null = null;
  const random = Random.fromSeed(0);
  return {
    folder,
    before: storedEvaluation(folder, 'before'),
    after: storedEvaluation(folder, 'after'),
    async act(history, { actions, frames = [], arrays } = {}) {
      const player = await (opened ??= openPlayer(folder, { env: null }, host));
      const admissible = actions ? [...actions].sort() : null;
      const text = history.turns.at(-1)?.observation ?? history.initial;
      const observation = { text, frames, admissible, ...(arrays && { arrays }) };
      return (await player.act({ task: { id: '', type: null }, history, observation, random })).action;
    },
    evaluate: (options = {}) => evaluated(folder, host, options),
    dispose: async () => {
      await (await opened)?.dispose();
      opened = null;
    },
  };
}

async function evaluated(
  ckpt: string,
  host: Host,
  { episodes = 20, temperature = 0, seed = 0 }: Evaluating,
): Promise<EvaluationResult> {
  const { result } = await evaluatePolicy({ ckpt, numGames: episodes, temperature, seed }, host);
  return result as EvaluationResult;
}
