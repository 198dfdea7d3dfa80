/** Reports to trackers of a run, and of a resumed run. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { checkTracker, tracked } from './tracked.ts';

let run = '';
const folders: string[] = [];
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'emac-tracked-'));
  folders.push(run);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })));

const io = { now: () => 0, env: {} };
const told = () => {
  const tb = join(run, 'tb');
  return readdirSync(tb)
    .map((name) => readFileSync(join(tb, name), 'latin1'))
    .join();
};

it('reports curves and episodes live, and repeats those before a stop', async () => {
  writeFileSync(join(run, 'metrics.jsonl'), '{"kind":"update","update":0,"loss":0.5}\n');
  const notes: string[] = [];
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'wandb', io);
  listener.run!(run);
  const { training } = listener;
  const of = { episode: 1, round: 0, place: 0, taskId: 'a-game' };
  training!({ kind: 'episode-start', ...of, taskType: null, observation: 'a room', frames: [] } as never);
  training!({ kind: 'step', ...of, own: 'look', label: 'go', command: 'look', observation: 'seen' } as never);
  training!({ kind: 'episode-end', ...of, won: true } as never);
  training!({ kind: 'update', line: { kind: 'update', update: 1, w_reward: 2 } } as never);
  await close();
  expect(told()).toMatch(
    /update\/loss.*a-game\n\na room\n\npolicy: look {2}\nexpert: go {2}\n> look\n\nseen\n\nwon.*update\/w_reward/s,
  );
  expect(notes.join()).toMatch(/to upload the run, wandb sync --sync-tensorboard --project emac/);
  // events after the end are dropped without an error
  training!({ kind: 'update', line: { kind: 'update', update: 2, loss: 1 } } as never);
});

it('reports a tracker that cannot be opened once, and the run continues', async () => {
  const notes: string[] = [];
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'tensorboard', io);
  writeFileSync(join(run, 'metrics.jsonl'), '');
  // a file is in the place of its folder
  writeFileSync(join(run, 'tb'), '');
  listener.run!(run);
  listener.training!({ kind: 'update', line: { kind: 'update', update: 2, loss: 1 } } as never);
  await close();
  expect(notes).toEqual([
    expect.stringMatching(/^--tracker tensorboard: .*tb.*; the run continues without it$/),
  ]);
});

it('rejects an unknown mode before anything begins', () => {
  const online = { env: { WANDB_MODE: 'online' } };
  expect(() => checkTracker('wandb', online)).toThrow(
    /^WANDB_MODE: must be offline or disabled, got "online"/,
  );
  checkTracker('tensorboard', online);
  checkTracker('wandb', { env: { WANDB_MODE: 'disabled' } });
});
