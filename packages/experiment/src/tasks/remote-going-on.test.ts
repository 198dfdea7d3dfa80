/**
 * Evaluating and collecting with a client that brings its games, stopped and resumed: over real HTTP, in this process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@emac/core';
import { collect } from '@emac/datasets';
import { builtinGameAt, plainHost, type Host } from '@emac/opening';
import { alfworld } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

// loaded when it is needed, as the package does
const { playAsPublished } = await import('@emac/bridge');

const folder = temporaryFolder();
const environment = alfworld([0, 1, 2].map((index) => builtinGameAt('builtin:train', index)));
const world = { kind: 'http', port: 0 } as const;
const quick = { numGames: 3, maxSteps: 2, speech: { observe: 'text', beams: 1 } } as const;

interface Played {
  readonly host: Host;
  /** ids of the games that were over, in their order */
  readonly over: readonly string[];
}

/** A host whose run gets a client as soon as it waits for one, and stops after so many games. */
function hostWith(brought: Environment, stopAfter = Infinity): Played {
  const ending = new AbortController();
  const over: string[] = [];
  const note = (line: string): void => {
    const url = /--connect (\S+),/.exec(line)?.[1];
    if (url === undefined) return;
    const connection = { url, retryMs: 0, wait: () => Promise.resolve(), signal: ending.signal };
    // it ends with the run; the wire does not report the end
    playAsPublished({ ...connection, environment: brought, maxSteps: null, rounds: 1 }).catch(() => {});
  };
  const game = ({ id }: { id: string }): void => {
    over.push(id);
    if (over.length === stopAfter) ending.abort();
  };
  return { host: { ...plainHost(), listener: { note, game }, signal: ending.signal }, over };
}

describe('games from a client', () => {
  it('are collected once each, though a new client begins with the first again', async () => {
    const datasetOf = (name: string) => readFileSync(join(folder, name, 'train.json'), 'utf8');
    const given = (name: string) => ({ ...quick, world, out: join(folder, name) });
    await collect(given('whole'), hostWith(environment).host);
    const stopped = hostWith(environment, 2);
    await expect(collect(given('stopped'), stopped.host)).rejects.toMatchObject({ code: 'interrupted' });
    const last = hostWith(environment);
    expect(await collect(given('stopped'), last.host)).toMatchObject({ games: 3 });
    const ids = environment.tasks.map(({ id }) => id);
    expect([stopped.over, last.over]).toEqual([ids.slice(0, 2), ids.slice(2)]);
    expect(datasetOf('stopped')).toBe(datasetOf('whole'));
  });

  it('are evaluated once each', async () => {
    const evaluation = (name: string) => ({
      ckpt: 'emma-tiny',
      numGames: 3,
      maxSteps: 2,
      speech: quick.speech,
      world,
      out: join(folder, name),
    });
    const whole = await evaluatePolicy(evaluation('whole.json'), hostWith(environment).host);
    const stopped = hostWith(environment, 2);
    await expect(evaluatePolicy(evaluation('part.json'), stopped.host)).rejects.toMatchObject({
      code: 'interrupted',
    });
    const last = hostWith(environment);
    const went = await evaluatePolicy(evaluation('part.json'), last.host);
    expect(went.result).toEqual(whole.result);
    const ids = environment.tasks.map(({ id }) => id);
    // earlier games are reported first
    expect(last.over).toEqual(ids);
  });
});
