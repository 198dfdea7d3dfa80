/** Playing games for evaluation: no expert, no memories. */
import type { Environment, Policy, Random, Speech, Task } from '@emac/core';
import { tellSteps, type Host, type PolicyForm } from '@emac/opening';
import {
  evaluate,
  type Elsewhere,
  type EvaluatedGame,
  type Evaluation,
  type EvaluationResult,
  type RolloutEvent,
} from '@emac/rollout';
import { playedGame, type PlayedGame } from '../logs/published-logs.ts';
import type { JournaledGame, PlayJournal } from './journal.ts';

export interface GamesEvaluation {
  readonly policy: Policy;
  readonly texts: Speech;
  readonly form: Pick<PolicyForm, 'maxSteps' | 'generation' | 'admissibleOnly'>;
  readonly environment: Environment;
  readonly trainedOn: readonly string[];
  /** named in the result */
  readonly subject: NonNullable<Evaluation['subject']>;
  /** checkpoint name in the result */
  readonly checkpoint: string;
  readonly parallel: number;
  /** sampled answers, and how many attempts at each game; default: one, by beam search */
  readonly sampled?: SampledAttempts | null;
  readonly random: Random;
  /** the environment's seed of a task; absent: the names of `random` */
  readonly seedOf?: (task: Task) => string | undefined;
  readonly host: Pick<Host, 'listener' | 'signal'>;
  /** called for every step; `number` is the game's index */
  readonly report?: (event: RolloutEvent) => void | Promise<void>;
  /** null if interrupted evaluations are not kept */
  readonly journal: PlayJournal<JournaledGame> | null;
  /** plays the games in other processes */
  readonly elsewhere?: Elsewhere | undefined;
}

export interface SampledAttempts {
  readonly temperature: number;
  readonly topP: number;
  readonly attempts: number;
}

export interface EvaluatedGames {
  readonly result: EvaluationResult;
  /** every played game, in the order of the games */
  readonly played: readonly PlayedGame[];
}

/** Plays each game once, or as often as asked. Errors: `interrupted`, those of the policy. */
export async function evaluateGames(evaluation: GamesEvaluation): Promise<EvaluatedGames> {
  const { policy, texts, form, environment, trainedOn, checkpoint, parallel, random, host, journal } =
    evaluation;
  const { attempts, ...drawn } = evaluation.sampled ?? { attempts: 1 };
  const placeOf = ({ id, attempt = 1 }: EvaluatedGame) => {
    const place = environment.tasks.findIndex((task) => task.id === id);
    return place < 0 ? place : place * attempts + attempt - 1;
  };
  const known = new Map<string, EvaluatedGame>();
  const played: PlayedGame[] = [];
  const tell = tellSteps(host.listener);
  for (const [name, line] of journal?.known ?? []) {
    const place = placeOf(line.game);
    if (place < 0) continue;
    // fields in the results' order; the journal sorts its own
    const { id, type, won, steps, seen_in_training, attempt, return: sum } = line.game;
    const counted = { id, type, won, steps, seen_in_training, ...(sum !== undefined && { return: sum }) };
    known.set(name, { ...counted, ...(attempt && { attempt }) });
    played[place] = line.played;
    host.listener?.game?.(line.game);
  }
  const result = await evaluate({
    ...(evaluation.elsewhere ? withoutPrompts(policy, texts) : { policy, texts }),
    environment,
    sampling:
      'temperature' in drawn
        ? { kind: 'sample', ...drawn }
        : { kind: 'search', beams: form.generation.beams },
    attempts,
    maxSteps: form.maxSteps,
    admissibleOnly: form.admissibleOnly,
    parallel,
    random,
    ...(evaluation.seedOf && { seedOf: evaluation.seedOf }),
    checkpoint,
    subject: evaluation.subject,
    trainedOn: new Set(trainedOn),
    known,
    report: async (event) => {
      await evaluation.report?.(event);
      tell(event);
    },
    onGame: (game, trajectory) => {
      const place = placeOf(game);
      played[place] = playedGame(trajectory, { place, taskId: game.id, won: game.won });
      journal?.add({ game, played: played[place] });
      host.listener?.game?.(game);
    },
    ...(host.signal && { signal: host.signal }),
    elsewhere: evaluation.elsewhere,
  });
  return { result, played };
}

/** Prompts played by workers are not rebuilt here: the evaluation's events do not contain them. */
function withoutPrompts(policy: Policy, texts: Speech): Pick<Evaluation, 'policy' | 'texts'> {
  const nothing = { key: '', data: new Float32Array(0) };
  return {
    policy: { encode: async () => nothing, decide: (...asked) => policy.decide(...asked) },
    texts: { ...texts, prompt: () => '' },
  };
}
