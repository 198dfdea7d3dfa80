/** The prompt of a step in FrozenLake, and a perfect player's answer: JSON on one line, with short thoughts. */
import { requestedJson } from '../requested-json.ts';
import { lakeActions, type FrozenLake } from './frozen-lake.ts';
import type { Variant } from './variant.ts';

export function lakePrompt({ success }: Variant): string {
  const slips =
    success === 1
      ? 'The ice is not slippery: you move where you want to.'
      : `The ice is slippery: you move where you want to with chance ${Number(success.toFixed(3))}, else to one of the two sides of that direction.`;
  return [
    'You cross a frozen lake, a grid of cells, to its goal; a hole ends the game.',
    'In letters: P is you, _ ice, O a hole, G the goal. In a picture: the red square is you, light blue is ice, dark blue a hole, green the goal.',
    slips,
    `You can choose between ${lakeActions.map((action) => `"${action}"`).join(', ')}.`,
    requestedJson,
  ].join(' ');
}

/** Thoughts name row and column, from 0, of the player, the goal and every hole; they conclude with a best action. */
export function lakeAnswer(lake: FrozenLake, action: number, concludes: boolean): string {
  const { map, place } = lake.state();
  const size = map.length;
  const where = (at: number): string => `${Math.floor(at / size)} ${at % size}`;
  const holes = Array.from(map.join('').matchAll(/H/g), ({ index }) => where(index));
  const best = lake.best()[0];
  const seen = [
    `player ${where(place)}`,
    `goal ${where(size * size - 1)}`,
    `holes ${holes.join(', ') || 'none'}`,
  ];
  const conclusion = concludes && best !== undefined ? `; ${lakeActions[best]}` : '';
  return `{"thoughts": "${seen.join(', ')}${conclusion}", "action": "${lakeActions[action]}"}`;
}
