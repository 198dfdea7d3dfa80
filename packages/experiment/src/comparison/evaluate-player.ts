/** A player without prompts on the tasks of a comparison. */
import type { Task } from '@emac/core';
import { wordedEnvironment, type EnvironmentPlayer, type StepAction } from '@emac/opening';
import { taskSeeds, type AskedPlayer } from '@emac/rollout';
import { evaluateSteps, type PpoEvaluation, type StepsEvaluation } from '../reinforcement/ppo-evaluation.ts';
import type { ComparedTasks } from './compared-tasks.ts';

export interface PlayerEvaluation
  extends
    Pick<ComparedTasks, 'opened' | 'tasks'>,
    Pick<StepsEvaluation, 'name' | 'sampling' | 'seed' | 'attempts' | 'random' | 'journal' | 'host'> {
  readonly player: EnvironmentPlayer;
  readonly watch: StepsEvaluation['watch'] | null;
}

/** Plays every task as often as asked. Errors: `interrupted`; those of player and environment. */
export function evaluatePlayer({
  player,
  opened,
  watch,
  ...evaluation
}: PlayerEvaluation): Promise<PpoEvaluation> {
  const { name, tasks, attempts, seed, random, host } = evaluation;
  const taskOf = (episode: number): Task => tasks[episode % tasks.length]!;
  const attemptOf = (episode: number) => Math.floor(episode / tasks.length);
  const environments = Math.min(player.atOnce, tasks.length * attempts);
  return evaluateSteps({
    ...evaluation,
    env: opened.id,
    checkpoint: name,
    environments: Array.from({ length: environments }, () =>
      wordedEnvironment(opened, tasks, taskSeeds(seed)),
    ),
    randomOf: (episode) => random.stream(taskOf(episode).id).stream(attemptOf(episode)),
    choose: choiceOf(player, taskOf, host),
    ...(watch && { watch }),
  });
}

/** Of a player, in an environment of words. */
function choiceOf(
  player: EnvironmentPlayer,
  taskOf: (episode: number) => Task,
  { listener }: PlayerEvaluation['host'],
): AskedPlayer<StepAction>['choose'] {
  return async ({ environment, number, random }) => {
    const [task, { history, observation }] = [taskOf(number), environment.moment!()];
    const { action, isFallback } = await player.act({ task, history, observation, random });
    listener?.step?.({ id: task.id, step: history.turns.length + 1 });
    return { answer: action, action, isFallback };
  };
}
