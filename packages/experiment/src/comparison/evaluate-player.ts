/** A player without prompts on the tasks of a comparison. */
import type { Random, Task } from '@emac/core';
import { wordedEnvironment, type EnvironmentPlayer, type Host, type StepAction } from '@emac/opening';
import { taskSeeds, type AskedPlayer, type EvaluationResult } from '@emac/rollout';
import type { EvaluationConfig } from '@emac/settings';
import { dialectWatch } from '../evaluation/dialect-warning.ts';
import { evaluateTasks, samplingOf, type TasksEvaluation } from '../evaluation/evaluate-tasks.ts';
import { playInSteps, type PlayedInSteps } from '../evaluation/play-in-steps.ts';
import { bothWatch } from '../evaluation/traced-play.ts';
import type { ComparedTasks } from './compared-tasks.ts';

export interface PlayerEvaluation extends Pick<TasksEvaluation, 'attempts' | 'journal'> {
  readonly player: EnvironmentPlayer;
  /** of the player, in the result */
  readonly name: string;
  readonly where: Pick<ComparedTasks, 'opened' | 'tasks'>;
  readonly evaluation: Pick<EvaluationConfig, 'seed' | 'temperature'>;
  readonly random: Random;
  readonly watch: PlayedInSteps['watch'] | null;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Plays every task as often as asked. Errors: `interrupted`; those of player and environment. */
export async function evaluatePlayer(asked: PlayerEvaluation): Promise<EvaluationResult> {
  const { player, name, where, evaluation, attempts, random, watch, host, journal } = asked;
  const { opened, tasks } = where;
  const { seed } = evaluation;
  const taskOf = (episode: number): Task => tasks[episode % tasks.length]!;
  const of = { env: opened.id, tasks, attempts, host };
  const forms = dialectWatch(host);
  const play = playInSteps({
    ...of,
    random,
    environments: Array.from({ length: Math.min(player.atOnce, tasks.length * attempts) }, () =>
      wordedEnvironment(opened, tasks, taskSeeds(seed)),
    ),
    randomOf: (episode) => random.stream(taskOf(episode).id).stream(Math.floor(episode / tasks.length)),
    choose: choiceOf(player, taskOf, host),
    watch: bothWatch(watch ?? undefined, forms.watch)!,
  });
  const subject = { policy: name, checkpoint: name, sampling: samplingOf(evaluation), seed };
  const { result } = await evaluateTasks({ ...of, ...subject, journal, play });
  forms.tell();
  return result;
}

/** Of a player, in an environment of words. */
function choiceOf(
  player: EnvironmentPlayer,
  taskOf: (episode: number) => Task,
  { listener }: PlayerEvaluation['host'],
): AskedPlayer<StepAction>['choose'] {
  return async ({ environment, number, random }) => {
    const [task, { history, observation }] = [taskOf(number), environment.moment!()];
    const { action, ...how } = await player.act({ task, history, observation, random });
    listener?.step?.({ id: task.id, step: history.turns.length + 1 });
    return { answer: action, action, ...how };
  };
}
