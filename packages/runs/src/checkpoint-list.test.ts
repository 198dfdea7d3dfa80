import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  checkpointFault,
  listCheckpoints,
  parameterDifferences,
  pruneCheckpoints,
} from './checkpoint-list.ts';
import { createRun } from './run.ts';

const out = mkdtempSync(join(tmpdir(), 'checkpoints-'));
afterAll(() => rmSync(out, { recursive: true }));
const now = () => new Date(0);
/** three samples into the second epoch at step 2 */
const states = [{}, { training: { epoch: 1, taken: 3 } }, { training: { epoch: 2, taken: 0 } }];
const run = createRun({ out, phase: 'bc', seed: 0, config: {}, versions: {}, now });
const tensor = (...values: number[]) => ({ shape: [values.length], data: Float32Array.from(values) });
for (const [step, loss] of [
  [1, 0.5],
  [2, 0.25],
  [3, 0.75],
] as const)
  run.checkpoint(
    {
      step,
      projection: new Map([['weight', tensor(step, 0)]]),
      optimizer: new Map(),
      state: states[step - 1]!,
      manifest: { baseModel: 'tiny', games: [] },
    },
    { loss },
  );
run.finish();

describe('the checkpoints of a run', () => {
  it('are listed, with the latest and the best marked', () => {
    const listed = listCheckpoints(run.folder);
    expect(listed.map(({ name, isLatest, isBest }) => [name, isLatest, isBest])).toEqual([
      ['00000001', false, false],
      ['00000002', false, true],
      ['00000003', true, false],
    ]);
    expect(listed.map(({ moment }) => moment)).toEqual([
      null,
      { unit: 'epoch', over: 1, begun: 3, isAtEnd: false },
      { unit: 'epoch', over: 2, begun: 0, isAtEnd: true },
    ]);
    for (const { bytes } of listed) expect(bytes).toBeGreaterThan(0);
    expect(() => listCheckpoints(out)).toThrow(/give the folder of a run/);
  });

  it('are pruned but for the newest, the latest and the best', () => {
    expect(pruneCheckpoints(run.folder, 1)).toEqual(['00000001']);
    expect(listCheckpoints(run.folder).map(({ name }) => name)).toEqual(['00000002', '00000003']);
    expect(pruneCheckpoints(run.folder, 1)).toEqual([]);
  });

  it('are intact, or the fault is named', () => {
    const [first, second] = listCheckpoints(run.folder);
    appendFileSync(join(second!.folder, 'state.json'), ' ');
    expect(checkpointFault(first!.folder)).toBeNull();
    expect(checkpointFault(second!.folder)).toMatch(/state\.json/);
  });

  it('differ by their parameters', () => {
    const [a, b] = [new Map([['w', tensor(3, 4)]]), new Map([['w', tensor(3, 1)]])];
    // the difference is (0, −3), the first is of length 5
    expect(parameterDifferences(a, b)).toEqual([{ name: 'w', largest: 3, relative: 0.6 }]);
    expect(parameterDifferences(a, new Map([['v', tensor(1)]]))).toEqual([
      { name: 'v', largest: null, relative: null },
      { name: 'w', largest: null, relative: null },
    ]);
  });
});
