import { describe, expect, it } from 'vitest';
import { actionStart } from './words-speech.ts';

describe('the first token of an action', () => {
  it('is found by text, however the tokens are split', () => {
    expect(actionStart(['{"thoughts": "', 'a', '",\n"act', 'ion": "+', '"}'])).toBe(2);
    // the last one counts
    expect(actionStart(['"action": "a" ', 'then ', '"action"', ': "b"'])).toBe(2);
    expect(actionStart(['no', 'ne'])).toBe(0);
  });
});
