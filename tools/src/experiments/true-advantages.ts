/**
 * What a step in ALFWorld is really worth. The value of a state is γ^d, where d is the length of the shortest plan from
 * there; it is 0 if no plan fits into the steps that are left. A step's true advantage is the change of value that it makes.
 */
import { World, type Game } from '@emac/world';

export interface TrueValues {
  readonly discount: number;
  /** step limit of an attempt */
  readonly maxSteps: number;
}

/** For each command of an attempt, from the game's start. */
export function trueAdvantages(
  game: Game,
  commands: readonly string[],
  { discount, maxSteps }: TrueValues,
): number[] {
  const world = new World(game);
  world.reset();
  const valueAfter = (taken: number): number => {
    const length = world.won ? 0 : (world.shortestPlan()?.length ?? Infinity);
    return length <= maxSteps - taken ? discount ** length : 0;
  };
  let before = valueAfter(0);
  return commands.map((command, taken) => {
    world.step(command);
    const after = valueAfter(taken + 1);
    const change = after - before;
    before = after;
    return change;
  });
}
