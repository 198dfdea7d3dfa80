/**
 * A curriculum over the types of games, such as ALFWorld's six: for each episode of a round a type is drawn by how often the policy won games of it, then one of its games that
 * the round has not played. A type without such a game is not drawn; the others then have its probability in proportion.
 */
import type { TaskChoice } from '@emac/algorithms';
import { EmacError, type Task } from '@emac/core';
import { curriculumOf, type CurriculumSettings, type CurriculumState } from '@emac/curriculum';
import type { TrainConfig } from '@emac/settings';

/** Null where a round plays the whole list. Errors: `usage` for settings out of range. */
export function gameCurriculum(
  { formula, temperature, games, ...others }: TrainConfig['curriculum'],
  tasks: readonly Task[],
): TaskChoice | null {
  if (formula === null) return null;
  const settings = { formula, ...others, ...(temperature !== null && { temperature }) };
  return choiceOf([...new Set(tasks.map(typeOf))], settings, gamesOfRound(games, tasks.length));
}

/** How many games of a list a round plays: half of them unless it is said, all where more are asked for. */
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
        throw new EmacError('data', 'training state: has no curriculum; it is of another run');
      curriculum = curriculumOf(types, { settings, state });
    },
  };
}

function typeOf({ type }: Task): string {
  return type ?? 'unknown';
}
