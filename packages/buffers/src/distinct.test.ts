/** Buffers that reject duplicates of held transitions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promptOf, type Prompt } from '@emac/core';
import { expect, it, onTestFinished } from 'vitest';
import { openBufferFile } from './buffer-file.ts';
import { fromRecords, toRecords } from './records.ts';
import { createImitationBuffer, createPreferenceBuffer, type ImitationBuffer } from './replay-buffer.ts';
import { featuresOf, heldBy, mixed, pair } from './transitions.test.fixture.ts';
import type { ImitationTransition } from './transition.ts';

const origin = { taskId: 'g', round: 0, episode: 0, step: 0 };
const words = (text: string): ImitationTransition => ({
  ...origin,
  prompt: promptOf([featuresOf('blank')], text),
  answer: ' look',
});
const texts = (buffer: ImitationBuffer) =>
  heldBy(buffer).map(({ prompt }) => (prompt[1]?.kind === 'text' ? prompt[1].text : null));

it('accepts a transition again once a full buffer has evicted it', () => {
  const buffer = createImitationBuffer({ capacity: 2, distinct: true });
  const taken = ['a', 'a', 'b', 'b', 'c', 'a'].map((text) => buffer.append(words(text)));
  // a, b; c evicts a; a is new again and evicts b
  expect(taken).toEqual([true, false, true, false, true, true]);
  expect([texts(buffer), buffer.appended]).toEqual([['c', 'a'], 4]);
});

it('knows after an interruption exactly the transitions that the buffer held', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-distinct-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'transitions.bin');
  const options = { capacity: 2, distinct: true };
  const buffer = createImitationBuffer(options);
  const file = openBufferFile(path, buffer);
  for (const text of ['a', 'b', 'c', 'a']) {
    buffer.append(words(text));
    file.save();
  }
  file.close();
  const fromFile = createImitationBuffer(options);
  openBufferFile(path, fromFile, { length: file.length }).close();
  const copied = createImitationBuffer(options);
  fromRecords(copied, toRecords(buffer));
  for (const again of [fromFile, copied]) {
    // it holds c and a; b is evicted
    expect(['c', 'a', 'b'].map((text) => again.append(words(text)))).toEqual([false, false, true]);
    expect(texts(again)).toEqual(['a', 'b']);
  }
  expect([fromFile.appended, copied.appended]).toEqual([5, 3]);
});

it("compares words and pictures, not a transition's origin", () => {
  const buffer = createImitationBuffer({ distinct: true });
  buffer.append(mixed(0));
  expect(buffer.append({ ...mixed(0), taskId: 'another', round: 3, episode: 8, step: 1 })).toBe(false);
  const { prompt } = mixed(0);
  const withPart = (place: number, part: Prompt[number]): Prompt => prompt.with(place, part);
  const cells = (shape: number[], data: Uint8Array | Int32Array) =>
    withPart(5, { kind: 'array', name: 'cells', values: { shape, data } });
  const others: Prompt[] = [
    // fewer parts, another order, another picture, another text, other numbers, shape, type or name
    prompt.slice(1),
    [...prompt].reverse(),
    withPart(2, { kind: 'image', features: featuresOf('other') }),
    withPart(1, { kind: 'text', text: 'Before' }),
    cells([1, 2], Uint8Array.of(255, 1)),
    cells([2, 1], Uint8Array.of(255, 0)),
    cells([1, 2], Int32Array.of(255, 0)),
    withPart(5, { kind: 'array', name: 'walls', values: { shape: [1, 2], data: Uint8Array.of(255, 0) } }),
  ];
  for (const other of others) expect(buffer.append({ ...mixed(0), prompt: other })).toBe(true);
  // other ids, and a text that looks like them
  expect(buffer.append({ ...mixed(0), answer: [17, 4] })).toBe(true);
  expect(buffer.append({ ...mixed(0), answer: '17,4,2' })).toBe(true);
  expect(buffer.append({ ...mixed(0), answer: [17, 4, 2] })).toBe(false);
});

it("ignores a pair's reference values, and does not remember dropped pairs", () => {
  const buffer = createPreferenceBuffer({ distinct: true, capacity: 2 });
  expect(buffer.append(pair(' look', ' look'))).toBe(false);
  expect(buffer.append(pair(' look', [3, 1]))).toBe(true);
  expect(buffer.append({ ...pair(' look', [3, 1]), reference: null })).toBe(false);
  expect(buffer.append(pair([3, 1], ' look'))).toBe(true);
});

it('holds equal transitions by default', () => {
  const buffer = createImitationBuffer();
  expect([buffer.append(words('a')), buffer.append(words('a')), buffer.length]).toEqual([true, true, 2]);
});
