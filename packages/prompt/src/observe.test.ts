import type { History } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { observedHistory } from './observe.ts';

const initial =
  'You are in the middle of a room. Looking quickly around you, you see a desk 1, and a drawer 1.\n\nYour task is to: put a pen in drawer.';
const history = (...turns: readonly (readonly [command: string, observation: string])[]): History => {
  return { initial, turns: turns.map(([command, observation]) => ({ command, observation })) };
};
const told = (observation: string) =>
  observedHistory(history(['some command', observation]), 'image').turns[0]!.observation;

describe('observedHistory', () => {
  it('with only a frame tells where the agent is, what it holds and whether a command was accepted', () => {
    expect(told('You arrive at desk 1. On the desk 1, you see a pen 1, and a mug 2.')).toBe(
      'You arrive at desk 1.',
    );
    expect(told('You arrive at loc 12. On the desk 1, you see a pen 1.')).toBe('You arrive at loc 12.');
    expect(told('You open the drawer 1. The drawer 1 is open. In it, you see nothing.')).toBe(
      'You open the drawer 1.',
    );
    for (const whole of [
      'You close the drawer 1.',
      'You pick up the pen 1 from the desk 1.',
      'You move the pen 1 to the drawer 1.',
      'You put the pen 1 in/on the drawer 1.',
      'You heat the mug 2 using the microwave 1.',
      'You cool the mug 2 using the fridge 1.',
      'You clean the mug 2 using the sinkbasin 1.',
      'You sliced the apple 1 with the knife 1.',
      'You turn on the desklamp 1.',
      'You are carrying: a pen 1.',
      'You are not carrying anything.',
      'Nothing happens.',
      'OK.',
    ])
      expect(told(whole)).toBe(whole);
    expect(told('You are facing the desk 1. Next to it, you see a pen 1.')).toBe(
      'You are facing the desk 1.',
    );
    expect(told('You are in the middle of a room. Looking quickly around you, you see a desk 1.')).toBe(
      'You are in the middle of a room.',
    );
  });

  it('hides contents that were examined, and unknown sentences', () => {
    for (const closely of [
      'On the desk 1, you see a pen 1.',
      'The drawer 1 is open. In it, you see a pen 1.',
      "There's nothing special about pen 1.",
      'This is a hot mug 2.',
      'A sentence of another world about a pen 1.',
    ])
      expect(told(closely)).toBe('Done.');
  });

  it('keeps commands, places and task, in earlier turns too', () => {
    const whole = history(
      ['go to desk 1', 'You arrive at desk 1. On the desk 1, you see a pen 1.'],
      ['examine desk 1', 'On the desk 1, you see a pen 1.'],
    );
    expect(observedHistory(whole, 'image')).toEqual(
      history(['go to desk 1', 'You arrive at desk 1.'], ['examine desk 1', 'Done.']),
    );
  });

  it('is the whole history in text modes, with or without a frame', () => {
    const whole = history(['go to desk 1', 'You arrive at desk 1. On the desk 1, you see a pen 1.']);
    for (const observe of ['text', 'both'] as const) expect(observedHistory(whole, observe)).toEqual(whole);
  });
});
