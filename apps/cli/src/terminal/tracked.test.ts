/** What trackers are told of a run, and of a run that goes on. */
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

it('curves and episodes as they come, and again what came before a stop', async () => {
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
  // what comes after the end is not written, and no fault
  training!({ kind: 'update', line: { kind: 'update', update: 2, loss: 1 } } as never);
});

it('one that cannot be opened is told of once, and the run goes on', async () => {
  const notes: string[] = [];
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'tensorboard', io);
  writeFileSync(join(run, 'metrics.jsonl'), '');
  // where its folder belongs there is a file
  writeFileSync(join(run, 'tb'), '');
  listener.run!(run);
  listener.training!({ kind: 'update', line: { kind: 'update', update: 2, loss: 1 } } as never);
  await close();
  expect(notes).toEqual([
    expect.stringMatching(/^--tracker tensorboard: .*tb.*; the run goes on without it$/),
  ]);
});

it('a mode that is not there is refused before anything begins', () => {
  const online = { env: { WANDB_MODE: 'online' } };
  expect(() => checkTracker('wandb', online)).toThrow(
    /^WANDB_MODE: must be offline or disabled, got "online"/,
  );
  checkTracker('tensorboard', online);
  checkTracker('wandb', { env: { WANDB_MODE: 'disabled' } });
});
