/** A curriculum for PPO: tasks are drawn by their success rates, and each episode's result is reported to its task. */
import type { EpisodeChoice } from '@emac/algorithms';
import { EmacError, type Random } from '@emac/core';
import { curriculumOf, type CurriculumSettings, type CurriculumState } from '@emac/curriculum';
import type { ChosenTasks } from '@emac/opening';

interface ChoiceState {
  readonly curriculum: CurriculumState;
  /** the task of the episode under way, by place */
  readonly underWay: readonly string[];
}

/** Draws depend on `random`'s name and the episode's place and number. */
export function curriculumChoice(
  { tasks, seedOf }: ChosenTasks,
  settings: Partial<CurriculumSettings>,
  random: Random,
): EpisodeChoice {
  let curriculum = curriculumOf(tasks, { settings });
  let underWay: string[] = [];
  return {
    seedOf: (place, episode) => {
      const chance = random.stream(place).stream(episode);
      const [task] = curriculum.getBatch(1, chance.stream('task'));
      underWay[place] = task!;
      return seedOf(task!, chance.stream('start'));
    },
    ended: (place, { info }) => curriculum.report(underWay[place]!, info.won),
    measures: () => {
      const { ema, probabilities } = curriculum.statistics();
      return Object.fromEntries(
        tasks.flatMap((task, number) => [
          [`curriculum/task_${number}_avg_success_rate`, ema[task]!],
          [`curriculum/task_${number}_probability`, probabilities[task]!],
        ]),
      );
    },
    state: (): ChoiceState => ({ curriculum: curriculum.state(), underWay: [...underWay] }),
    restore: (state) => {
      const { curriculum: stored, underWay: places } = (state ?? {}) as Partial<ChoiceState>;
      if (!stored || !places)
        throw new EmacError('data', 'training state: has no curriculum, so it is of another run');
      curriculum = curriculumOf(tasks, { settings, state: stored });
      underWay = [...places];
    },
  };
}
