/**
 * The texts of `logging_results`, byte for byte as in the code of EMMA and EMAC+ (dagger_server.py), so existing
 * scripts can read ours. `Task` and `env_i` are a game's index in the run's list, rounds count from 0. Departures:
 * `path_length` counts the commands given, without the published extra one. Transcripts have no few-shot examples.
 */
import type { MicroStep } from '@emac/algorithms';
import { parametersOf, type Trainable, type Trajectory } from '@emac/core';
import { cleanObservation } from '@emac/postprocess';
import { labelled } from '@emac/rollout';
import { skippedTrialRecord, trialRecord } from '@emac/reflexion';

export interface PlayedStep {
  /** the student's command; null if not asked */
  readonly own: string | null;
  /** the expert's; null without one */
  readonly label: string | null;
  readonly command: string;
  readonly observation: string;
}

export interface PlayedGame {
  /** in the run's list */
  readonly place: number;
  readonly taskId: string;
  /** the first observation */
  readonly observation: string;
  readonly steps: readonly PlayedStep[];
  readonly won: boolean;
}

/** A trajectory for the logs; without an expert there are no labels. */
export function playedGame(
  { first, steps }: Trajectory,
  { place, taskId, won }: Pick<PlayedGame, 'place' | 'taskId' | 'won'>,
): PlayedGame {
  return {
    place,
    taskId,
    observation: first.text,
    won,
    steps: steps.map(({ own, label, action, result }) => ({
      own,
      label: label === null ? '' : labelled(label),
      command: action,
      observation: result.observation.text,
    })),
  };
}

/** A game's entry in `env_results_trial_N.json` after a round. */
export interface GameResult {
  /** lessons from failed attempts, oldest first */
  readonly memory: readonly string[];
  /** solved in this or an earlier round */
  readonly is_success: boolean;
  /** game id */
  readonly type: string;
  /** commands of the attempt that solved it; 0 without one */
  readonly path_length: number;
}

export interface RoundCounts {
  readonly round: number;
  readonly success: number;
  /** solved in this round for the first time */
  readonly additional: number;
  readonly total: number;
  readonly seconds: number;
}

const logger = 'INFO:dagger_server_running:';

/** How a running log begins. */
export function runningLogStart(policy: Pick<Trainable, 'groups'>): string {
  const trainableParameters = [...parametersOf(policy).values()].reduce(
    (sum, { data }) => sum + data.length,
    0,
  );
  return `${logger}*****Dagger Procedure Start Running*****\n${logger}number of trainable parameters: ${trainableParameters}\n`;
}

/** The observation before a step, and the answers to it. For an expert without an answer the student's is written. */
function stepText({ place, index }: { place: number; index: number }, said: SaidAtStep): string {
  const { seen, own, label } = said;
  const actions = `VLM Action: ${own}, LLM Action: ${label ?? own}`;
  return `${logger}Task: [${place}], Iter: [${index}], Obs: ${cleanObservation(seen)}, ${actions}\n`;
}

interface SaidAtStep extends Pick<PlayedStep, 'own' | 'label'> {
  /** the observation before the step */
  readonly seen: string;
}

/** The steps of a whole game. */
export function stepTexts({ place, observation, steps }: PlayedGame): string {
  const seen = [observation, ...steps.map((step) => step.observation)];
  return steps.map((step, index) => stepText({ place, index }, { ...step, seen: seen[index]! })).join('');
}

/** Stands before the updates after an episode. */
export const trainingStart = `${logger}*************Start Training*************\n`;

/** A micro-step; `iteration` is its number in the round. */
export function microStepText(
  { lr, measures }: MicroStep,
  { round, iteration }: { readonly round: number; readonly iteration: number },
): string {
  // an overflow has no loss: `nan`, as Python prints one
  const fixed = (value: number | null | undefined, digits: number) =>
    Number.isFinite(value) ? value!.toFixed(digits) : 'nan';
  const { loss, w_reward, l_reward, nll } = measures;
  const fields = [
    `Epoch: [${round}], Iter: [${iteration}], Lr: [${fixed(lr, 6)}], Loss: [${fixed(loss, 4)}]`,
  ];
  if (w_reward !== undefined)
    fields.push(
      `W_reward: [${fixed(w_reward, 4)}], L_reward: [${fixed(l_reward, 4)}], NLL: [${fixed(nll, 4)}]`,
    );
  return `${logger}${fields.join(', ')}\n`;
}

/** The micro-steps' lines in a log, by `round iteration`. A line cut short is none. */
export function microStepTexts(log: string): ReadonlyMap<string, string> {
  const lines = log.matchAll(
    /^INFO:dagger_server_running:Epoch: \[(\d+)\], Iter: \[(\d+)\], Lr: \[[^\]\n]+\](, \w+: \[[^\]\n]+\])+\n/gm,
  );
  return new Map([...lines].map(([line, round, iteration]) => [`${round} ${iteration}`, line]));
}

/** A round of `world.log`. */
export function worldText({ round, success, additional, total, seconds }: RoundCounts): string {
  return [
    '\n-----',
    `ROUND: ${round}`,
    `SUCCESS: ${success}`,
    `ADDITIONAL SUCCESS: ${additional}`,
    `FAIL: ${total - success}`,
    `TOTAL: ${total}`,
    `ACCURACY: ${pythonFloat(total === 0 ? 0 : Number((success / total).toFixed(2)))}`,
    `TIME: ${seconds.toFixed(2)} s`,
    '-----\n\n',
  ].join('\n');
}

/** `env_results_trial_N.json`, as Python's json module indents and escapes it. */
export function resultsText(results: readonly GameResult[]): string {
  const entries = results.map(({ memory, is_success, type, path_length }, place) => [
    `env_${place}`,
    { memory, is_success, type, path_length },
  ]);
  const text = JSON.stringify(Object.fromEntries(entries), null, 4);
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `trial_N.log` of a list of games: games not played were solved earlier. */
export function trialText(
  games: readonly string[],
  played: ReadonlyMap<number, PlayedGame>,
  before: readonly GameResult[],
): string {
  const records = games.map((_, index) => {
    const game = played.get(index);
    if (!game) return skippedTrialRecord(index);
    const { observation: initial, steps: turns, won: success } = game;
    const memories = before[index]?.memory ?? [];
    return trialRecord({ index, success, history: { initial, turns }, memories });
  });
  return records.join('');
}

/** The initial results, before the first round. */
export function firstResults(
  games: readonly string[],
  memories: ReadonlyMap<string, readonly string[]>,
): GameResult[] {
  return games.map((type) => ({ memory: memories.get(type) ?? [], is_success: false, type, path_length: 0 }));
}

/** The results after a round, from those before it, its games and the lessons from its failures. */
export function nextResults(
  before: readonly GameResult[],
  played: ReadonlyMap<number, PlayedGame>,
  lessons: ReadonlyMap<string, readonly string[]>,
): GameResult[] {
  return before.map((result, place) => {
    const game = played.get(place);
    const memory = [...result.memory, ...(lessons.get(result.type) ?? [])];
    if (result.is_success || !game?.won) return { ...result, memory };
    return { ...result, memory, is_success: true, path_length: game.steps.length };
  });
}

function pythonFloat(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
