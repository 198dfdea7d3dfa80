/** The trial of a dry run: fewer games, steps and samples, each played and learned from as in the run. */
import { firstTasksOf, freeTeacher, heard, type Host } from '@emac/opening';
import type { TrainingPlan } from './plan.ts';

/** The plan itself without a trial. */
export async function inTrial(plan: TrainingPlan, host: Host): Promise<TrainingPlan> {
  const { trial } = host;
  if (!trial) return plan;
  const { config, settings, offline, kind } = plan;
  const { batchSize, accumulate } = config.optimization;
  const rows = Math.max(1, Math.min(batchSize, trial.size));
  const games = Math.max(1, Math.min(togetherIn(plan), Math.floor(trial.size / leastSteps)));
  const maxSteps = Math.min(plan.form.maxSteps, Math.max(leastSteps, Math.floor(trial.size / games)));
  const optimization = {
    ...settings.optimization,
    batchSize: rows,
    accumulate: Math.min(accumulate, Math.ceil(trial.size / rows)),
    updates: offline ? 1 : null,
    updatesPerEpisode: 1,
  };
  return {
    ...plan,
    config: { ...config, ...(config.dataset && { dataset: { ...config.dataset, epochs: 1 } }) },
    settings: { ...settings, play: { ...settings.play, rounds: 1, maxSteps }, optimization },
    form: { ...plan.form, maxSteps },
    play: offline ? plan.play : firstTasksOf(plan.play, games),
    evaluated: firstTasksOf(plan.evaluated, trial.episodes),
    offline: offline && {
      ...offline,
      validation: offline.validation && {
        ...offline.validation,
        length: Math.min(offline.validation.length, trial.size),
      },
    },
    student: heard(plan.student, trial),
    teacher: await freeTeacher(plan.teacher, host, {
      random: plan.random.stream('noise'),
      kind,
      thoughts: config.expert.thoughts,
    }),
  };
}

/** of the smallest trial: the second one shows how prompts grow */
const leastSteps = 2;

/** Games that one version of the policy plays at once. */
export function togetherIn({ config, play, parallelTraining }: TrainingPlan): number {
  return Math.max(1, Math.min(play.tasks().length, parallelTraining, config.play.episodesPerUpdate));
}
