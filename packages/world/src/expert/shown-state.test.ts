import { describe, expect, it } from 'vitest';
import { shownState } from './shown-state.ts';

const after = (...observations: string[]) =>
  shownState({
    initial: 'You are in the middle of a room.',
    turns: observations.map((observation) => ({ command: 'x', observation })),
  });
const arrival = 'You arrive at desk 1. On the desk 1, you see a pen 1.';
const took = 'You pick up the pen 1 from the desk 1.';

describe('shown state', () => {
  it('is the last observation with the object in hand', () => {
    expect(after(arrival)).toBe(JSON.stringify([arrival, null]));
    expect(after(took, arrival)).toBe(JSON.stringify([arrival, 'pen 1']));
    expect(after(took, 'You are carrying: a pen 1.')).toBe(
      JSON.stringify(['You are carrying: a pen 1.', 'pen 1']),
    );
  });

  it.each(['You move the pen 1 to the desk 1.', 'You put the pen 1 in/on the desk 1.'])(
    'has an empty hand after "%s"',
    (put) => expect(after(took, put)).toBe(JSON.stringify([put, null])),
  );

  it('does not change with a refused command', () => {
    expect(after(took, 'Nothing happens.', 'Nothing happens.')).toBe(after(took));
    expect(after('Nothing happens.')).toBe(after());
  });

  it('does not depend on the way to it', () => {
    expect(after(took, 'You move the pen 1 to the desk 1.', arrival)).toBe(after(arrival));
  });
});
