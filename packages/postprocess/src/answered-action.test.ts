import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answeredAction, type AnswerReading } from './answered-action.ts';

const numbers = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'];
const lists = {
  line: ['-', '+'],
  cards: ['stand', 'hit'],
  ez: [...numbers, '+', '*', '='],
  points: [...numbers, '+', '-', '*', '/', '(', ')', '='],
  grid: ['turn left', 'turn right', 'move forward', 'pick up', 'drop', 'toggle', 'done'],
};

/** `drawn` is the random action. */
function answered(
  text: string,
  list: keyof typeof lists,
  way: NonNullable<AnswerReading['way']> = 'strict',
): string {
  const { action, source } = answeredAction(text, { actions: lists[list], draw: () => 'drawn', way });
  return `${source} ${action}`;
}

describe('an answer', () => {
  it.each<[string, keyof typeof lists, string]>([
    ['{"thoughts": "3 is less than 5 - so I add", "action": "+"}', 'line', 'json +'],
    ['```json\n{\n "action": "-" \n}\n```', 'line', 'json -'],
    ['Sure! {"action": "HIT"} Good luck.', 'cards', 'json hit'],
    ['\\{\n"action": "10" \n\\}', 'points', 'json 10'],
    ['{"action": 10}', 'points', 'json 10'],
    ['{"action": " Turn Left "}', 'grid', 'json turn left'],
    ['{"action": "("}', 'points', 'json ('],
    ['{"thoughts": "first \\"action\\": \\"hit\\"", "action": "stand"}', 'cards', 'json stand'],
    // the prompt's template, with its missing comma
    [
      '{\n "cards": [2, 10], \n"current formula": 10+, \n"thoughts": {it is open} \n"action": "2" \n}',
      'ez',
      'scan 2',
    ],
    ['{"thoughts": "unfinished", "action": "1', 'points', 'scan 1'],
    ['{"action": "{10}" \n \\}', 'points', 'scan 10'],
    ['"action": hit}', 'cards', 'scan hit'],
    ['"action": "I will hit", "why": "stand is worse"', 'cards', 'scan hit'],
    ['{"action": "I go for turn left now."}', 'grid', 'scan turn left'],
    ['"action": "+" \n and 3-4', 'points', 'scan +'],
    ['"action": "hit" "action": "stand"', 'cards', 'scan stand'],
    ['I would rather stand here.', 'cards', 'scan stand'],
    ['Move forward.', 'grid', 'scan move forward'],
    [' "+" ', 'line', 'scan +'],
    ['10', 'ez', 'scan 10'],
  ])('%j of %s is read: %s', (text, list, expected) => {
    expect(answered(text, list)).toBe(expected);
  });

  it.each<[string, keyof typeof lists]>([
    ['', 'line'],
    ['I do not know - sorry', 'line'],
    ['{"action": "-" or "+"}', 'line'],
    ['{"action": "stay"}', 'cards'],
    ['{"action": ""}', 'cards'],
    ['{"action": null}', 'cards'],
    ['{"action": ["hit"], "also": "stand"', 'line'],
    ['I hit the standing one, or stand', 'cards'],
    ['white standards', 'cards'],
    ['"action": "2 * 6"', 'ez'],
    ['"action": "12"', 'ez'],
    ['2*6', 'ez'],
    ['"action": "-"', 'ez'],
    ['turn around', 'grid'],
  ])('%j of %s names no action', (text, list) => {
    expect(answered(text, list)).toBe('random drawn');
  });

  it('uses a random action only if it names none', () => {
    let draws = 0;
    const draw = (actions: readonly string[]): string => {
      draws++;
      return actions[1]!;
    };
    expect(answeredAction('hit', { actions: lists.cards, draw })).toEqual({ action: 'hit', source: 'scan' });
    expect(draws).toBe(0);
    expect(answeredAction('?', { actions: lists.cards, draw })).toEqual({ action: 'hit', source: 'random' });
    expect(draws).toBe(1);
  });

  const any = fc.constantFrom(...(Object.keys(lists) as (keyof typeof lists)[]));

  it('in JSON names its action, whatever else it contains', () => {
    fc.assert(
      fc.property(any, fc.nat(), fc.string(), (list, number, thoughts) => {
        const action = lists[list][number % lists[list].length]!;
        expect(answered(JSON.stringify({ thoughts, action }), list)).toBe(`json ${action}`);
        expect(answered(`\`\`\`json\n${JSON.stringify({ action }, null, 1)}\n\`\`\``, list)).toBe(
          `json ${action}`,
        );
        // truncated before the closing quote
        const cut = answered(JSON.stringify({ thoughts: 'x', action }).slice(0, -2), list);
        expect(cut).toBe(`scan ${action}`);
      }),
    );
  });

  it('is always one of the actions, or a random one', () => {
    const piece = fc.constantFrom(
      '"action":',
      '"',
      '{',
      '}',
      '10',
      '1',
      '-',
      '+',
      'hit',
      'stand',
      ' ',
      '\n',
      ',',
      '\\',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((all) => all.join('')),
    );
    const ways = fc.constantFrom('strict', 'rl4vlm', 'vlm-finetune');
    fc.assert(
      fc.property(text, any, ways, (some, list, way) => {
        const [source, ...words] = answered(some, list, way as 'strict').split(' ');
        const action = words.join(' ');
        expect(source === 'random' ? action === 'drawn' : lists[list].includes(action)).toBe(true);
      }),
    );
  });
});

describe('an answer read as published', () => {
  it.each<[string, keyof typeof lists, string]>([
    ['{"action": "+"}', 'line', 'scan +'],
    // the rest of the answer counts, or without `"action":` its last character
    ['{"action": "+", "note": "3-4"}', 'line', 'random drawn'],
    ['I take +', 'line', 'scan +'],
    ['I take +.', 'line', 'random drawn'],
    // without `"action":` the last character of ten is no action, that of 21 is one
    ['10', 'points', 'random drawn'],
    ['21', 'points', 'scan 1'],
    ['{"action": "10"}', 'points', 'scan 10'],
    ['{"action": "1010"}', 'points', 'scan 10'],
    ['{"action": "101"}', 'points', 'random drawn'],
    ['{"action": "12"}', 'points', 'random drawn'],
    // the first of two
    ['"action": "hit" "action": "stand"', 'cards', 'random drawn'],
    ['{"action": "HIT"}', 'cards', 'scan hit'],
    ['{"action" : "hit"}', 'cards', 'random drawn'],
  ])('%j of %s: %s', (text, list, expected) => {
    expect(answered(text, list, 'rl4vlm')).toBe(expected);
    expect(answered(text, list, 'vlm-finetune')).toBe(expected);
  });

  it('matches parts of words in one, whole words in the other', () => {
    expect(answered('{"action": "white"}', 'cards', 'rl4vlm')).toBe('scan hit');
    expect(answered('{"action": "white"}', 'cards', 'vlm-finetune')).toBe('random drawn');
    expect(answered('{"action": "Turn left"}', 'grid', 'vlm-finetune')).toBe('scan turn left');
  });
});
