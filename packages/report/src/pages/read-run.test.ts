/** Evaluations that lack a part, or are none: refused by name, not shown without it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readRun } from './read-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-read-run-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'eval.json');
const summary = { success: null, success_ci95: null, mean_steps: null, by_type: {} };
const whole = { v: 1, checkpoint: 'emma-tiny', games: [], ...summary, seen: summary };

function read(content: unknown) {
  writeFileSync(path, JSON.stringify(content));
  return readRun(folder, new Date(0));
}

it('an evaluation is whole', () => {
  expect(read(whole).evaluations).toHaveLength(1);
});

it.each(['games', 'seen', 'success', 'mean_steps'])('an evaluation without %s is damaged', (name) => {
  expect(() => read({ ...whole, [name]: undefined })).toThrow(
    `${path}: is no evaluation, it has no ${name}; it was damaged, put it back or make it again`,
  );
});

it.each([[null], [3], [[]], ['whole']])('%j is no evaluation', (content) => {
  expect(() => read(content)).toThrow(`${path}: is no evaluation, it has no fields`);
});
