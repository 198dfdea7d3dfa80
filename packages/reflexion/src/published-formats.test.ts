import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { History, Turn } from '@emac/core';
import { emmaText, reflexionText } from '@emac/prompt';
import { describe, expect, it } from 'vitest';
import { reflectionQuery } from './reflection-query.ts';
import { emmaTrialRecord, reflexionTrialRecord, skippedTrialRecord } from './trial-record.ts';

const folder = process.env.EMAC_TEST_DATA;

type GoldenCase = Readonly<Record<string, string>> & {
  readonly memory: readonly string[];
  readonly items: readonly (readonly [string, string])[];
};

function caseInput({ start_info, items, memory }: GoldenCase): {
  history: History;
  memories: readonly string[];
  pending?: string;
} {
  const turns: Turn[] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    turns.push({ command: items[at]![1], observation: items[at + 1]![1] });
  const input = { history: { initial: `-= Welcome =-\n\n${start_info}`, turns }, memories: memory };
  return items.length % 2 === 1 ? { ...input, pending: items.at(-1)![1] } : input;
}

describe.skipIf(!folder)('published formats (needs EMAC_TEST_DATA)', () => {
  const cases = (): readonly GoldenCase[] =>
    JSON.parse(readFileSync(join(folder!, 'derived', 'history_golden.json'), 'utf8')).cases;
  const examples = '<FEW_SHOT_EXAMPLES>';

  it('equal EMMA’s records and reflection queries', () => {
    for (const golden of cases()) {
      const input = caseInput(golden);
      const text = emmaText({ ...input, base: golden.base! });
      expect(emmaTrialRecord({ index: 0, text, success: false })).toBe(golden.emma_fail_record);
      expect(reflectionQuery({ ...input, examples })).toBe(golden.emma_reflection_query);
    }
  });

  it('equal Reflexion’s records, and its queries except for the end of the log that leaks into them', () => {
    for (const golden of cases()) {
      const input = caseInput(golden);
      const text = reflexionText({ ...input, base: golden.reflexion_base! });
      expect(reflexionTrialRecord({ index: 0, text, success: false })).toBe(golden.reflexion_fail_record);
      const published = golden.reflexion_reflection_query!.replace('STATUS: FAIL\n\n#####', 'STATUS: FAIL');
      expect(reflectionQuery({ ...input, examples, layout: 'reflexion' })).toBe(published);
    }
  });
});

describe('published formats', () => {
  it('write one line for a solved game', () => {
    expect(emmaTrialRecord({ index: 3, text: 'x', success: true })).toBe(
      '\n#####\n\nEnvironment #3: Success\n\n#####\n',
    );
    expect(skippedTrialRecord(3)).toBe(emmaTrialRecord({ index: 3, text: '', success: true }));
  });

  it('keep the whole scenario if a command contains blank lines', () => {
    const history = {
      initial: 'W\n\nRoom.\n\nYour task is to: T',
      turns: [{ command: 'a\n\nb', observation: 'Nothing happens.' }],
    };
    expect(reflectionQuery({ history, examples: 'E' })).toContain(
      'E\nRoom.\nYour task is to: T.\n> a\n\nb\nNothing happens.\nSTATUS: FAIL\nNew plan: ',
    );
  });
});
