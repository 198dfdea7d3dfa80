/** A curriculum as PPO asks for episodes: a task is drawn by how often each succeeded, and what its episode ended with is reported to that task. */
import type { EpisodeChoice } from '@emac/algorithms';
import { EmacError, type Random } from '@emac/core';
import { curriculumOf, type CurriculumSettings, type CurriculumState } from '@emac/curriculum';
import type { ChosenTasks } from '@emac/opening';

interface ChoiceState {
  readonly curriculum: CurriculumState;
  /** the task of the episode under way, by place */
  readonly underWay: readonly string[];
}

/** `random`: its name and the episode's place and number decide what is drawn. */
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
        throw new EmacError('data', 'training state: has no curriculum; it is of another run');
      curriculum = curriculumOf(tasks, { settings, state: stored });
      underWay = [...places];
    },
  };
}
