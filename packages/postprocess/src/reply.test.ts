import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCommand } from './command.ts';
import { parseReply, postprocess } from './reply.ts';

/** All forms of commands in ALFWorld, in both dialects. */
const commands = [
  'go to cabinet 1',
  'open fridge 1',
  'close fridge 1',
  'take mug 1 from countertop 2',
  'put mug 1 in/on desk 1',
  'move mug 1 to desk 1',
  'heat apple 1 with microwave 1',
  'cool apple 1 with fridge 1',
  'clean cloth 3 with sinkbasin 1',
  'slice bread 1 with knife 2',
  'use desklamp 1',
  'examine shelf 1',
  'look',
  'inventory',
  'help',
];

describe('postprocess', () => {
  it.each(commands)('leaves %s unchanged', (command) => {
    expect(postprocess(command)).toBe(command);
    expect(isCommand(command)).toBe(true);
  });

  it.each([
    ['go to cabinet 1. ', 'go to cabinet 1'],
    ['"go to cabinet 1"', 'go to cabinet 1'],
    ['**go to cabinet 1**', 'go to cabinet 1'],
    ['```\ngo to cabinet 1\n```', 'go to cabinet 1'],
    ['```text\ngo to cabinet 1\n```', 'go to cabinet 1'],
    ['1. go to cabinet 1', 'go to cabinet 1'],
    ['(2) go to cabinet 1', 'go to cabinet 1'],
    ['- `go to cabinet 1`', 'go to cabinet 1'],
    ['> > go to cabinet 1', 'go to cabinet 1'],
    ['action: go to cabinet 1', 'go to cabinet 1'],
    ['**Action:** Go to the cabinet 1.', 'go to cabinet 1'],
    ['step 1: go to cabinet 1', 'go to cabinet 1'],
    ['{"action": "go to cabinet 1"}', 'go to cabinet 1'],
    ['go to cabinet (1)', 'go to cabinet 1'],
    ['go to cabinet #1', 'go to cabinet 1'],
    ['GO TO CABINET 1', 'go to cabinet 1'],
    ['go to cabinet 1 to look for a mug 2', 'go to cabinet 1'],
    ['go to cabinet 1</s>', 'go to cabinet 1'],
    ['go to cabinet 1<|im_end|>', 'go to cabinet 1'],
    ['go to cabinet 1\\nOn the cabinet 1', 'go to cabinet 1'],
    ['\n\n  go to cabinet 1\n> open cabinet 1', 'go to cabinet 1'],
    ['open fridge 1 and take apple 1', 'open fridge 1'],
    ['use desklamp 1 on desk 1', 'use desklamp 1'],
    ['put the mug 1 in the desk 1', 'put mug 1 in/on desk 1'],
    ['put mug 1 into desk 1', 'put mug 1 in/on desk 1'],
    ['put mug 1 onto the desk 1.', 'put mug 1 in/on desk 1'],
    ['put the book 1 on the desk 1 in the room', 'put book 1 in/on desk 1'],
    ['move mug 1 onto desk 1', 'move mug 1 to desk 1'],
    ['take the mug 1  from   the shelf 2', 'take mug 1 from shelf 2'],
    ['take alarm clock 1 from side table 2', 'take alarm clock 1 from side table 2'],
    ['Thought: I need a mug. Action: go to desk 1', 'go to desk 1'],
    ['think: a mug may be there.\ngo to desk 1', 'go to desk 1'],
    ['<think>\nopen fridge 1?\nNo.\n</think>\n\ngo to desk 1', 'go to desk 1'],
  ])('reads %j as %s', (text, command) => {
    expect(postprocess(text)).toBe(command);
  });

  it.each([
    ['', ''],
    ['...', ''],
    ['<think>go to desk 1', ''],
    ['think: I should look for The mug.', 'think: I should look for The mug.'],
    ['Good idea!', 'good idea'],
    // AI2-THOR's lenient parser reads it as look; the text world rejects it
    ['Look around.', 'look around'],
    ['I should not go to cabinet 1.', 'i should not go to cabinet 1'],
    ['9999999999', '9999999999'],
    ['put apple in', 'put apple in'],
    ['open', 'open'],
  ])('finds no command in %j', (text, expected) => {
    expect(postprocess(text)).toBe(expected);
    expect(isCommand(postprocess(text))).toBe(false);
  });

  const decorated = fc
    .tuple(
      fc.constantFrom(
        '',
        ' ',
        '\n',
        '> ',
        '>>',
        '1. ',
        '2) ',
        '- ',
        '* ',
        '**',
        '`',
        '"',
        '(',
        'action: ',
        'Step 3: ',
        '#',
      ),
      fc.constantFrom('', '> ', '"', '- ', 'Action: ', '1) ', '**'),
      fc.constantFrom(
        ...commands,
        'think: x',
        'Thought: **y',
        'put the cup in (1',
        'go to',
        'go to fridge',
        'move a to b',
      ),
      fc.constantFrom(
        '',
        '.',
        '. ',
        '"',
        '`',
        '**',
        '!!!',
        ' \n',
        '\nopen fridge 1',
        ' now',
        ' (ok',
        ')',
        '</s>',
        ' action:',
      ),
    )
    .map((parts) => parts.join(''));
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    decorated,
    fc.array(decorated).map((all) => all.join('')),
  );

  it('is idempotent, gives one line and never throws', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const once = postprocess(text);
        expect(once).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(once).toBe(once.trim());
        expect(postprocess(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives only words and numbers of the text, except for completed prepositions', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const source = text.toLowerCase();
        for (const word of postprocess(text).toLowerCase().split(' '))
          if (!['in/on', 'to', 'think:'].includes(word)) expect(source).toContain(word);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the command inside any one decoration', () => {
    const before = fc.constantFrom(
      '',
      ' ',
      '\n\n',
      '> ',
      '1. ',
      '2) ',
      '- ',
      '* ',
      'action: ',
      'Next action: ',
      'step 4: ',
    );
    const wrap = fc.constantFrom('', '"', '`', '**', '_', "'");
    const after = fc.constantFrom('', '.', ' .', '. ', '!', '\n', '\nlook', ' </s>');
    fc.assert(
      fc.property(before, wrap, fc.constantFrom(...commands), after, (start, quote, command, end) => {
        expect(postprocess(`${start}${quote}${command}${quote}${end}`)).toBe(command);
        expect(postprocess(`${start}${quote}${command.toUpperCase()}${end}${quote}`)).toBe(command);
      }),
    );
  });
});

describe('parseReply', () => {
  it('gives the thoughts before the first command and nothing after it', () => {
    expect(parseReply('Think: first.\n> think: second\n\ngo to desk 1\nthink: third')).toEqual({
      command: 'go to desk 1',
      thoughts: ['first.', 'second'],
      other: '',
    });
  });

  it('gives the first line that is neither thought nor command', () => {
    expect(parseReply('I am sorry.\nI cannot.')).toEqual({
      command: null,
      thoughts: [],
      other: 'i am sorry',
    });
  });
});

const folder = process.env.EMAC_TEST_DATA;

describe.skipIf(!folder)('real commands (needs EMAC_TEST_DATA)', () => {
  it('of published transcripts are commands and stay unchanged', () => {
    const prompts: Record<string, string> = JSON.parse(
      readFileSync(join(folder!, 'react', 'alfworld_3prompts.json'), 'utf8'),
    );
    const lines = Object.values(prompts).flatMap((text) =>
      [...text.matchAll(/^> (?!think:)(.+?) *$/gm)].map(([, line]) => line!),
    );
    expect(lines.length).toBeGreaterThan(300);
    for (const line of lines) expect([line, postprocess(line), isCommand(line)]).toEqual([line, line, true]);
  });
});
