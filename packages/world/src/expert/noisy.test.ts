import { Random, type Label, type LabelRequest } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { noisyExpert } from './noisy.ts';

const admissible = ['go to desk 1', 'inventory', 'look', 'open drawer 1'];
const right: Label = { kind: 'action', command: 'open drawer 1' };
const expert = { label: () => Promise.resolve(right) };

function request(number: number): LabelRequest {
  const turns = [{ command: `go to shelf ${number}`, observation: '' }];
  const history = { initial: '', turns };
  return { task: { id: 'game', type: null }, memories: [], history, admissible };
}

const labels = (probability: number, seed = 0): Promise<Label[]> => {
  const noisy = noisyExpert(expert, { probability, random: Random.fromSeed(seed) });
  return Promise.all(Array.from({ length: 1000 }, (_, number) => noisy.label(request(number))));
};

describe('noisyExpert', () => {
  it('is wrong as often as asked, with any other accepted command', async () => {
    const wrong = (await labels(0.3)).filter((label) => label !== right);
    // 1000 draws of 0.3: 300 ± 14.5; outside ±5σ once in two million
    expect(wrong.length).toBeGreaterThan(227);
    expect(wrong.length).toBeLessThan(373);
    const commands = new Set(wrong.map((label) => (label.kind === 'action' ? label.command : '')));
    expect(commands).toEqual(new Set(['go to desk 1', 'inventory', 'look']));
  });

  it('is a function of the state and the seed, in any order', async () => {
    const all = await labels(0.5);
    const noisy = noisyExpert(expert, { probability: 0.5, random: Random.fromSeed(0) });
    expect(await noisy.label(request(7))).toEqual(all[7]);
    expect(await noisy.label(request(3))).toEqual(all[3]);
    expect(await labels(0.5, 1)).not.toEqual(all);
  });

  it('never and always', async () => {
    expect((await labels(0)).every((label) => label === right)).toBe(true);
    expect((await labels(1)).some((label) => label === right)).toBe(false);
  });

  it('does not change labels without alternatives, and unusable ones', async () => {
    const options = { probability: 1, random: Random.fromSeed(0) };
    const noisy = noisyExpert(expert, options);
    expect(await noisy.label({ ...request(1), admissible: ['open drawer 1'] })).toBe(right);
    const unusable: Label = { kind: 'unusable', reason: 'lost' };
    const thought: Label = { kind: 'action', command: 'think: hm' };
    for (const label of [unusable, thought])
      expect(await noisyExpert({ label: () => Promise.resolve(label) }, options).label(request(1))).toBe(
        label,
      );
  });

  it.each([-0.1, 1.1, NaN])('refuses %d as a probability', (probability) => {
    expect(() => noisyExpert(expert, { probability, random: Random.fromSeed(0) })).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });
});
