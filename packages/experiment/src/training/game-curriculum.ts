/**
 * A curriculum over game types, such as ALFWorld's six. For each episode it draws a type by the policy's success rates,
 * then one of its games not yet played in the round. A type without such a game is skipped; the others get its
 * probability in proportion.
 */
import type { TaskChoice } from '@emac/algorithms';
import { EmacError, type Task } from '@emac/core';
import { curriculumOf, type CurriculumSettings, type CurriculumState } from '@emac/curriculum';
import type { TrainConfig } from '@emac/settings';

/** Null if a round plays the whole list. Errors: `usage` for settings out of range. */
export function gameCurriculum(
  { formula, temperature, games, ...others }: TrainConfig['curriculum'],
  tasks: readonly Task[],
): TaskChoice | null {
  if (formula === null) return null;
  const settings = { formula, ...others, ...(temperature !== null && { temperature }) };
  return choiceOf([...new Set(tasks.map(typeOf))], settings, gamesOfRound(games, tasks.length));
}

/** Games of a list per round: half by default, all if more are requested. */
export function gamesOfRound(asked: number | null, listed: number): number {
  return Math.min(listed, asked ?? Math.ceil(listed / 2));
}

function choiceOf(
  types: readonly string[],
  settings: Partial<CurriculumSettings>,
  perRound: number,
): TaskChoice {
  let curriculum = curriculumOf(types, { settings });
  return {
    perRound,
    pick(tasks, random) {
      const { probabilities } = curriculum.statistics();
      const open = types.filter((type) => tasks.some((task) => typeOf(task) === type));
      const drawn = random.stream('type').weightedIndex(open.map((type) => probabilities[type]!));
      const places = [...tasks.keys()].filter((place) => typeOf(tasks[place]!) === open[drawn]);
      return random.stream('game').pick(places);
    },
    ended: (task, won) => curriculum.report(typeOf(task), won),
    measures: () => {
      const { ema, counts, probabilities } = curriculum.statistics();
      return Object.fromEntries(
        types.flatMap((type) => [
          [`curriculum/${type}_avg_success_rate`, ema[type]!],
          [`curriculum/${type}_probability`, probabilities[type]!],
          [`curriculum/${type}_episodes`, counts[type]!],
        ]),
      );
    },
    state: (): CurriculumState => curriculum.state(),
    restore: (state) => {
      if (state === undefined)
        throw new EmacError('data', 'training state: has no curriculum, so it is of another run');
      curriculum = curriculumOf(types, { settings, state });
    },
  };
}

function typeOf({ type }: Task): string {
  return type ?? 'unknown';
}
