/** Outputs of a dry run: the object on standard output, words and warnings on standard error. */
import type { DryRun } from '@emac/dry-run';
import { expect, it } from 'vitest';
import { sayDryRuns } from './dry-run-text.ts';

const run = {
  name: 'bc',
  config: { seed: 0 },
  notes: ['a note'],
  warnings: ['disk: may be too small'],
  model: { folder: 'm', identity: 'abc', layers: 'whole', parameters: { trained: 1, frozen: 2 } },
  of: '1 game',
  example: {
    source: 'a',
    saidBy: 'the expert',
    prompt: 'p',
    target: ' look',
    tokens: { visual: 1, prompt: 2, target: 3, longest: 4 },
  },
  memory: { opened: 1, acting: 1, peak: 1, run: { least: 1, most: 1 }, training: 0, available: 1 },
  disk: null,
  time: {
    parts: [],
    total: { least: 1, most: 1 },
    how: [],
    measured: { play: { least: 1, most: 1 }, learn: 0 },
  },
  expert: null,
} as unknown as DryRun;

function said(asked: { json: boolean; quiet: boolean }): { stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  const writer = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (written[name] += text),
    isTerminal: false,
    columns: 100,
    isClosed: false,
  });
  sayDryRuns([run], { ...asked, io: { stdout: writer('stdout'), stderr: writer('stderr') } });
  return written;
}

const object = `${JSON.stringify({ runs: [run] })}\n`;

it('prints warnings once, with --quiet too', () => {
  expect(said({ json: true, quiet: true })).toEqual({
    stdout: object,
    stderr: 'warning: disk: may be too small\n',
  });
  for (const quiet of [true, false]) {
    const { stdout, stderr } = said({ json: false, quiet });
    expect(stdout.match(/^warning: disk: may be too small$/gm)).toHaveLength(1);
    expect(stderr).toBe('');
  }
  const both = said({ json: true, quiet: false });
  expect(both.stdout).toBe(object);
  expect(both.stderr.match(/^warning: disk: may be too small$/gm)).toHaveLength(1);
});
