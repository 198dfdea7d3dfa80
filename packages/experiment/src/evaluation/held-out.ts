/** Playing games for evaluation: no expert, no memories. */
import { EmacError, type Episode, type Student } from '@emac/core';
import { evaluate, type EvaluatedGame, type EvaluationResult, type EvaluationStep } from '@emac/trainer';
import type { Game } from '@emac/world';
import type { PlayedGame, PlayedStep } from './published-logs.ts';
import { policyTexts } from './policy-texts.ts';
import type { Policy } from './policy.ts';
import { gamesWorld } from './games-world.ts';
import type { Progress } from './progress.ts';

export interface HeldOut {
  readonly student: Student;
  readonly policy: Pick<Policy, 'text' | 'maxSteps'>;
  readonly games: readonly Game[];
  readonly trainedOn: readonly string[];
  /** what is evaluated, as the result names it */
  readonly checkpoint: string;
  readonly admissibleOnly: boolean;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** sees every game when it is over */
  readonly onPlayed?: (game: PlayedGame) => void;
}

/** One attempt at each game with the student. Errors: `interrupted`. */
export function evaluateGames(heldOut: HeldOut): Promise<EvaluationResult> {
  const { student, policy, games, trainedOn, checkpoint, admissibleOnly, progress, signal } = heldOut;
  const { maxSteps } = policy;
  const played = recorder(heldOut);
  return evaluate({
    ...{ student, maxSteps, checkpoint, admissibleOnly },
    world: gamesWorld(games, policy),
    texts: policyTexts(student, policy.text.maxTokens),
    trainedOn: new Set(trainedOn),
    onEpisode: played.begin,
    onStep: (step) => {
      played.step(step);
      stopIfAsked(signal);
    },
    onGame: (game) => {
      played.end(game);
      progress.game(game);
    },
  });
}

/** Throws `interrupted` once the signal has fired. */
export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EmacError('interrupted', 'stopped on request');
}

/** Puts games together from their steps, for those who want them whole. */
function recorder({ onPlayed }: HeldOut) {
  let [place, gameId, observation] = [0, '', ''];
  let steps: PlayedStep[] = [];
  return {
    begin(episode: Pick<Episode, 'gameId' | 'observation'>) {
      ({ gameId, observation } = episode);
      steps = [];
    },
    // nobody labels
    step: ({ command, observation: answer }: EvaluationStep) =>
      void steps.push({ own: command, label: '', command, observation: answer }),
    end: ({ won }: EvaluatedGame) => onPlayed?.({ place: place++, gameId, observation, steps, won }),
  };
}
