import type { History } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { expertConversation, type ExpertPrompt } from './expert-messages.ts';

const history: History = {
  initial: '-= Welcome to TextWorld, ALFRED! =-\n\nRoom.\n\nYour task is to: put some pen in desk.',
  turns: [
    { command: 'go to desk 1', observation: 'You arrive at desk 1. On the desk 1, you see nothing.' },
    { command: 'go to shelf 1', observation: 'You arrive at shelf 1. On the shelf 1, you see a pen 1.' },
  ],
};

/** The messages without a limit. */
const expertMessages = (prompt: Omit<ExpertPrompt, 'maxTokens' | 'countTokens'>) =>
  expertConversation({ maxTokens: Infinity, countTokens: () => 0, ...prompt }).prompt;

describe('expertConversation', () => {
  it('puts rules and examples into the system message and the episode into turns', () => {
    const [system, ...episode] = expertMessages({ history, taskType: null, examples: ['EXAMPLE\n'] });
    expect(system!.role).toBe('system');
    expect(system!.content).toContain('move {object} to {receptacle}');
    expect(system!.content.endsWith('\n\nEXAMPLE')).toBe(true);
    expect(episode).toEqual([
      { role: 'user', content: 'Room.\nYour task is to: put some pen in desk.' },
      { role: 'assistant', content: 'go to desk 1' },
      { role: 'user', content: 'You arrive at desk 1. On the desk 1, you see nothing.' },
      { role: 'assistant', content: 'go to shelf 1' },
      { role: 'user', content: 'You arrive at shelf 1. On the shelf 1, you see a pen 1.' },
    ]);
  });

  it('puts memories before the room and admissible commands after the newest observation', () => {
    const messages = expertMessages({
      history: { ...history, turns: [] },
      taskType: null,
      memories: ['go to shelf 1 first'],
      admissible: ['inventory', 'put pen 1 in/on desk 1'],
    });
    expect(messages).toHaveLength(2);
    expect(messages[0]!.content).toContain('put {object} in/on {receptacle}');
    expect(messages[1]!.content).toBe(
      'Your memory for the task below:\nTrial 0: go to shelf 1 first\n\nRoom.\nYour task is to: put some pen in desk.\n\nCommands the world accepts now:\ninventory\nput pen 1 in/on desk 1',
    );
  });

  it('drops the oldest turns, never rules or task, over the token budget, and reports it', () => {
    const countTokens = (text: string): number => text.length;
    const prompt = { history, taskType: null, examples: [], countTokens };
    const whole = expertMessages({ history, taskType: null, examples: [] });
    // the chat format adds 4 tokens to each message and 3 before the answer
    const length = whole.reduce((sum, { content }) => sum + content.length + 4, 3);
    expect(expertConversation({ ...prompt, maxTokens: length })).toMatchObject({
      prompt: whole,
      tokens: length,
      fits: true,
      dropped: { turns: 0 },
    });
    const { prompt: cut, dropped } = expertConversation({ ...prompt, maxTokens: length - 1 });
    expect(dropped).toEqual({ turns: 1, examples: 0, memories: 0 });
    expect(cut.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(cut[1]!.content).toContain('put some pen in desk.');
    expect(cut[1]!.content).toContain('1 earlier step is left out');
    expect(cut[2]!.content).toBe('go to shelf 1');
    const least = expertConversation({ ...prompt, maxTokens: 1 });
    expect(least.fits).toBe(false);
    expect(least.prompt).toHaveLength(2);
    expect(least.prompt[1]!.content).toContain('put some pen in desk.');
  });

  it('shows two examples of the task type in the world’s dialect by default', () => {
    const system = expertMessages({ history, taskType: 'pick_heat_then_place_in_recep', dialect: 'put' })[0]!;
    expect(system.content).toContain('Here are 2 examples, with every command after "> ":');
    expect(system.content).toContain('> heat tomato 1 with microwave 1');
    expect(system.content).toContain('> heat mug 1 with microwave 1');
    expect(system.content).toContain('> put mug 1 in/on cabinet 4');
  });
});
