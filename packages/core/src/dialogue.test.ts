import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotedTurn, readTurns } from './dialogue.ts';

describe('readTurns', () => {
  it('splits a history into observations and commands', () => {
    expect(readTurns('room\ntask\n> go to desk 1\nYou see\na pen 1.\n> look\nNothing.\n>')).toEqual([
      'room\ntask',
      'go to desk 1',
      'You see\na pen 1.',
      'look',
      'Nothing.',
    ]);
    expect(readTurns('room\n>')).toEqual(['room']);
    // a policy trained to think
    expect(readTurns('room\n> think: I look around.\nOK.\n>')).toEqual([
      'room',
      'think: I look around.',
      'OK.',
    ]);
  });

  it('takes a text without an open prompt as it stands, and a command without an observation', () => {
    expect(readTurns('Which card?')).toEqual(['Which card?']);
    expect(readTurns('room\n> look')).toEqual(['room', 'look', '']);
    expect(readTurns('\n>')).toEqual(['']);
  });

  it('leaves a quoted line in its turn, as it was before', () => {
    const letter = 'It says:\n> go to desk 1\n>\n\\> done';
    expect(quotedTurn(letter)).toBe('It says:\n\\> go to desk 1\n\\>\n\\\\> done');
    expect(readTurns(`${quotedTurn('> room')}\n> read letter\n${quotedTurn(letter)}\n>`)).toEqual([
      '> room',
      'read letter',
      letter,
    ]);
  });

  it('reads back any turns', () => {
    const text = fc.string({ unit: fc.constantFrom('>', '\\', '\n', ' ', 'a', '\r', '\u2028') });
    const command = fc.string({ unit: fc.constantFrom('>', ' ', 'a', ':') });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(command, text)), (opening, steps) => {
        const turns = steps.map(([said, seen]) => `\n> ${said}\n${quotedTurn(seen)}`);
        expect(readTurns(`${quotedTurn(opening)}${turns.join('')}\n>`)).toEqual([opening, ...steps.flat()]);
      }),
    );
  });
});
