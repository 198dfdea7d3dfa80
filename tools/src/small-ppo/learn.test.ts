import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PpoLine } from '@emac/algorithms';
import { expect, it, onTestFinished } from 'vitest';
import { learn, type Job } from './learn.ts';
import { table } from './table.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'emac-small-ppo-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('resumes after an interruption to the same result, and keeps it', async () => {
  const job = (lines: PpoLine[], stopAt: number | null): Job => ({
    id: 'gym_cards/NumberLine-v0',
    seed: 0,
    episodes: 50,
    folder: folder(),
    environmentSteps: 5000,
    updatesPerCheckpoint: 2,
    report: (line) => {
      if (line.update === stopAt) throw new Error('pulled the plug');
      lines.push(line);
    },
  });
  const [whole, first, rest]: PpoLine[][] = [[], [], []];
  const undisturbed = await learn(job(whole!, null));
  const stopped = job(first!, 3);
  await expect(learn(stopped)).rejects.toThrow('pulled the plug');
  const resumed = await learn({ ...stopped, report: (line) => void rest!.push(line) });
  // 5 updates of 1024 steps; the last checkpoint was after two
  expect([...first!.slice(0, 2), ...rest!]).toEqual(whole);
  expect(whole).toHaveLength(5);
  expect([resumed.greedy, resumed.sampled]).toEqual([undisturbed.greedy, undisturbed.sampled]);
  expect(await learn({ ...stopped, report: () => expect.fail('learned again') })).toEqual(resumed);
  expect(readdirSync(stopped.folder)).toContain('gym_cards-NumberLine-v0-s0.json');
  expect(table([resumed])).toContain('| gym_cards/NumberLine-v0 | return | ≥ 1 |');
});
