import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPromptFile } from './prompt-file.ts';
import { publishedPrompt } from './published-prompt.ts';
import { countTokens } from './token-counter.ts';

const folder = process.env.EMAC_TEST_DATA;
const history = {
  initial: 'W\n\nRoom.\n\nYour task is to: T',
  turns: [
    { command: 'look', observation: 'You see.' },
    { command: 'go to desk 1', observation: 'Nothing happens.' },
  ],
};
const unlimited = { maxTokens: Infinity, countTokens: (text: string) => text.length };

describe('publishedPrompt', () => {
  it('ends every layout at the open prompt of its program', () => {
    const input = { history, examples: ['E1\n', 'E0\n'], memories: ['m'], ...unlimited };
    const instruction = 'Interact with a household to solve a task. Here are two examples.\nE1\nE0\n';
    const played = '> look\nYou see.\n> go to desk 1\nNothing happens.\n';
    expect(publishedPrompt('react', input).prompt).toBe(
      `${instruction}\nHere is the task.\nRoom.\nYour task is to: T\n${played}>`,
    );
    expect(publishedPrompt('reflexion', input).prompt).toBe(
      `${instruction}\n\nYour memory for the task below:\nTrial 0:\nm\nHere is the task:\nRoom.\nYour task is to: T\n${played.trimEnd()}>`,
    );
    // with lessons EMMA omits the first example, and the task gets a full stop
    expect(publishedPrompt('emma', input).prompt).toBe(
      `E0\n\nYour memory for the task below:\nTrial 0: m\n\nRoom.\nYour task is to: T.\n${played}> `,
    );
  });

  it('is shortened by whole turns, counted in the model’s own tokens', () => {
    const count = countTokens('gpt-4');
    const long = { ...history, turns: Array.from({ length: 200 }, () => history.turns).flat() };
    const fitted = publishedPrompt('emma', {
      history: long,
      examples: ['E\n'],
      maxTokens: 500,
      countTokens: count,
    });
    expect(fitted.fits && fitted.tokens <= 500 && fitted.tokens > 480).toBe(true);
    expect(fitted.prompt).toMatch(/^E\n\nRoom\.\nYour task is to: T\.\n> (look|go to desk 1)\n/);
    expect(fitted.dropped).toEqual({
      turns: 400 - fitted.prompt.match(/^> \w/gm)!.length,
      examples: 0,
      memories: 0,
    });
    count.free();
  });
});

describe('readPromptFile', () => {
  const names = ['put', 'clean', 'heat', 'cool', 'puttwo', 'examine'];
  const entries = names.flatMap((name) => [
    [`react_${name}_10`, `${name} ten\n> look\n`],
    [`react_${name}_2`, `${name} two\n> look`],
    [`act_${name}_0`, `${name} act\n> look\n`],
  ]);
  const text = JSON.stringify(Object.fromEntries(entries));

  it('gives a task type’s episodes in order of their numbers, each ending its last line', () => {
    const file = readPromptFile(`\ufeff${text}`, 'FILE');
    expect(file.examples('pick_two_obj_and_place')).toEqual(['puttwo two\n> look\n', 'puttwo ten\n> look\n']);
    expect(file.examples('look_at_obj_in_light', 'act')).toEqual(['examine act\n> look\n']);
    expect(file.examples(null)[0]).toBe('put two\n> look\n');
  });

  it.each([
    ['{', 'is not JSON'],
    ['[]', 'must be an object'],
    ['{"react_put_0": 1}', 'react_put_0 is not an episode'],
    ['{"react_put_0": "a\\n> look\\n"}', 'has no react_clean_0'],
  ])('rejects %s', (damaged, rule) => {
    expect(() => readPromptFile(damaged, 'my.json')).toThrow(rule);
    expect(() => readPromptFile(damaged, 'my.json')).toThrow(/^my\.json: /);
  });

  it.skipIf(!folder)('reads the published files (needs EMAC_TEST_DATA)', () => {
    for (const name of ['react', 'emma']) {
      const published = readFileSync(join(folder!, name, 'alfworld_3prompts.json'), 'utf8');
      const file = readPromptFile(published, name);
      const raw = JSON.parse(published) as Record<string, string>;
      const heat = ['react_heat_0', 'react_heat_1', 'react_heat_2'].map((key) => raw[key]);
      expect(file.examples('pick_heat_then_place_in_recep')).toEqual(heat);
      expect(file.examples('pick_and_place_simple', 'act')).toHaveLength(3);
    }
  });
});
