/** Learning from whole episodes and evaluating by them: the same for language models and small networks. */
import { basename } from 'node:path';
import { grpo, type AttemptSource, type PlayedAttempt } from '@emac/algorithms';
import { Random, type OpenedKind } from '@emac/core';
import type { RewardedAnswer } from '@emac/opening';
import { taskSeeds } from '@emac/rollout';
import type { GrpoConfig } from '@emac/settings';
import { evaluateGames, type GamesEvaluation } from '../evaluation/evaluate-games.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { idOfGame, type JournaledGame } from '../evaluation/journal.ts';
import { attemptRecord, isRecorded } from './attempt-record.ts';
import type { When } from '../life/recipe.ts';
import type { GroupPlay } from './group-play.ts';

/** Learns from these attempts; every answer is told, and some updates are recorded. */
export function learnFromAttempts(
  attempts: AttemptSource<PlayedAttempt>,
  { answered, recorded, elsewhere: _elsewhere, ...run }: Parameters<GroupPlay['train']>[0],
): ReturnType<GroupPlay['train']> {
  return grpo<PlayedAttempt>({
    ...run,
    attempts,
    sample: (attempt) => answered(answerOf(attempt)),
    ...(recorded && {
      learned: (learned) => {
        if (isRecorded(learned.update, run.settings.play.updates)) recorded(attemptRecord(learned));
      },
    }),
  });
}

export interface HeldOutEvaluation extends Pick<GamesEvaluation, 'policy' | 'texts' | 'parallel'> {
  readonly config: GrpoConfig;
  readonly opened: OpenedKind;
  readonly form: Parameters<ReturnType<typeof heldOutPlay>['open']>[0] & GamesEvaluation['form'];
  /** where another process plays; default here */
  readonly elsewhere?: (when: When) => GamesEvaluation['elsewhere'];
}

/** Plays the held-out tasks of the configuration; none is trained on. */
export function heldOutEvaluation({
  config,
  opened,
  elsewhere,
  ...playing
}: HeldOutEvaluation): GroupPlay['evaluate'] {
  const { seed } = config;
  return async (when, { checkpoint, journal, most }, host) => {
    const play = heldOutPlay(opened, most);
    const { environment } = await play.open(playing.form);
    const { result } = await evaluateGames({
      ...playing,
      parallel: play.seats(playing.parallel),
      environment,
      trainedOn: [],
      subject: { env: opened.id, policy: basename(config.model.path), seed },
      checkpoint,
      random: Random.fromSeed(seed).stream('evaluation').stream(when),
      seedOf: taskSeeds(seed),
      host,
      journal: journal<JournaledGame>(idOfGame),
      elsewhere: elsewhere?.(when),
    });
    return result;
  };
}

/** An attempt for the log: all answers, and the task. */
function answerOf({
  steps,
  trajectory,
  update,
  reward,
  rewards,
}: PlayedAttempt & { readonly update: number }): RewardedAnswer {
  const content = steps.map(({ answer }) => answer.text).join('\n');
  return { update, reward, rewards, content, solution: trajectory.task.id };
}
