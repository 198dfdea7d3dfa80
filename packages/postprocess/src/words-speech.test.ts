import { describe, expect, it } from 'vitest';
import { actionStart } from './words-speech.ts';

describe('the token that an action begins in', () => {
  it('is found by text, whatever the tokens are cut like', () => {
    expect(actionStart(['{"thoughts": "', 'a', '",\n"act', 'ion": "+', '"}'])).toBe(2);
    // the last one counts
    expect(actionStart(['"action": "a" ', 'then ', '"action"', ': "b"'])).toBe(2);
    expect(actionStart(['no', 'ne'])).toBe(0);
  });
});
