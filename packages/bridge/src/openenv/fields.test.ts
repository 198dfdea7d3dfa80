import { describe, expect, it } from 'vitest';
import { fieldsOf, type Fields } from './fields.ts';
import { schemaOf } from './theirs.test.support.ts';

import type { Mapping } from './address.ts';

const none: Mapping = { action: null, text: null, picture: null, actions: null, won: null };
const text = { type: 'string' };

function fields(action: object, observation: object = { text }, mapping: Partial<Mapping> = {}): Fields {
  const schemas = { action: schemaOf({ ...action }), observation: schemaOf({ ...observation }) };
  return fieldsOf('openenv:ws://h', schemas, { ...none, ...mapping });
}

const data = (observation: object, more: object = {}) => ({ observation, reward: 0, done: false, ...more });

describe('the text of a policy', () => {
  it('goes into the only field of an action, in its type', () => {
    expect(fields({ message: text }).actionOf('go on')).toEqual({ message: 'go on' });
    expect(fields({ move: { type: 'integer' } }).actionOf(' 3\n')).toEqual({ move: 3 });
    expect(fields({ move: { type: 'integer' } }).actionOf('3.5')).toBe(null);
    expect(fields({ move: { type: 'integer' } }).actionOf('left')).toBe(null);
    expect(fields({ open: { type: 'boolean' } }).actionOf('true')).toEqual({ open: true });
    expect(fields({ move: { enum: ['UP', 'DOWN'] } }).actionOf('up')).toBe(null);
  });

  it('follows references and leaves null aside, as pydantic writes them', () => {
    const action = {
      ...schemaOf({ move: { anyOf: [{ $ref: '#/$defs/Move' }, { type: 'null' }] } }),
      $defs: { Move: { enum: [0, 1], type: 'integer' } },
    };
    const read = fieldsOf('openenv:ws://h', { action, observation: schemaOf({ text }) }, none);
    expect(read.actionOf('1')).toEqual({ move: 1 });
    expect(read.admissibleOf(data({ text: '' }))).toEqual(['0', '1']);
  });

  it('is a text in a field that refers to itself', () => {
    const circle = { loop: { $ref: '#/properties/loop' } };
    expect(fields(circle, undefined, { action: 'loop' }).actionOf('go')).toEqual({ loop: 'go' });
  });

  it('needs a mapping where it could go into several fields', () => {
    const action = { tool: text, code: text };
    expect(() => fields(action)).toThrow(
      "its actions have the fields tool, code; add #action=FIELD for the one that takes the policy's text, or #action=. for texts that are whole actions in JSON",
    );
    expect(fields(action, undefined, { action: 'code' }).actionOf('1 + 1')).toEqual({ code: '1 + 1' });
    const whole = fields(action, undefined, { action: '.' });
    expect(whole.actionOf('{"tool": "add", "code": ""}')).toEqual({ tool: 'add', code: '' });
    expect(whole.actionOf('add')).toBe(null);
  });
});

describe('an observation', () => {
  it('is its field text, else the only field of texts, else every field on a line', () => {
    expect(fields({ a: text }, { text, goal: text }).textOf(data({ text: 'a room', goal: 'a key' }))).toBe(
      'a room',
    );
    const echo = fields({ a: text }, { echoed: text, length: { type: 'integer' } });
    expect(echo.textOf(data({ echoed: 'hi', length: 2 }))).toBe('hi');
    const all = fields({ a: text }, { goal: text, board: text, screenshot: text });
    const seen = {
      goal: 'win',
      board: 'x.o',
      turn: 3,
      screenshot: 'iVBOR',
      reward: 0,
      done: false,
      metadata: {},
    };
    expect(all.textOf(data(seen))).toBe('goal: win\nboard: x.o\nturn: 3');
  });

  it('is what a mapping names: several places, and the content of messages', () => {
    const read = fields({ a: text }, {}, { text: ['observation.prompt', 'observation.messages'] });
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'user', content: 'again' },
    ];
    expect(read.textOf(data({ prompt: 'play', messages }))).toBe('play\nhello\nagain');
  });

  it('may list the actions that are accepted, also as numbers; an empty list says nothing', () => {
    const read = fields({ a: text }, { text, legal_actions: { type: 'array' } });
    expect(read.admissibleOf(data({ legal_actions: [2, 0, 2] }))).toEqual(['0', '2']);
    expect(read.admissibleOf(data({ legal_actions: [] }))).toBe(null);
    const named = fields({ a: text }, { text }, { actions: 'metadata.moves' });
    expect(named.admissibleOf(data({}, { metadata: { moves: ['b', 'a'] } }))).toEqual(['a', 'b']);
    const ranged = fields({ a: { type: 'integer', minimum: 1, maximum: 3 } });
    expect(ranged.admissibleOf(data({}))).toEqual(['1', '2', '3']);
  });

  it('may hold arrays, as nested lists of equal lengths', () => {
    const arraysOf = (arrays: object) => fields({ a: text }).arraysOf(data({ arrays }));
    expect(
      arraysOf({
        grid: [
          [1, 2, 3],
          [4, 5, 6],
        ],
        one: 7,
        torn: [[1], [2, 3]],
        words: ['a'],
      }),
    ).toEqual({
      grid: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
      one: { shape: [], data: Float32Array.of(7) },
    });
    expect(arraysOf({})).toBe(null);
  });

  it('says whether it is won, where it does', () => {
    const read = fields({ a: text });
    expect(read.wonOf(data({}, { metadata: { won: true } }))).toBe(true);
    expect(read.wonOf(data({}))).toBe(null);
    expect(fields({ a: text }, {}, { won: 'observation.solved' }).wonOf(data({ solved: false }))).toBe(false);
  });
});
