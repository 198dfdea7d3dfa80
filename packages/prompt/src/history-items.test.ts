import { describe, expect, it } from 'vitest';
import { itemsOf, type HistoryItem } from './history-items.ts';
import { emmaText, reflexionText } from './published-text.ts';

const action = (value: string): HistoryItem => ({ label: 'action', value });
const observation = (value: string): HistoryItem => ({ label: 'observation', value });

describe('items of a history', () => {
  const history = { initial: 'W\n\nRoom.\n\nTask', turns: [{ command: 'look', observation: 'Nothing.' }] };

  it('are its commands and observations in order, then the pending command', () => {
    expect(itemsOf(history, 'help')).toEqual([action('look'), observation('Nothing.'), action('help')]);
  });

  it('show a human edit as Reflexion’s code does', () => {
    const items: HistoryItem[] = [
      ...itemsOf(history),
      { label: 'human_edit', value: 'the mug is in the sink' },
      action('look'),
    ];
    // noahshinn/reflexion env_history.py: '[human edit]: ' before the words
    const shown = '> look\nNothing.\n[human edit]: the mug is in the sink\n> look';
    expect(reflexionText({ history, base: 'B', items })).toBe(`B\nHere is the task:\nRoom.\nTask\n${shown}`);
    expect(emmaText({ history, base: 'B', items })).toBe(`B\nRoom.\nTask.\n${shown}\n`);
  });
});
