/** Open files after training has stopped: a program that trains many times must not run out of them. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '@emac/datasets';
import { plainHost } from '@emac/opening';
import type { GivenTrainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const descriptors = '/proc/self/fd';

/** Paths below the tests' folder that this process holds open. */
function openFiles(): string[] {
  return readdirSync(descriptors).flatMap((descriptor) => {
    try {
      const path = readlinkSync(join(descriptors, descriptor));
      return path.startsWith(folder) ? path : [];
    } catch {
      // the descriptor that listed the folder itself
      return [];
    }
  });
}

const small: GivenTrainConfig = {
  phase: 'bc',
  out: join(folder, 'runs'),
  play: { rounds: 1, gamesPerRound: 1, maxSteps: 3 },
  optimization: { updatesPerEpisode: 1, batchSize: 1 },
  speech: { beams: 1 },
  evaluation: { episodes: 0 },
};
const onData: GivenTrainConfig = { ...small, play: {}, optimization: { batchSize: 1 } };

/** A host that stops at the first event of a kind. */
function stoppingAt(kind: string) {
  const controller = new AbortController();
  const told = (event: { readonly kind: string }) => {
    if (event.kind === kind) controller.abort();
  };
  return plainHost({ signal: controller.signal, listener: { training: told, offline: told } });
}

const interrupted = { code: 'interrupted' };

describe.skipIf(!existsSync(descriptors))('training that stops leaves no file open', () => {
  it('on games', async () => {
    await expect(train(small, stoppingAt('step'))).rejects.toMatchObject(interrupted);
    expect(openFiles()).toEqual([]);
  });

  it('on a dataset, including its evaluation and collection', async () => {
    const out = join(folder, 'dataset');
    const controller = new AbortController();
    const host = plainHost({ signal: controller.signal, listener: { game: () => controller.abort() } });
    const given = { out, numGames: 2, maxSteps: 3, parallelEpisodes: 1 };
    await expect(collect(given, host)).rejects.toMatchObject(interrupted);
    expect(openFiles()).toEqual([]);
    const { dataset: data } = await collect(given);

    await expect(train({ ...onData, dataset: { data } }, stoppingAt('update'))).rejects.toMatchObject(
      interrupted,
    );
    expect(openFiles()).toEqual([]);
    // a record that is too long is found when much is open
    const long = { dataset: { data }, speech: { beams: 1, maxPromptTokens: 16 } };
    await expect(train({ ...onData, ...long })).rejects.toMatchObject({ code: 'data' });
    expect(openFiles()).toEqual([]);

    const stop = new AbortController();
    const evaluated: string[] = [];
    const listener = {
      advance: () => {
        evaluated.push('sample');
        stop.abort();
      },
    };
    const evaluation = { ckpt: 'emma-tiny', data, speech: { beams: 1 }, parallelEpisodes: 1 };
    await expect(
      evaluatePolicy(evaluation, plainHost({ signal: stop.signal, listener })),
    ).rejects.toMatchObject(interrupted);
    expect(evaluated).toHaveLength(1);
    await expect(evaluatePolicy({ ...evaluation, ckpt: join(folder, 'none') })).rejects.toMatchObject({
      code: 'missing',
    });
    expect(openFiles()).toEqual([]);
  });
});
