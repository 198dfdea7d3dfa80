import { describe, expect, it } from 'vitest';
import { policyTexts } from './texts.ts';

const history = {
  initial: 'You are in the middle of a room.\n\nYour task is to: put a pen in desk.',
  turns: [{ command: 'go to desk 1', observation: 'You arrive at desk 1. On the desk 1, you see a pen 1.' }],
};

describe('policyTexts', () => {
  it('end an answer with its line, but for a policy that thinks before its command', () => {
    const stopOf = (thoughts: boolean) =>
      policyTexts({ countPromptTokens: () => 1 }, { maxTokens: 100, observe: 'both', thoughts }).stop;
    expect(stopOf(false)).toEqual(['\n']);
    expect(stopOf(true)).toBeUndefined();
  });

  it('hide contents from a policy that sees frames only', () => {
    const promptFor = (observe: 'text' | 'image' | 'both') =>
      policyTexts({ countPromptTokens: () => 1 }, { maxTokens: 100, observe, thoughts: false }).prompt({
        history,
        observation: { text: '', frames: [], admissible: null },
        memories: [],
      });
    expect(promptFor('image')).toMatch(/> go to desk 1\nYou arrive at desk 1\.\n>$/);
    for (const observe of ['text', 'both'] as const)
      expect(promptFor(observe)).toMatch(/You arrive at desk 1\. On the desk 1, you see a pen 1\.\n>$/);
  });
});
