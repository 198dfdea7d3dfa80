/** Exact figures of a game from its rules alone: all deals are enumerated, all plays of a policy followed. */
import type { Draws, Game } from '../game.ts';

export interface Likely<T> {
  readonly value: T;
  readonly chance: number;
}

/**
 * All draws `make` can make. `random()` stands for both halves of [0, 1): correct only if it is compared with one half.
 */
export function everyDraw<T>(make: (draws: Draws) => T): Likely<T>[] {
  const all: Likely<T>[] = [];
  const path: number[] = [];
  for (;;) {
    const counts: number[] = [];
    const choose = (count: number): number => {
      counts.push(count);
      return path[counts.length - 1] ?? (path.push(0), 0);
    };
    const value = make({
      integers: (low, high) => low + choose(high - low),
      random: () => [0.25, 0.75][choose(2)]!,
    });
    all.push({ value, chance: counts.reduce((chance, count) => chance / count, 1) });
    let last = path.length - 1;
    while (last >= 0 && path[last]! + 1 === counts[last]) last--;
    if (last < 0) return all;
    path.splice(last, Infinity, path[last]! + 1);
  }
}

/** The probability of each text of `of`. */
export function chancesOf<T>(all: readonly Likely<T>[], of: (value: T) => unknown): Map<string, number> {
  const chances = new Map<string, number>();
  for (const { value, chance } of all) {
    const key = String(of(value));
    chances.set(key, (chances.get(key) ?? 0) + chance);
  }
  return chances;
}

export interface Figures {
  /** the return is above 0 */
  readonly success: number;
  readonly meanReturn: number;
  readonly meanLength: number;
}

/** Chances of the actions, by number. */
export type Mixed<State> = (state: State) => readonly number[];

/** Of a game without chance after the deal. */
export function figuresOf<State>(
  game: Game<State>,
  start: readonly Likely<State>[],
  policy: Mixed<State>,
): Figures {
  const known = new Map<string, Figures>();
  const noDraws: Draws = {
    integers: () => NaN,
    random: () => NaN,
  };
  const from = (state: State, soFar: number): Figures => {
    const key = `${soFar} ${JSON.stringify(state)}`;
    const before = known.get(key);
    if (before) return before;
    const figures = averaged(
      policy(state).map((chance, action) => {
        if (chance === 0) return { value: nothing, chance };
        const { state: next, reward, terminated, truncated } = game.act(state, action, noDraws);
        const gained = soFar + reward;
        const rest =
          terminated || truncated
            ? { success: Number(gained > 0), meanReturn: 0, meanLength: 0 }
            : from(next, gained);
        return {
          chance,
          value: {
            success: rest.success,
            meanReturn: reward + rest.meanReturn,
            meanLength: 1 + rest.meanLength,
          },
        };
      }),
    );
    known.set(key, figures);
    return figures;
  };
  return averaged(start.map(({ value, chance }) => ({ chance, value: from(value, 0) })));
}

const nothing: Figures = { success: 0, meanReturn: 0, meanLength: 0 };

function averaged(all: readonly Likely<Figures>[]): Figures {
  return all.reduce<Figures>(
    (sum, { value, chance }) => ({
      success: sum.success + chance * value.success,
      meanReturn: sum.meanReturn + chance * value.meanReturn,
      meanLength: sum.meanLength + chance * value.meanLength,
    }),
    nothing,
  );
}

/** All actions equally often. */
export function uniform(count: number): readonly number[] {
  return Array.from({ length: count }, () => 1 / count);
}

/** One action for certain. */
export function only(action: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => Number(place === action));
}
