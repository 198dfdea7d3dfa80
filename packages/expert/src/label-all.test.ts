import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError, type Label } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { givenHistories } from './bench/given-histories.bench.ts';
import { compiled, killedRun, labelRun } from './bench/label-run.bench.ts';
import { slowServer } from './bench/slow-server.bench.ts';
import { labelAll } from './label-all.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-label-all-'));
afterAll(() => rmSync(folder, { recursive: true }));

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const requests = givenHistories({ games: 5, steps: 4 });

describe('labelAll', () => {
  it('labels in order, with a limit on concurrent requests', async () => {
    let [open, most] = [0, 0];
    const expert = {
      label: async ({ history }: (typeof requests)[number]): Promise<Label> => {
        most = Math.max(most, ++open);
        await later(10 - 3 * history.turns.length);
        open--;
        return { kind: 'action', command: `step ${history.turns.length}` };
      },
    };
    const told: number[] = [];
    const onLabel = (_: Label, index: number): void => void told.push(index);
    const labels = await labelAll(requests, { expert, inFlight: 3, onLabel });
    expect(labels).toEqual(requests.map((_, index) => ({ kind: 'action', command: `step ${index % 4}` })));
    expect(most).toBe(3);
    expect([...told].sort((a, b) => a - b)).toEqual(requests.map((_, index) => index));
  });

  it('sends nothing new after a fault, awaits pending requests, and throws it', async () => {
    let asked = 0;
    let ended = 0;
    const expert = {
      label: async (): Promise<Label> => {
        if (++asked === 2) throw new EmacError('interrupted', 'down');
        await later(20);
        ended++;
        return { kind: 'unusable', reason: '' };
      },
    };
    await expect(labelAll(requests, { expert, inFlight: 4 })).rejects.toMatchObject({ code: 'interrupted' });
    expect([asked, ended]).toEqual([4, 3]);
  });

  it('stops at the signal', async () => {
    const stop = new AbortController();
    let asked = 0;
    const expert = {
      label: (): Promise<Label> => {
        if (++asked === 3) stop.abort(new EmacError('interrupted', 'asked to'));
        return Promise.resolve({ kind: 'unusable', reason: '' });
      },
    };
    const labelling = labelAll(requests, { expert, inFlight: 1, signal: stop.signal });
    await expect(labelling).rejects.toMatchObject({ message: 'asked to' });
    expect(asked).toBe(3);
  });
});

describe.skipIf(!existsSync(compiled))('labelling in a separate process (needs the build)', () => {
  const size = { games: 20, steps: 10, inFlight: 8 };

  it('has as many calls in flight as allowed, and no more', async () => {
    const server = await slowServer(20, size.inFlight);
    const journal = join(folder, 'whole.jsonl');
    const { commands } = await labelRun({ ...size, baseUrl: server.baseUrl, journal });
    expect([server.requests(), server.repeated(), server.mostAtOnce()]).toEqual([200, 0, 8]);
    expect(new Set(commands).size).toBe(200);
    await server.close();
  });

  it('resumes after a kill: repeats no journaled request, at most those in flight', async () => {
    const server = await slowServer(20);
    const told = { ...size, baseUrl: server.baseUrl, journal: join(folder, 'killed.jsonl') };
    const before = await killedRun(told, 60);
    expect(before.length).toBeGreaterThanOrEqual(60);
    const { commands } = await labelRun(told);
    expect(new Set(commands).size).toBe(200);
    for (const text of before) expect(commands).toContain(text);
    expect(server.repeated()).toBeLessThanOrEqual(8);
    expect(server.requests()).toBe(200 + server.repeated());
    await server.close();
  });
});
