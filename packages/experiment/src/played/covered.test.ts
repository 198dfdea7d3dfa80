import { expect, it } from 'vitest';
import type { Weighing } from '../player.ts';
import { coveredParts } from './covered.ts';

/** Says `left` the surer, the redder the upper left pixel is: its log-probability is the pixel's red. */
const weighing: Weighing = {
  weigh: async ({ observation: { frames } }) => {
    const red = frames[0]!.data[0]! / 100;
    return { action: 'left', logProbabilities: [red - 3, -1], prompt: null, answer: null };
  },
  target: null,
};
// 2 × 2 pixels: one is red with 200, the others are black, so the mean red is 50
const data = Uint8Array.from([200, 0, 0, ...Array<number>(9).fill(0)]);
const observation = { text: '', frames: [{ width: 2, height: 2, data }], admissible: ['left', 'right'] };
const moment = { task: { id: 'x', type: null }, history: { initial: '', turns: [] }, observation };

it('finds the part that the choice depends on: covering it changes 200 to 50', async () => {
  const { columns, rows, changes, choice } = await coveredParts(weighing, moment);
  expect({ columns, rows, choice }).toEqual({ columns: 2, rows: 2, choice: 'left' });
  // (50 − 200) / 100; the others change nothing that it sees
  expect(changes.map((change) => Number(change.toFixed(6)))).toEqual([-1.5, 0, 0, 0]);
  await expect(coveredParts(null, moment)).rejects.toMatchObject({ code: 'usage' });
});
