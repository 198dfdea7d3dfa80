import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { History, Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { emmaText, reactBase, reactText, reflexionText } from './published-text.ts';

const folder = process.env.EMAC_TEST_DATA;

interface GoldenCase {
  readonly base: string;
  readonly start_info: string;
  readonly memory: readonly string[];
  readonly items: readonly (readonly ['action' | 'observation', string])[];
  readonly emma_str: string;
  readonly reflexion_base: string;
  readonly reflexion_str: string;
}

const goldenCases = (): readonly GoldenCase[] =>
  JSON.parse(readFileSync(join(folder!, 'derived', 'history_golden.json'), 'utf8')).cases;

function asHistory({ start_info, items }: GoldenCase): { history: History; pending?: string } {
  const turns: Turn[] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    turns.push({ command: items[at]![1], observation: items[at + 1]![1] });
  const history = { initial: `-= Welcome =-\n\n${start_info}`, turns };
  return items.length % 2 === 1 ? { history, pending: items.at(-1)![1] } : { history };
}

describe.skipIf(!folder)('the published layouts (needs EMAC_TEST_DATA)', () => {
  it("equal EMMA's and Reflexion's output for every recorded history", () => {
    const cases = goldenCases();
    expect(cases.length).toBe(9);
    for (const golden of cases) {
      const input = { ...asHistory(golden), memories: golden.memory };
      expect(emmaText({ ...input, base: golden.base })).toBe(golden.emma_str);
      expect(reflexionText({ ...input, base: golden.reflexion_base })).toBe(golden.reflexion_str);
    }
  });
});

describe('the published layouts', () => {
  const history: History = {
    initial: 'W\n\nRoom.\n\nYour task is to: T.',
    turns: [{ command: 'look', observation: 'You see.' }],
  };

  it('open ReAct’s prompt with the instruction, the examples and the task', () => {
    // ysymyth/ReAct: instruction + examples + '\nHere is the task.\n' + task + '\n>' and ' action\nobservation\n>' per step
    expect(reactText({ history, base: reactBase(['EX1\n', 'EX2\n']) })).toBe(
      'Interact with a household to solve a task. Here are two examples.\nEX1\nEX2\n\nHere is the task.\nRoom.\nYour task is to: T.\n> look\nYou see.\n>',
    );
  });

  it('omit EMMA’s first example when there are memories', () => {
    const counts = [0, 1, 2, 3, 4].map((count) => reactBase(new Array<string>(count).fill('E\n')));
    expect(counts.map((text) => text.replaceAll('E\n', '').trimEnd().slice(43))).toEqual([
      ...['', 'Here is one example.', 'Here are two examples.', 'Here are three examples.'],
      'Here are examples.',
    ]);
  });
});
