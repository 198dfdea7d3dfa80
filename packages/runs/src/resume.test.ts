/** Interrupted runs: locked, resumed, pruned, and damaged in every way. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { failpoints, onFailpoint, readJournal, removeTemporary } from '@emac/files';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { resolveCheckpoint } from './checkpoint-read.ts';
import type { CheckpointContent } from './checkpoint-write.ts';
import { lockRun } from './lock.ts';
import { ownIdentity } from './process-identity.ts';
import type { Run } from './open-run.ts';
import { findResumePoint } from './resume-point.ts';
import { readConfig, readRecord } from './run-record.ts';
import { createRun, holdRun, isDone, type RunOptions } from './run.ts';
import { nextStanding, noStanding, stepsThatStay, type Standing } from './standing.ts';

let out = '';
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'emac-resume-'));
  onTestFinished(() => {
    onFailpoint(null);
    rmSync(out, { recursive: true, force: true });
  });
});

const now = () => new Date(Date.UTC(2026, 10, 20, 7, 16));
const versions = { emac: '0.1.0' };
const start = (options: Partial<RunOptions> = {}) =>
  createRun({ out, phase: 'bc', seed: 1, config: { lr: 1e-4 }, versions, now, ...options });

const content = (step: number): CheckpointContent => ({
  step,
  projection: new Map([['language_projection.bias', { shape: [2], data: Float32Array.of(step, 0.5) }]]),
  optimizer: new Map([
    ['language_projection.bias.first_moment', { shape: [2], data: Float32Array.of(0, step) }],
  ]),
  state: { update: step },
  manifest: { baseModel: 'model', games: ['task/trial'] },
});

function faultOf(action: () => unknown): EmacError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** A run of three checkpoints with a metrics line before each, without its process. */
function cutOff(options: Partial<RunOptions> = {}): string {
  const run = start(options);
  for (const step of [2, 4, 6]) {
    run.metrics({ kind: 'update', update: step });
    run.checkpoint(content(step), { loss: 1 / step });
  }
  run.metrics({ kind: 'update', update: 7 });
  forgetProcess(run.folder);
  return run.folder;
}

/** Makes a claim look like a killed process's. */
function forgetProcess(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith('.lock-')) rmSync(join(folder, name));
}

function held(folder: string) {
  // locks of this process are distinguished by path, and a killed process has none
  const copy = `${folder}-again-${readdirSync(out).length}`;
  cpSync(folder, copy, { recursive: true });
  forgetProcess(copy);
  return { folder: copy, ...holdRun(copy) };
}

const checkpointsIn = (folder: string) => readdirSync(join(folder, 'checkpoints')).sort();

describe('a run that was cut off', () => {
  it('resumes at its newest checkpoint, without later output', () => {
    const { folder, point, damage, goOn } = held(cutOff());
    expect([point!.step, damage]).toEqual([6, []]);
    expect(point!.checkpoint.state).toMatchObject({ update: 6 });
    const run = goOn({ versions, now });
    run.metrics({ kind: 'update', update: 8 });
    run.checkpoint(content(8));
    run.finish();
    expect(readJournal(join(folder, 'metrics.jsonl'))).toEqual(
      [2, 4, 6, 8].map((update) => ({ kind: 'update', update })),
    );
    expect(readRecord(folder)).toMatchObject({ status: 'done', started: '2026-11-20T07:16:00.000Z' });
    expect([isDone(folder), existsSync(join(folder, 'checkpoints/00000008'))]).toEqual([true, true]);
  });

  it('restarts in its folder without a checkpoint', () => {
    const run = start();
    run.metrics({ kind: 'probe' });
    const { folder, point, goOn } = held(run.folder);
    expect(point).toBeNull();
    goOn({ versions, now });
    expect(readFileSync(join(folder, 'metrics.jsonl'), 'utf8')).toBe('');
  });

  it('resumes if a copy lost empty folders or files for people only', () => {
    const folder = cutOff();
    for (const part of ['buffers', 'episodes', 'frames', 'logging_results'])
      rmSync(join(folder, part), { recursive: true, force: true });
    const { folder: copy, goOn } = held(folder);
    goOn({ versions, now }).transcript(0, []);
    expect(readdirSync(join(copy, 'episodes'))).toEqual(['000000.jsonl']);
  });

  it('gets its names and leftovers set right first', () => {
    const folder = cutOff({ keep: 2 });
    const checkpoints = join(folder, 'checkpoints');
    // a kill after the checkpoint and before all that follows it
    writeFileSync(join(checkpoints, 'latest'), '00000004\n');
    cpSync(join(checkpoints, '00000004'), join(checkpoints, '00000002'), { recursive: true });
    mkdirSync(join(checkpoints, '.tmp-00000008-1-0'));
    renameSync(join(checkpoints, '00000006'), join(checkpoints, '.replaced-00000006'));
    writeFileSync(join(folder, '.tmp-run.json-1-1'), 'x');
    mkdirSync(join(folder, 'logging_results'));
    writeFileSync(join(folder, 'logging_results/.tmp-world.log-1-2'), 'x');
    const { folder: copy, point, goOn } = held(folder);
    expect(point!.step).toBe(6);
    goOn({ versions, now, keep: 2 });
    expect(checkpointsIn(copy)).toEqual(['00000004', '00000006', 'best', 'latest']);
    expect(readFileSync(join(copy, 'checkpoints/latest'), 'utf8')).toBe('00000006\n');
    const left = readdirSync(copy, { recursive: true }).filter((name) => String(name).includes('.tmp'));
    expect(left).toEqual([]);
  });

  it.each(['file-renamed', 'checkpoint-set-aside', 'checkpoint-removed'] as const)(
    'always has a best checkpoint when it keeps only the last and was killed at %s',
    (place) => {
      const run = start();
      // the first is the best
      for (const step of [2, 4, 6]) run.checkpoint(content(step), { loss: step });
      expect(readFileSync(join(run.folder, 'checkpoints/best'), 'utf8')).toBe('00000002\n');
      onFailpoint((passed) => {
        if (passed === place) throw new Error('killed');
      });
      expect(() => run.finish({ onlyLast: true })).toThrow('killed');
      onFailpoint(null);
      const named = (folder: string) => resolveCheckpoint(`${folder}@best`).name;
      const { folder, goOn } = held(run.folder);
      const isLeft = checkpointsIn(folder).includes('00000002');
      // set-aside leaves a hidden folder, removed here
      expect(isLeft).toBe(place === 'file-renamed');
      expect(named(run.folder)).toBe('00000006');
      const again = goOn({ versions, now });
      expect(named(folder)).toBe(isLeft ? '00000002' : '00000006');
      again.finish({ onlyLast: true });
      expect([named(folder), checkpointsIn(folder)]).toEqual(['00000006', ['00000006', 'best', 'latest']]);
    },
  );

  it('refuses a configuration that was changed since', () => {
    const folder = cutOff();
    expect(readConfig(folder)).toEqual({ lr: 1e-4 });
    writeFileSync(join(folder, 'config.yaml'), 'lr: 0.0002\n');
    expect([faultOf(() => readConfig(folder)).code, faultOf(() => readConfig(folder)).exitCode]).toEqual([
      'config',
      78,
    ]);
  });

  it('is no run if it was killed before it was visible', () => {
    onFailpoint((name) => {
      if (name === 'run-prepared') throw new Error('killed');
    });
    expect(() => start()).toThrow('killed');
    expect(readdirSync(out)).toEqual([]);
  });
});

describe('damage', () => {
  const files = ['projection.safetensors', 'optimizer.safetensors', 'state.json', 'MANIFEST.json'];

  it('of any bit, any length and any file of the newest checkpoint is named, and the one before is taken', () => {
    const good = cutOff();
    const bad = `${good}-bad`;
    const newest = join(bad, 'checkpoints/00000006');
    const ways = fc.oneof(
      fc.record({ way: fc.constant('flip' as const), where: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
      fc.record({ way: fc.constant('cut' as const), where: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
      fc.record({ way: fc.constantFrom('remove' as const, 'swap' as const), where: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...files), ways, (file, { way, where }) => {
        rmSync(bad, { recursive: true, force: true });
        cpSync(good, bad, { recursive: true });
        const path = join(newest, file);
        const bytes = readFileSync(path);
        const place = Math.floor(where * bytes.length);
        if (way === 'flip') bytes[place]! ^= 1 << (place % 8);
        if (way === 'remove') rmSync(path);
        else if (way === 'swap')
          cpSync(
            join(
              newest,
              files.find((each) => each !== file)!,
            ),
            path,
          );
        else writeFileSync(path, way === 'cut' ? bytes.subarray(0, place) : bytes);
        const { point, damage } = findResumePoint(bad);
        expect(point!.step).toBe(4);
        expect(damage).toHaveLength(1);
        expect(damage[0]).toContain(newest);
      }),
      { numRuns: 60 },
    );
  });

  it('of metrics or buffers is damage inside the checkpoint’s part, not behind it', () => {
    const folder = cutOff();
    const metrics = join(folder, 'metrics.jsonl');
    const lines = readFileSync(metrics, 'utf8');
    writeFileSync(metrics, `${lines}torn`);
    expect(findResumePoint(folder).point!.step).toBe(6);
    // the third line belongs to the checkpoint of step 6 only
    writeFileSync(metrics, lines.replace('"update":6', '"update":9'));
    const { point, damage } = findResumePoint(folder);
    expect([point!.step, damage[0]]).toEqual([4, expect.stringContaining('metrics.jsonl')]);
    writeFileSync(metrics, 'x');
    const fault = faultOf(() => findResumePoint(folder));
    expect([fault.code, fault.exitCode, fault.message.includes('every checkpoint is damaged')]).toEqual([
      'data',
      65,
      true,
    ]);
  });

  it('disappears when the run is back at the damaged checkpoint', () => {
    const folder = cutOff();
    writeFileSync(join(folder, 'checkpoints/00000006/state.json'), '{}');
    const { folder: copy, damage, goOn } = held(folder);
    expect(damage[0]).toContain('00000006/state.json');
    const run = goOn({ versions, now });
    run.metrics({ kind: 'update', update: 6 });
    run.checkpoint(content(6), { loss: 1 / 6 });
    for (const file of files)
      expect(readFileSync(join(copy, 'checkpoints/00000006', file))).toHaveLength(
        file === 'state.json'
          ? readFileSync(join(copy, 'checkpoints/00000006/state.json')).length
          : readFileSync(join(folder, 'checkpoints/00000006', file)).length,
      );
    expect(findResumePoint(copy).point!.step).toBe(6);
  });
});

describe('the lock', () => {
  it('allows one process in a run, and names it to a second', () => {
    const { folder } = start();
    const fault = faultOf(() => holdRun(folder));
    expect([fault.code, fault.exitCode]).toEqual(['cannot-create', 73]);
    expect(fault.message).toContain(`process ${process.pid} `);
  });

  it('names the holder even if that one removes a half-written claim', () => {
    writeFileSync(join(out, '.lock-1-1'), JSON.stringify({ ...ownIdentity(), pid: process.ppid, start: '' }));
    let cleared = 0;
    onFailpoint((name) => {
      if (name === 'file-written' && cleared++ === 0) removeTemporary(out);
    });
    expect(faultOf(() => lockRun(out)).message).toContain(`process ${process.ppid} `);
    expect(cleared).toBe(2);
    expect(readdirSync(out)).toEqual(['.lock-1-1']);
  });

  it('is free again after the run has ended', () => {
    const run = start();
    run.stop('interrupted', 'asked to');
    holdRun(run.folder).release();
    expect(readdirSync(run.folder).filter((name) => name.startsWith('.lock-'))).toEqual([]);
  });

  const claim = (folder: string, identity: object) => {
    writeFileSync(join(folder, '.lock-1-1'), JSON.stringify({ ...ownIdentity(), ...identity }));
    return lockRun(folder);
  };

  it.skipIf(!existsSync('/proc/self/stat'))('of a dead process is dropped, even if its id was reused', () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    claim(out, { pid: dead, start: '1' }).release();
    // this very id, started at another time
    claim(out, { start: '1' }).release();
    expect(readdirSync(out)).toEqual([]);
  });

  it('of a living process stands, and of another machine until it is renewed no more', () => {
    const parent = { pid: process.ppid, start: '' };
    expect(faultOf(() => claim(out, parent)).message).toContain(`process ${process.ppid} `);
    const elsewhere = { host: 'node-7', space: 'other', pid: 1 };
    expect(faultOf(() => claim(out, elsewhere)).message).toContain('process 1 on node-7');
    // the past, or a future that a clock once showed
    for (const hours of [-1, 1]) {
      expect(faultOf(() => claim(out, elsewhere)).code).toBe('cannot-create');
      const then = new Date(Date.now() + hours * 3_600_000);
      utimesSync(join(out, '.lock-1-1'), then, then);
      lockRun(out).release();
      expect(readdirSync(out)).toEqual([]);
    }
  });

  it('that was taken away stops the next checkpoint', () => {
    const run = start();
    forgetProcess(run.folder);
    const fault = faultOf(() => run.checkpoint(content(2)));
    expect([fault.code, fault.message]).toEqual([
      'cannot-create',
      expect.stringContaining('taken over this run'),
    ]);
    expect(checkpointsIn(run.folder)).toEqual([]);
  });

  it('whose folder was deleted or moved says so at the next checkpoint', () => {
    const run = start();
    const moved = `${run.folder}-moved`;
    renameSync(run.folder, moved);
    const fault = faultOf(() => run.checkpoint(content(2)));
    expect([fault.code, fault.message]).toEqual([
      'missing',
      `${run.folder}: is gone, deleted or moved while this run was under way; a moved one can be resumed at its new place`,
    ]);
    expect(existsSync(run.folder)).toBe(false);
    renameSync(moved, run.folder);
  });
});

describe('retention', () => {
  it('keeps the newest, the best and the latest', () => {
    const run = start({ keep: 2 });
    const losses = [5, 1, 4, 3, 2];
    losses.forEach((loss, place) => run.checkpoint(content(place + 1), { loss }));
    expect(checkpointsIn(run.folder)).toEqual(['00000002', '00000004', '00000005', 'best', 'latest']);
    expect(readFileSync(join(run.folder, 'checkpoints/best'), 'utf8')).toBe('00000002\n');
  });

  it('keeps the end of each round beside the newest, also over a resumption', () => {
    const training = { round: 0, done: 0, playing: [0, 1] as number[] | null };
    const checkpoint = (run: Run, step: number, now: Partial<typeof training>) =>
      run.checkpoint({ ...content(step), state: { training: { ...training, ...now } } });
    const over = { playing: null };
    const run = start({ keep: 1 });
    checkpoint(run, 1, { round: 0, ...over });
    checkpoint(run, 2, { round: 0, done: 1 });
    checkpoint(run, 3, { round: 1, ...over });
    checkpoint(run, 4, { round: 1, done: 1 });
    expect(checkpointsIn(run.folder)).toEqual(['00000003', '00000004', 'latest']);
    run.stop('interrupted', 'by hand');
    const resumed = holdRun(run.folder).goOn({ versions, now, keep: 1 });
    checkpoint(resumed, 5, { round: 2, ...over });
    checkpoint(resumed, 6, { round: 2, done: 1 });
    checkpoint(resumed, 7, { round: 2, done: 2 });
    expect(checkpointsIn(run.folder)).toEqual(['00000003', '00000005', '00000007', 'latest']);
    resumed.finish();
  });

  it("drops an interruption's checkpoint once the run has continued", () => {
    const run = start({ keep: 1 });
    run.checkpoint(content(1));
    run.checkpoint(content(2), { isExtra: true });
    expect(checkpointsIn(run.folder)).toEqual(['00000001', '00000002', 'latest']);
    run.checkpoint(content(3));
    expect(checkpointsIn(run.folder)).toEqual(['00000003', 'latest']);
  });

  it('never loses the best or the latest, and interruptions leave no trace', () => {
    const moments = fc.array(fc.record({ loss: fc.nat(9), isExtra: fc.boolean() }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(moments, fc.constantFrom(null, 1, 3), (list, keep) => {
        let [disturbed, plain]: [Standing, Standing] = [noStanding, noStanding];
        list.forEach(({ loss, isExtra }, index) => {
          const moment = { step: index + 1, loss, isExtra, keep };
          disturbed = nextStanding(disturbed, moment);
          if (!isExtra) plain = nextStanding(plain, moment);
          const stay = stepsThatStay(disturbed, index + 1);
          expect(stay.has(index + 1)).toBe(true);
          if (disturbed.best) expect(stay.has(disturbed.best.step)).toBe(true);
        });
        expect(disturbed).toEqual(plain);
        const regular = list.filter(({ isExtra }) => !isExtra);
        if (regular.length > 0) expect(plain.best!.loss).toBe(Math.min(...regular.map(({ loss }) => loss)));
        expect(plain.kept).toHaveLength(Math.min(regular.length, keep ?? Infinity));
      }),
    );
  });
});

describe('a full disk', () => {
  const ofCheckpoints = failpoints.filter(
    (name) => /^(file|folder)-|-set-aside|-removed/.test(name) && !/replaced/.test(name),
  );

  it.each(ofCheckpoints)('at %s leaves a checkpoint to resume from, with an io error', (name) => {
    const run = start({ keep: 1 });
    run.checkpoint(content(2), { loss: 2 });
    let passed = 0;
    onFailpoint((each) => {
      if (each === name && ++passed === 1)
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
    const fault = faultOf(() => run.checkpoint(content(4), { loss: 1 }));
    onFailpoint(null);
    expect(passed).toBe(1);
    expect([fault.code, fault.exitCode]).toEqual(['io', 74]);
    expect(fault.message).toContain(run.folder);
    const { point, damage } = held(run.folder);
    expect([[2, 4].includes(point!.step), damage]).toEqual([true, []]);
  });
});
