import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { encodeFloats, readJournal } from '@emac/files';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { loadCheckpoint, networkActions, resolveCheckpoint } from './checkpoint-read.ts';
import { networkFiles, valueHeadFiles, type CheckpointContent } from './checkpoint-write.ts';
import { replaceFolder } from './replace-folder.ts';
import { readRecord } from './run-record.ts';
import { createRun } from './run.ts';
import type { Run } from './open-run.ts';

let out = '';
beforeEach(() => {
  const created = mkdtempSync(join(tmpdir(), 'emac-runs-'));
  out = join(created, 'runs');
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
});

const start = (minute = 16, config: object = { lr: 1e-4, games: ['a'], nested: { b: 1, a: 2 } }): Run =>
  createRun({
    out,
    phase: 'bc',
    seed: 1,
    config,
    versions: { emac: '0.1.0' },
    now: () => new Date(Date.UTC(2026, 10, 20, 7, minute)),
  });

const content = (step: number, value = 1): CheckpointContent => ({
  step,
  projection: new Map([
    ['language_projection.weight', { shape: [2, 3], data: Float32Array.of(value, 2, 3, 4, 5, 6) }],
    ['language_projection.bias', { shape: [2], data: Float32Array.of(0.5, -0.5) }],
  ]),
  optimizer: new Map([['language_projection.bias.m', { shape: [2], data: Float32Array.of(0, 1e-8) }]]),
  state: { update: step, metrics: 12, solved: { 'task/trial': true } },
  manifest: { baseModel: 'sha256:abc', games: ['task/trial'] },
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

describe('a new run', () => {
  it('has a folder named by time, phase, seed and configuration, and never takes one that exists', () => {
    const first = start();
    expect(first.name).toMatch(/^2026-11-20T0716-bc-s1-[0-9a-f]{4}$/);
    expect(start().name).toBe(`${first.name}-2`);
    expect(start().name).toBe(`${first.name}-3`);
    const sameSettings = start(16, { nested: { a: 2, b: 1 }, games: ['a'], lr: 1e-4 });
    expect(sameSettings.name).toBe(`${first.name}-4`);
    expect(start(16, { lr: 2e-4 }).name.slice(-4)).not.toBe(first.name.slice(-4));
    expect(readdirSync(out)).toHaveLength(5);
  });

  it('holds its configuration, its record and empty folders', () => {
    const { folder, name } = start();
    expect(parse(readFileSync(join(folder, 'config.yaml'), 'utf8'))).toEqual({
      games: ['a'],
      lr: 1e-4,
      nested: { a: 2, b: 1 },
    });
    expect(readRecord(folder)).toMatchObject({
      v: 1,
      name,
      status: 'running',
      phase: 'bc',
      seed: 1,
      versions: { emac: '0.1.0' },
      started: '2026-11-20T07:16:00.000Z',
      pid: process.pid,
    });
    for (const part of ['buffers', 'checkpoints']) expect(existsSync(join(folder, part))).toBe(true);
    // these appear with their first file
    for (const part of ['episodes', 'frames', 'logging_results'])
      expect(existsSync(join(folder, part))).toBe(false);
  });

  it('is named by its method where the phase has several, and keeps the name that a person gave', () => {
    const options = { out, phase: 'grpo', seed: 0, config: {}, versions: {}, now: () => new Date(0) };
    const { folder, name } = createRun({ ...options, method: 'gigpo', title: 'first try' });
    expect(name).toMatch(/^1970-01-01T0000-gigpo-s0-/);
    expect(readRecord(folder)).toMatchObject({ phase: 'grpo', method: 'gigpo', title: 'first try' });
    expect(readRecord(createRun({ ...options, method: 'grpo' }).folder)).not.toHaveProperty('method');
  });

  it('is refused inside another run', () => {
    const { folder } = start();
    for (const inside of [folder, join(folder, 'checkpoints')])
      expect(
        faultOf(() =>
          createRun({ out: inside, phase: 'bc', seed: 0, config: {}, versions: {}, now: () => new Date(0) }),
        ).message,
      ).toBe(
        `--out ${inside}: ${folder} is a run, and a run inside another is lost from sight; give the folder that holds the runs, or resume this one with --resume`,
      );
    expect(readdirSync(join(folder, 'checkpoints'))).toEqual([]);
  });

  it('names the folder it cannot create', () => {
    const file = `${out}-file`;
    writeFileSync(file, '');
    onTestFinished(() => rmSync(file));
    const options = { phase: 'bc', seed: 0, config: {}, versions: {}, now: () => new Date(0) };
    const fault = faultOf(() => createRun({ ...options, out: join(file, 'runs') }));
    expect([fault.code, fault.message.includes(file)]).toEqual(['cannot-create', true]);
  });
});

describe('a run while it goes', () => {
  it('keeps metrics without clocks and events with them', () => {
    const run = start();
    run.metrics({ v: 1, kind: 'update', loss: 0.5 });
    run.event({ kind: 'episode', game: 'task/trial' });
    const line = '{"kind":"update","loss":0.5,"v":1}\n';
    expect(readFileSync(join(run.folder, 'metrics.jsonl'), 'utf8')).toBe(line);
    expect(readJournal(join(run.folder, 'events.jsonl'))).toContainEqual({
      kind: 'episode',
      game: 'task/trial',
      time: '2026-11-20T07:16:00.000Z',
    });
  });

  it('marks when lines came, also the last one before a pause and before the end', () => {
    let milliseconds = 0;
    const run = createRun({
      out,
      phase: 'bc',
      seed: 1,
      config: {},
      versions: {},
      now: () => new Date(milliseconds),
    });
    for (const update of [100, 200, 60_000, 60_900, 61_000]) {
      milliseconds = update;
      run.metrics({ kind: 'update', update });
    }
    run.metrics({ kind: 'update', update: 61_000 });
    milliseconds = 90_000;
    run.finish();
    const marks = readJournal(join(run.folder, 'events.jsonl')).filter(
      (event) => (event as { kind: string }).kind === 'metrics',
    );
    expect(marks.map((mark) => mark as object)).toEqual(
      [
        [1, '00:00.100'],
        [2, '00:00.200'],
        [3, '01:00.000'],
        [5, '01:01.000'],
        [6, '01:01.000'],
      ].map(([lines, time]) => ({ kind: 'metrics', lines, time: `1970-01-01T00:${time}Z` })),
    );
  });

  it('keeps transcripts by number and pictures by content, once', () => {
    const run = start();
    run.transcript(7, [{ command: 'look', observation: 'a\nb' }]);
    expect(readJournal(join(run.folder, 'episodes/000007.jsonl'))).toEqual([
      { command: 'look', observation: 'a\nb' },
    ]);
    const name = run.frame(Uint8Array.of(1, 2, 3), 'png');
    expect(run.frame(Uint8Array.of(1, 2, 3), 'png')).toBe(name);
    expect(readdirSync(join(run.folder, 'frames'))).toEqual([name]);
    // sha256sum of the bytes 01 02 03
    expect(name).toBe('039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81.png');
  });
});

describe('the end of a run', () => {
  it('is marked by its status, eval.json and DONE', () => {
    const run = start();
    run.checkpoint(content(5));
    expect(existsSync(join(run.folder, 'DONE'))).toBe(false);
    run.finish({ evaluation: { v: 1, success: 0.5 } });
    expect(JSON.parse(readFileSync(join(run.folder, 'eval.json'), 'utf8'))).toEqual({ v: 1, success: 0.5 });
    expect(existsSync(join(run.folder, 'DONE'))).toBe(true);
    expect(readRecord(run.folder)).toMatchObject({ status: 'done', ended: '2026-11-20T07:16:00.000Z' });
    expect(readdirSync(run.folder).filter((name) => name.startsWith('.tmp'))).toEqual([]);
  });

  it('without success leaves no DONE and gives a reason', () => {
    const run = start();
    run.stop('interrupted', 'SIGTERM');
    expect(readRecord(run.folder)).toMatchObject({ status: 'interrupted', reason: 'SIGTERM' });
    expect(existsSync(join(run.folder, 'DONE'))).toBe(false);
    const events = readJournal(join(run.folder, 'events.jsonl')) as { kind: string }[];
    expect(events.map(({ kind }) => kind)).toEqual(['running', 'interrupted']);
  });
});

describe('a checkpoint', () => {
  it('returns the written content', () => {
    const run = start();
    const { folder } = resolveCheckpoint(run.checkpoint(content(12)));
    expect(folder).toBe(join(run.folder, 'checkpoints/00000012'));
    const loaded = loadCheckpoint(folder);
    const written = content(12);
    expect(new Map([...loaded.projection])).toEqual(written.projection);
    expect(loaded.optimizer).toEqual(written.optimizer);
    const nothing = createHash('sha256').digest('hex');
    const files = { 'metrics.jsonl': { length: 0, sha256: nothing } };
    expect(loaded.state).toEqual({ ...written.state, run: { kept: [12], best: null, files } });
    expect(loaded.manifest).toMatchObject({ baseModel: 'sha256:abc', games: ['task/trial'] });
  });

  it('holds a value head only if a critic was trained', () => {
    const weight = { shape: [1, 2], data: Float32Array.of(0.25, -3) };
    const valueHead = new Map([['value_head.0.weight', weight]]);
    const run = start();
    const folder = run.checkpoint({ ...content(1), beside: [valueHeadFiles(valueHead)] });
    expect(readdirSync(folder)).toContain('value_head.safetensors');
    expect(loadCheckpoint(folder).beside).toEqual(new Map([['value_head.safetensors', valueHead]]));
    const diverged = new Map([['value_head.0.weight', { shape: [1], data: Float32Array.of(NaN) }]]);
    expect(
      faultOf(() => run.checkpoint({ ...content(2), beside: [valueHeadFiles(diverged)] })),
    ).toMatchObject({
      code: 'check-failed',
      message: expect.stringContaining('value_head.0.weight') as string,
    });
    const without = run.checkpoint(content(3));
    expect(readdirSync(without)).not.toContain('value_head.safetensors');
    expect(loadCheckpoint(without).beside).toEqual(new Map());
  });

  it('names the actions of a small network, and opens one without names', () => {
    const tensors = new Map([['policy', { shape: [2], data: Float32Array.of(1, 2) }]]);
    const actions = ['left', 'turn\nright'];
    const part = networkFiles(tensors, actions);
    const folder = start().checkpoint({ ...content(1), projection: null, beside: [part] });
    expect(networkActions(folder)).toEqual(actions);
    expect(loadCheckpoint(folder).beside.get('network.safetensors')).toEqual(tensors);
    const path = join(folder, 'network.safetensors');
    writeFileSync(path, encodeFloats(tensors));
    expect(networkActions(folder)).toBeNull();
    for (const broken of ['5', '[1]', 'left']) {
      writeFileSync(path, encodeFloats(tensors, { actions: broken }));
      expect(faultOf(() => networkActions(folder))).toMatchObject({
        code: 'data',
        message: `${path}: its actions must be a list of texts, got ${broken}`,
      });
    }
  });

  it('has the same bytes in every run, at any time and in any order of tensors', () => {
    const files = ['projection.safetensors', 'optimizer.safetensors', 'state.json', 'MANIFEST.json'];
    const bytes = (folder: string) =>
      files.map((name) => readFileSync(join(folder, name)).toString('base64'));
    const first = start(16).checkpoint(content(3));
    const { projection, state, ...rest } = content(3);
    const second = start(59).checkpoint({
      ...rest,
      projection: new Map([...projection!].reverse()),
      state: Object.fromEntries(Object.entries(state).reverse()),
    });
    expect(readdirSync(first).sort()).toEqual([...files].sort());
    expect(bytes(second)).toEqual(bytes(first));
  });

  it('is found through the run, as latest, best or by step, and wherever it was copied', () => {
    const run = start();
    run.checkpoint(content(5), { loss: 0.5 });
    run.checkpoint(content(9), { loss: 0.7 });
    const checkpoints = join(run.folder, 'checkpoints');
    expect(resolveCheckpoint(run.folder)).toEqual({
      folder: join(checkpoints, '00000009'),
      name: '00000009',
      run: run.folder,
    });
    expect(resolveCheckpoint(`${run.folder}@best`).name).toBe('00000005');
    expect(resolveCheckpoint(`${run.folder}@latest`).name).toBe('00000009');
    expect(resolveCheckpoint(`${run.folder}@5`).name).toBe('00000005');
    const copy = join(out, 'my@best');
    cpSync(join(checkpoints, '00000005'), copy, { recursive: true });
    rmSync(run.folder, { recursive: true });
    expect(loadCheckpoint(resolveCheckpoint(copy).folder).state).toMatchObject({ update: 5 });
  });

  it('that is missing or invalid is refused with its path and fault', () => {
    const run = start();
    const fault = (reference: string) => faultOf(() => resolveCheckpoint(reference));
    expect(fault(join(out, 'absent')).code).toBe('missing');
    expect(fault(`${join(out, 'absent')}@best`).message).toMatch(/absent: does not exist/);
    expect([fault(run.folder).code, fault(run.folder).message]).toEqual([
      'missing',
      expect.stringMatching(/has no latest checkpoint/),
    ]);
    expect(fault(`${run.folder}@best`).message).toMatch(/has no best checkpoint/);
    expect([fault(out).code, fault(out).message]).toEqual(['data', expect.stringMatching(/neither a run/)]);
    writeFileSync(join(run.folder, 'checkpoints/latest'), '../../elsewhere');
    expect([fault(run.folder).code, fault(run.folder).message]).toEqual([
      'data',
      expect.stringMatching(/must name a checkpoint/),
    ]);
  });

  it('that is damaged is refused, naming the file', () => {
    const folder = start().checkpoint(content(5));
    for (const name of ['projection.safetensors', 'optimizer.safetensors', 'state.json', 'MANIFEST.json']) {
      const bytes = readFileSync(join(folder, name));
      const changed = Buffer.from(bytes);
      changed[bytes.length - 3]! ^= 1;
      writeFileSync(join(folder, name), changed);
      const fault = faultOf(() => loadCheckpoint(folder));
      expect([fault.code, fault.message.includes(join(folder, name))]).toEqual(['data', true]);
      writeFileSync(join(folder, name), bytes);
    }
    loadCheckpoint(folder);
  });

  it('never holds NaN or infinity; the one before stays the latest', () => {
    const run = start();
    run.checkpoint(content(5));
    const fault = faultOf(() => run.checkpoint(content(6, NaN)));
    expect([fault.code, fault.message]).toEqual([
      'check-failed',
      expect.stringMatching(/language_projection\.weight: element 0 is NaN/),
    ]);
    expect(resolveCheckpoint(run.folder).name).toBe('00000005');
    expect(readdirSync(join(run.folder, 'checkpoints')).sort()).toEqual(['00000005', 'latest']);
  });

  it('written again with the same content is left alone, with other content or damage replaced', () => {
    const run = start();
    const folder = run.checkpoint(content(5));
    run.checkpoint(content(5));
    run.checkpoint(content(5, 7));
    expect(loadCheckpoint(folder).projection.get('language_projection.weight')!.data[0]).toBe(7);
    rmSync(join(folder, 'state.json'));
    run.checkpoint(content(5, 7));
    expect(loadCheckpoint(folder).state).toMatchObject({ update: 5 });
    expect(readdirSync(join(run.folder, 'checkpoints')).sort()).toEqual(['00000005', 'latest']);
  });

  it('is found after a kill during its replacement', () => {
    const run = start();
    const folder = run.checkpoint(content(5));
    renameSync(folder, join(run.folder, 'checkpoints/.replaced-00000005'));
    const place = resolveCheckpoint(run.folder);
    expect(place.name).toBe('00000005');
    expect(loadCheckpoint(place.folder).state).toMatchObject({ update: 5 });
  });

  it('is restored if its replacement fails', () => {
    const run = start();
    const folder = run.checkpoint(content(5));
    const fault = faultOf(() => replaceFolder(folder, join(out, 'not-there')));
    expect([fault.code, fault.message.includes(folder)]).toEqual(['cannot-create', true]);
    expect(loadCheckpoint(folder).state).toMatchObject({ update: 5 });
    expect(readdirSync(join(run.folder, 'checkpoints')).sort()).toEqual(['00000005', 'latest']);
  });
});
