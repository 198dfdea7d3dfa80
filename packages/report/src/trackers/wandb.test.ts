import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tensorboard } from './tensorboard.ts';
import { wandb } from './wandb.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-trackers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const now = () => new Date(0);
const fileOf = (tb: string) => readFileSync(join(tb, readdirSync(tb)[0]!), 'latin1');
const line = '{"kind":"update","update":3,"loss":0.5,"margin":2}\n';
/** The folder of a run with one line of metrics. */
function runOf(name: string): string {
  const run = join(folder, name);
  mkdirSync(run);
  writeFileSync(join(run, 'metrics.jsonl'), line);
  return run;
}

describe('wandb', () => {
  it('stores uploads beside the run, or in WANDB_DIR', () => {
    const run = runOf('a run');
    for (const [env, at] of [
      [{}, join(folder, 'a run')],
      [{ WANDB_DIR: join(folder, 'elsewhere') }, join(folder, 'elsewhere', 'a run')],
    ] as const) {
      const tracker = wandb({ run, now, env });
      tracker.close();
      expect(fileOf(join(at, 'tb'))).toMatch(/update\/loss.*update\/margin/s);
      expect(tracker.upload).toBe(`wandb sync --sync-tensorboard --project emac '${join(at, 'tb')}'`);
    }
  });

  it("takes the project's name, and stores nothing if disabled", () => {
    const run = runOf('other');
    const env = { WANDB_PROJECT: 'it’s mine', WANDB_MODE: 'disabled' };
    const off = wandb({ run, now, env });
    off.follow();
    off.close();
    expect([off.upload, existsSync(join(run, 'tb'))]).toEqual([null, false]);
    const on = wandb({ run, now, env: { ...env, WANDB_MODE: 'offline' } });
    on.close();
    expect(on.upload).toContain("--project 'it’s mine' ");
  });

  it('reports that it sends nothing', () => {
    expect(() => wandb({ run: folder, now, env: { WANDB_MODE: 'online' } })).toThrow(
      /WANDB_MODE: must be offline or disabled, got "online"; nothing is sent/,
    );
  });
});

it('tensorboard writes into no file that is opened after it was closed', () => {
  const run = runOf('closed');
  const tracker = tensorboard({ run, now });
  tracker.close();
  const size = fileOf(join(run, 'tb')).length;
  // the system reuses the lowest free number, just closed
  const other = openSync(join(folder, 'another'), 'w');
  try {
    writeFileSync(join(run, 'metrics.jsonl'), `${line}${line}`);
    tracker.follow();
    tracker.close();
    expect(fstatSync(other).size).toBe(0);
  } finally {
    closeSync(other);
  }
  expect(fileOf(join(run, 'tb'))).toHaveLength(size);
});
