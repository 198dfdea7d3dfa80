import { Random, type Expert } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, commands } from './bag-of-words.test.fixture.ts';
import { collectProbe, rejectedCommand } from './probe.ts';
import { fetchExpert, smallWorld, texts } from './small-world.test.fixture.ts';

const random = Random.fromSeed(0);
const parts = { student: bagOfWordsStudent(random), texts, maxSteps: 9, random, withRejected: true };

describe('collectProbe', () => {
  it('keeps what the expert says on its own way through every game', async () => {
    const steps = await collectProbe({ ...parts, world: smallWorld().pass(), expert: fetchExpert() });
    expect(steps.map(({ text, label }) => [text, label])).toEqual([
      ['want-a', 'go a'],
      ['want-a at-a', 'take a'],
      ['want-b', 'go b'],
      ['want-b at-b', 'take b'],
      ['want-c', 'go c'],
      ['want-c at-c', 'take c'],
    ]);
    for (const { label, rejected } of steps) expect(rejected).not.toBe(label);
  });

  it('ends a game where the expert has no answer', async () => {
    const silent: Expert = { label: () => Promise.resolve({ kind: 'unusable', reason: 'none' }) };
    expect(await collectProbe({ ...parts, world: smallWorld().pass(), expert: silent })).toEqual([]);
  });
});

describe('rejectedCommand', () => {
  it('is the student’s own where it differs, else another admissible one, else nothing', () => {
    expect(rejectedCommand('go a', 'go b', { admissible: commands, random })).toBe('go b');
    for (let draw = 0; draw < 30; draw++)
      expect(rejectedCommand('go a', 'go a', { admissible: commands, random })).not.toBe('go a');
    expect(rejectedCommand('go a', '', { admissible: ['go a', 'look'], random })).toBe('look');
    expect(rejectedCommand('go a', 'go a', { admissible: ['go a'], random })).toBeNull();
    expect(rejectedCommand('go a', 'go a', { admissible: undefined, random })).toBeNull();
  });
});
