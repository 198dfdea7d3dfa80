import fc from 'fast-check';
import { readTurns, type History } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { initialObservation } from './initial-observation.ts';
import { studentTarget, studentText } from './student-text.ts';

const initial =
  '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a desk 1.\n\nYour task is to: put some pen in desk.';
const opening =
  'You are in the middle of a room. Looking quickly around you, you see a desk 1.\nYour task is to: put some pen in desk.';
const history: History = {
  initial,
  turns: [
    { command: 'look', observation: 'first' },
    { command: 'go to desk 1', observation: 'You arrive at desk 1. On the desk 1, you see nothing.' },
  ],
};
const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;

describe('studentText', () => {
  it('is the initial observation without its greeting, and an open prompt before the first step', () => {
    expect(studentText({ initial, turns: [] }, { maxTokens: 100, countTokens: words })).toEqual({
      text: `${opening}\n>`,
      droppedTurns: 0,
    });
  });

  it('adds a line with the command and a line with the observation for every turn', () => {
    expect(studentText(history, { maxTokens: 100, countTokens: words }).text).toBe(
      `${opening}\n> look\nfirst\n> go to desk 1\nYou arrive at desk 1. On the desk 1, you see nothing.\n>`,
    );
  });

  it('quotes a line of an observation that looks like a command, for a conversation alone', () => {
    const letter = { initial: 'room', turns: [{ command: 'read', observation: 'It says:\n> go away' }] };
    const options = { maxTokens: 100, countTokens: words };
    expect(studentText(letter, options).text).toBe('room\n> read\nIt says:\n> go away\n>');
    expect(readTurns(studentText(letter, { ...options, dialogue: 'turns' }).text)).toEqual([
      'room',
      'read',
      'It says:\n> go away',
    ]);
  });

  it('drops the oldest turn first and keeps the task when the text is too long', () => {
    // opening 26 words, turns 3 and 17 words, the last ">" 1: 47 in total, 44 without the first turn
    expect(words(opening)).toBe(26);
    expect(studentText(history, { maxTokens: 47, countTokens: words }).droppedTurns).toBe(0);
    expect(studentText(history, { maxTokens: 46, countTokens: words })).toEqual({
      text: `${opening}\n> go to desk 1\nYou arrive at desk 1. On the desk 1, you see nothing.\n>`,
      droppedTurns: 1,
    });
    expect(studentText(history, { maxTokens: 1, countTokens: words })).toEqual({
      text: `${opening}\n>`,
      droppedTurns: 2,
    });
  });

  it('keeps the longest fitting suffix in the published mode, dropping even the task', () => {
    const cut = studentText(history, {
      maxTokens: 6,
      countTokens: (text) => text.length,
      truncation: 'left',
    });
    expect(cut).toEqual({ text: 'ing.\n>', droppedTurns: 2 });
    const whole = studentText(history, {
      maxTokens: 1000,
      countTokens: (text) => text.length,
      truncation: 'left',
    });
    expect(whole.droppedTurns).toBe(0);
  });

  it('puts the last three memories before the room', () => {
    const text = studentText(
      { initial, turns: [] },
      { maxTokens: 100, countTokens: words, memories: ['a', 'b', ' c ', 'd'] },
    ).text;
    expect(text).toBe(`Your memory for the task below:\nTrial 0: b\nTrial 1: c\nTrial 2: d\n\n${opening}\n>`);
  });

  it('always starts with the task, ends with an open prompt and fits unless the task alone does not', () => {
    const turn = fc.record({ command: fc.string(), observation: fc.string() });
    fc.assert(
      fc.property(fc.array(turn), fc.integer({ min: 0, max: 400 }), (turns, maxTokens) => {
        const countTokens = (text: string): number => text.length;
        const { text, droppedTurns } = studentText({ initial, turns }, { maxTokens, countTokens });
        expect(text.startsWith(opening)).toBe(true);
        expect(text.endsWith('\n>')).toBe(true);
        expect(text.length <= maxTokens || droppedTurns === turns.length).toBe(true);
        const kept = turns.slice(droppedTurns).map((kept) => `\n> ${kept.command}\n${kept.observation}`);
        expect(text).toBe(`${opening}${kept.join('')}\n>`);
        if (droppedTurns > 0) {
          const last = turns[droppedTurns - 1]!;
          const longer = text.length + `\n> ${last.command}\n${last.observation}`.length;
          expect(longer).toBeGreaterThan(maxTokens);
        }
      }),
    );
  });
});

describe('studentTarget', () => {
  it('continues the prompt to the later text of the history', () => {
    const { text } = studentText({ initial, turns: [] }, { maxTokens: 100, countTokens: words });
    const later = studentText(
      { initial, turns: history.turns.slice(0, 1) },
      { maxTokens: 100, countTokens: words },
    );
    expect(later.text.startsWith(text + studentTarget('look'))).toBe(true);
  });
});

describe('initialObservation', () => {
  it('keeps a text of one paragraph, which has no greeting to drop', () => {
    expect(initialObservation('Your task is to: look.')).toBe('Your task is to: look.');
  });
});
