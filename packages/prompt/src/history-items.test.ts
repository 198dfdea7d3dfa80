import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itemsOf, repeatsAction, type HistoryItem } from './history-items.ts';
import { emmaText, reflexionText } from './published-text.ts';

const folder = process.env.EMAC_TEST_DATA;
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

describe('repeatsAction', () => {
  it('detects the same action twice in a row, thoughts included, whatever was observed or edited between', () => {
    const edit: HistoryItem = { label: 'human_edit', value: 'a' };
    expect(repeatsAction([action('a'), observation('x'), edit, action('a'), action('b')])).toBe(true);
    expect(repeatsAction([action('think: a'), action('think: a')])).toBe(true);
    expect(repeatsAction([action('a'), observation('a'), action('b'), action('a')])).toBe(false);
    expect(repeatsAction([])).toBe(false);
  });

  it.skipIf(!folder)('agrees with the recorded histories (needs EMAC_TEST_DATA)', () => {
    const { cases } = JSON.parse(readFileSync(join(folder!, 'derived', 'history_golden.json'), 'utf8')) as {
      cases: {
        items: [HistoryItem['label'], string][];
        emma_exhausted: boolean;
        reflexion_exhausted: boolean;
      }[];
    };
    const found = cases.map(({ items }) => repeatsAction(items.map(([label, value]) => ({ label, value }))));
    expect(found).toEqual(cases.map(({ emma_exhausted }) => emma_exhausted));
    expect(found).toEqual(cases.map(({ reflexion_exhausted }) => reflexion_exhausted));
    expect(new Set(found).size).toBe(2);
  });
});
