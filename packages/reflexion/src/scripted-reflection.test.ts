import fc from 'fast-check';
import type { History } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { scriptedReflection } from './scripted-reflection.ts';

const initial =
  '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a desk 1, a drawer 1, and a shelf 1.\n\nYour task is to: put some pen in drawer.';

const history: History = {
  initial,
  turns: [
    {
      command: 'go to desk 1',
      observation: 'You arrive at desk 1. On the desk 1, you see a mug 1, and a pen 2.',
    },
    { command: 'take pen 1 from desk 1', observation: 'Nothing happens.' },
    { command: 'take pen 1 from desk 1', observation: 'Nothing happens.' },
    { command: 'take pen 1 from desk 1', observation: 'Nothing happens.' },
    { command: 'go to drawer 1', observation: 'You arrive at drawer 1. The drawer 1 is closed.' },
    {
      command: 'open drawer 1',
      observation: 'You open the drawer 1. The drawer 1 is open. In it, you see nothing.',
    },
  ],
};

describe('scriptedReflection', () => {
  it('reports searched places, objects seen, rejected and repeated commands, and remaining receptacles', () => {
    expect(scriptedReflection({ history })).toBe(
      'I did not finish "put some pen in drawer" in 6 steps. I looked at desk 1 and drawer 1. I saw pen 2 at desk 1. The world refused "take pen 1 from desk 1". I gave "take pen 1 from desk 1" 3 times. Next time I also go to shelf 1.',
    );
  });

  it("names the expert's command at the first departure", () => {
    const expertCommands = ['go to desk 1', 'take pen 2 from desk 1', 'take pen 2 from desk 1'];
    expect(scriptedReflection({ history, expertCommands })).toMatch(
      / At step 2 I chose "take pen 1 from desk 1"; next time I choose "take pen 2 from desk 1" there\.$/,
    );
  });

  it('skips turns without an expert command', () => {
    expect(scriptedReflection({ history, expertCommands: [null, null, 'look'] })).toContain(
      'At step 3 I chose',
    );
  });

  it('reports that the object was not seen, and does not guess the object of a person’s wording', () => {
    const turns = history.turns.slice(4);
    expect(scriptedReflection({ history: { initial, turns } })).toContain('I saw no pen there.');
    const human = initial.replace('put some pen in drawer', 'Hide the pen from the cat');
    const lesson = scriptedReflection({ history: { initial: human, turns } });
    expect(lesson).toContain('"Hide the pen from the cat"');
    expect(lesson).not.toContain('I saw');
  });

  it('is one line and the same for the same episode, for any texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\nb', 'go to desk 1', 'Nothing happens.'),
    );
    const turn = fc.record({ command: text, observation: text });
    fc.assert(
      fc.property(text, fc.array(turn), fc.array(fc.option(text)), (initial, turns, expertCommands) => {
        const lesson = scriptedReflection({ history: { initial, turns }, expertCommands });
        expect(lesson).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(scriptedReflection({ history: { initial, turns }, expertCommands })).toBe(lesson);
      }),
    );
  });
});
