import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
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
const line = { kind: 'update', update: 3, loss: 0.5, margin: 2 };

describe('wandb', () => {
  it('stores uploads beside the run, or in WANDB_DIR', async () => {
    for (const [env, at] of [
      [{}, join(folder, 'a run')],
      [{ WANDB_DIR: join(folder, 'elsewhere') }, join(folder, 'elsewhere', 'a run')],
    ] as const) {
      const tracker = wandb({ run: join(folder, 'a run'), before: [line], now, env });
      tracker.text('episodes', 0, 'policy: look');
      await tracker.close();
      expect(fileOf(join(at, 'tb'))).toMatch(/update\/loss.*update\/margin.*policy: look/s);
      expect(tracker.upload).toBe(`wandb sync --sync-tensorboard --project emac '${join(at, 'tb')}'`);
    }
  });

  it("takes the project's name, and stores nothing if disabled", async () => {
    const run = join(folder, 'other');
    const env = { WANDB_PROJECT: 'it’s mine', WANDB_MODE: 'disabled' };
    const off = wandb({ run, before: [line], now, env });
    off.metrics(line);
    off.text('episodes', 0, 'words');
    await off.close();
    expect([off.upload, existsSync(run)]).toEqual([null, false]);
    const on = wandb({ run, before: [], now, env: { ...env, WANDB_MODE: 'offline' } });
    await on.close();
    expect(on.upload).toContain("--project 'it’s mine' ");
  });

  it('reports that it sends nothing', () => {
    expect(() => wandb({ run: folder, before: [], now, env: { WANDB_MODE: 'online' } })).toThrow(
      /WANDB_MODE: must be offline or disabled, got "online"; nothing is sent/,
    );
  });
});

it('tensorboard writes the earlier texts of a resumed run once', async () => {
  const run = join(folder, 'resumed');
  const textsBefore = [
    { tag: 'episodes', step: 0, text: 'first words' },
    { tag: 'episodes', step: 1, text: 'second words' },
  ];
  const tracker = tensorboard({ run, before: [], textsBefore, now });
  tracker.text('episodes', 1, 'second words');
  tracker.text('episodes', 2, 'third words');
  await tracker.close();
  const told = fileOf(join(run, 'tb')).match(/\w+ words/g);
  expect(told).toEqual(['first words', 'second words', 'third words']);
});

it('tensorboard writes into no file that is opened after it was closed', async () => {
  const run = join(folder, 'closed');
  const tracker = tensorboard({ run, before: [], now });
  await tracker.close();
  const size = fileOf(join(run, 'tb')).length;
  // the system reuses the lowest free number, just closed
  const path = join(folder, 'another');
  const other = openSync(path, 'w');
  try {
    tracker.metrics(line);
    tracker.text('episodes', 0, 'late words');
    await tracker.close();
    expect(fstatSync(other).size).toBe(0);
  } finally {
    closeSync(other);
  }
  expect(fileOf(join(run, 'tb'))).toHaveLength(size);
});
