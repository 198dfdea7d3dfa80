/** Reports to trackers of a run, and of a resumed run. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { deserted } from '../deserted-address.test.fixture.ts';
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
const metrics = (line: object) => appendFileSync(join(run, 'metrics.jsonl'), `${JSON.stringify(line)}\n`);
const ended = { kind: 'episode-end' } as never;

it('reports curves and episodes live, once, and those before a stop', async () => {
  metrics({ kind: 'update', update: 0, loss: 0.5 });
  const notes: string[] = [];
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'wandb', io);
  listener.run!(run);
  mkdirSync(join(run, 'episodes'));
  const lines = [
    { kind: 'episode-start', taskId: 'a-game', observation: 'a room' },
    { kind: 'step', own: 'look', label: 'go', command: 'look', observation: 'seen' },
    { kind: 'episode-end', episode: 1, won: true },
  ];
  writeFileSync(join(run, 'episodes', '000001.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
  listener.training!(ended);
  metrics({ kind: 'update', update: 1, w_reward: 2 });
  // a line without its end is not read yet
  appendFileSync(join(run, 'metrics.jsonl'), '{"kind":"probe",');
  listener.training!(ended);
  appendFileSync(join(run, 'metrics.jsonl'), '"chosen":3}\n');
  await close();
  expect(told().match(/update\/loss|a-game|update\/w_reward|probe\/chosen/g)).toEqual([
    'update/loss',
    'a-game',
    'update/w_reward',
    'probe/chosen',
  ]);
  expect(told()).toContain('a-game\n\na room\n\npolicy: look  \nexpert: go  \n> look\n\nseen\n\nwon');
  expect(notes.join()).toMatch(/to upload the run, wandb sync --sync-tensorboard --project emac/);
  // events after the end are dropped without an error
  metrics({ kind: 'update', update: 2, late: 1 });
  listener.training!(ended);
  listener.run!(run);
  expect(told()).not.toContain('late');
});

it('reports a tracker that cannot be opened, or fails, once; the run continues', async () => {
  const notes: string[] = [];
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'tensorboard', io);
  // a file is in the place of its folder
  writeFileSync(join(run, 'tb'), '');
  listener.run!(run);
  listener.training!(ended);
  rmSync(join(run, 'tb'));
  listener.run!(run);
  // no JSON
  writeFileSync(join(run, 'metrics.jsonl'), 'x\n');
  for (let event = 0; event < 2; event++) listener.training!(ended);
  await close();
  expect(notes).toEqual([
    expect.stringMatching(/^--tracker tensorboard: .*tb.*; the run continues without it$/),
    expect.stringMatching(/^--tracker tensorboard: .*JSON.*; the run continues without it$/),
  ]);
});

it('reports a service that does not answer, once; the run continues', async () => {
  writeFileSync(join(run, 'config.yaml'), 'seed: 0\n');
  metrics({ kind: 'update', update: 0, loss: 0.5 });
  const notes: string[] = [];
  const env = { TRACKIO_SERVER_URL: await deserted() };
  const { listener, close } = tracked({ note: (line) => notes.push(line) }, 'trackio', { ...io, env });
  listener.run!(run);
  listener.training!(ended);
  await close();
  expect(notes).toEqual([
    expect.stringMatching(
      /^--tracker trackio: http:.*bulk_log: did not answer .*ECONNREFUSED.*; the run continues without it$/,
    ),
  ]);
});

it('rejects an unknown mode before anything begins', () => {
  const online = { env: { WANDB_MODE: 'online' } };
  expect(() => checkTracker('wandb', online)).toThrow(
    /^WANDB_MODE: must be offline or disabled, got "online"/,
  );
  expect(() => checkTracker('trackio', { env: {} })).toThrow(/^TRACKIO_SERVER_URL/);
  expect(() => checkTracker('mlflow', { env: {} })).toThrow(/^MLFLOW_TRACKING_URI/);
  checkTracker('tensorboard', online);
  checkTracker('wandb', { env: { WANDB_MODE: 'disabled' } });
});
