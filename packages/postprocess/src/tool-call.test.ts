import { describe, expect, it } from 'vitest';
import { readCall, readCalls } from './tool-call.ts';

const call = { name: 'add', arguments: { a: 1, b: [2] } };

it.each([
  ['Qwen, Hermes', '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": [2]}}\n</tool_call>'],
  [
    'a thought before it',
    '<think>{"name": "no"}</think>\n<tool_call>{"name": "add", "arguments": {"a": 1, "b": [2]}}',
  ],
  ['Llama 3', '{"name": "add", "parameters": {"a": 1, "b": [2]}}'],
  ['Llama 3 with its token', '<|python_tag|>{"name": "add", "parameters": {"a": 1, "b": [2]}}<|eom_id|>'],
  ['Mistral', '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1, "b": [2]}, "id": "call00000"}]'],
  ['Mistral without its token', '[{"name": "add", "arguments": {"a": 1, "b": [2]}}]'],
  ['a newer Mistral', '[TOOL_CALLS]add[ARGS]{"a": 1, "b": [2]}'],
  ['a fence', 'I add.\n```json\n{"name": "add", "arguments": {"a": 1, "b": [2]}}\n```'],
  ['a text of arguments', '{"function": {"name": "add", "arguments": "{\\"a\\": 1, \\"b\\": [2]}"}}'],
])('reads a call of %s', (_, text) => {
  expect(readCall(text)).toEqual({ call });
});

it.each([
  ['I add.', 'calls no tool'],
  ['', 'calls no tool'],
  ['<tool_call>{"name": "add"', 'its call is no JSON'],
  ['{"arguments": {}}', 'its call has no name'],
  ['{"name": "add", "arguments": [1]}', 'its call of add has no object of arguments'],
  [
    '<tool_call>{"name": "a"}</tool_call><tool_call>{"name": "b"}</tool_call>',
    'calls several tools; call one',
  ],
])('says what is wrong with %j', (text, fault) => {
  expect(readCall(text)).toEqual({ fault });
});

describe('several calls of an answer', () => {
  const isKnown = ({ name }: { readonly name: string }) => name !== 'other';
  const both = [
    { name: 'a', arguments: { x: 1 } },
    { name: 'b', arguments: {} },
  ];

  it.each([
    [
      'Qwen, Hermes',
      '<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>\n<tool_call>\n{"name": "b", "arguments": {}}\n</tool_call>',
    ],
    ['Mistral', '[TOOL_CALLS] [{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": {}}]'],
    ['a newer Mistral', '[TOOL_CALLS]a[ARGS]{"x": 1}[TOOL_CALLS]b[ARGS]{}'],
  ])('are read in the form of %s, with the words around them', (_, text) => {
    expect(readCalls(`First. ${text}`, isKnown)).toEqual({ calls: both, words: 'First.' });
    expect(readCalls(text, isKnown)!.words).toBe('');
  });

  it.each([
    ['words', 'I call a.'],
    ['an unknown tool', '<tool_call>{"name": "other", "arguments": {}}</tool_call>'],
    [
      'one right and one broken call',
      '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>{"name"',
    ],
    ['JSON that answers', '{"name": "other", "age": 3}'],
  ])('are none in %s', (_, text) => {
    expect(readCalls(text, isKnown)).toBeNull();
  });
});
