import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { refuseOutOfReach } from './within-reach.ts';

const outside = mkdtempSync(join(tmpdir(), 'reach-'));
const folder = join(outside, 'runs');
mkdirSync(join(folder, 'received'), { recursive: true });
writeFileSync(join(outside, 'secret'), '');
symlinkSync(join(outside, 'secret'), join(folder, 'received', 'prompts.json'));
symlinkSync(outside, join(folder, 'received', 'up'));
afterAll(() => rmSync(outside, { recursive: true }));
const asked = (value: string) => () => refuseOutOfReach('--data', value, ['.', folder]);

it.each([
  'http://127.0.0.1:8000',
  'http://localhost:8000/v1',
  'http://[::1]:8000',
  'builtin:train',
  'minigrid/Empty-5x5-v0',
  'data/*.jsonl',
  'HuggingFaceTB/SmolLM2-135M-Instruct',
  'openai:gpt-4o-mini',
  join(folder, 'received'),
  'q_proj, v_proj',
  'all',
])('a page may name %s', (value) => {
  expect(asked(value)).not.toThrow();
});

it.each([
  'http://elsewhere.example/v1',
  'https://127.0.0.1@elsewhere.example',
  'http://localhost.elsewhere.example',
  'HTTP:elsewhere.example',
  ' http://elsewhere.example',
  'ht\ttp://elsewhere.example',
  'redis://elsewhere.example',
  'speaker=http://elsewhere.example',
  'http://127.0.0.1:99999999',
  'other://elsewhere.example',
  'http://169.254.169.254/',
  'http://127.0.0.1/,http://elsewhere.example',
  'file:///etc/passwd',
])('a page does not reach %s', (value) => {
  expect(asked(value)).toThrow(/^--data: a page reaches servers of this machine alone/);
});

it.each([
  '/etc/passwd',
  '~/.ssh/id_rsa',
  '../../../../../../etc/passwd',
  'data/../../../../../../../etc/passwd',
  '{data,/etc}/*',
  'data,/etc/passwd',
  join(outside, 'secret'),
  join(folder, 'received', 'prompts.json'),
  join(folder, 'received', 'up', 'secret'),
  join(folder, 'received', 'up', 'not-there'),
])('a page does not name %s', (value) => {
  expect(asked(value)).toThrow(/^--data: a page names files in the board's folder/);
});
