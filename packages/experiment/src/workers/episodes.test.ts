/** Collections from environments over workers are the bytes that one process writes. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { collectEnvironment, environmentCollectionConfig, episodesOf } from '@emac/datasets';
import { plainHost } from '@emac/opening';
import { alsoLong } from '@emac/testing';
import { carried, carry } from '@emac/workers';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { contents, disputed, localWorkers, watched } from './workers.test.support.ts';

const folder = temporaryFolder();
type Given = Omit<Parameters<typeof collectEnvironment>[0], 'out'>;

async function collected(name: string, given: Given, host = plainHost()) {
  const out = join(folder, name);
  const {
    spent: _spent,
    dataset: _dataset,
    validation: _validation,
    ...counts
  } = await collectEnvironment({ ...given, out }, host);
  return { counts, files: contents(out, () => true) };
}

const robot = { env: 'tabletop/spatial', randomActions: 0.1, labelNoise: 0.2, maxSteps: 6, validation: 0.3 };

describe('a collection from an environment', () => {
  it.each<[string, Given]>([
    [
      'of cards',
      { env: 'gym_cards/NumberLine', samples: 300, randomActions: 0.3, labelNoise: 0.2, validation: 0.25 },
    ],
    ...alsoLong<[string, Given]>([
      ['of a level', { env: 'MiniGrid-DoorKey-5x5', samples: 90, labelNoise: 0.1, validation: 0.4 }],
      ['of a robot', { ...robot, samples: 27 }],
    ]),
    ['of a robot, rounded and in RLDS form', { ...robot, samples: 27, actionSteps: 8, format: 'rlds' }],
  ])('%s is the same with no, one and four workers', async (name, given) => {
    const alone = await collected(name, given);
    expect(alone.counts.samples.training + alone.counts.samples.validation).toBe(given.samples);
    expect(alone.counts.samples.validation).toBeGreaterThan(0);
    for (const count of [2, ...alsoLong([1, 4])]) {
      const workers = localWorkers(join(folder, `of-${name}-${count}`), count);
      const host = { ...plainHost(), workers };
      expect(await collected(`${name}-by-${count}`, given, host)).toEqual(alone);
      expect(await workers.queue.runs()).toEqual([]);
      const done = (await workers.stop()).map(({ counted }) => counted);
      expect(done.reduce((sum, each) => sum + each)).toBeGreaterThan(0);
    }
  });

  it('requests episodes until there are enough steps, each once', async () => {
    const given = { env: 'gym_cards/NumberLine', samples: 700, validation: 0 };
    const workers = localWorkers(join(folder, 'of-enough'), 2);
    const put: number[] = [];
    const queue = watched(workers, {
      put(jobs) {
        put.push(...jobs.map(({ name }) => name.seed));
        return workers.queue.put(jobs);
      },
    });
    const { counts } = await collected('enough', given, { ...plainHost(), workers: { ...workers, queue } });
    expect(put).toEqual([...put.keys()]);
    // jobs of 16 episodes, no more than the episode lengths so far suggest
    expect(put.length).toBeGreaterThanOrEqual(Math.ceil(counts.episodes / 16));
    expect(put.length).toBeLessThan(2 + 2 * Math.ceil(counts.episodes / 16));
    await workers.stop();
  });

  it('restarts after a stop, reusing played episodes', async () => {
    const given = { ...robot, samples: 24 };
    const alone = await collected('whole', given);
    const workers = localWorkers(join(folder, 'of-stopped'), 1);
    const stop = new AbortController();
    let steps = 0;
    const listener = { advance: () => void (++steps === 8 && stop.abort()) };
    const host = { ...plainHost({ signal: stop.signal }), workers, listener };
    await expect(collected('stopped', given, host)).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(join(folder, 'stopped'))).toBe(false);
    const [name] = await workers.queue.runs();
    expect(name).toMatch(/^collect-[0-9a-f]{16}\./);
    expect(await collected('stopped', given, { ...plainHost(), workers })).toEqual(alone);
    // of four episodes of six steps
    expect((await workers.stop()).map(({ counted }) => counted)).toEqual([4]);
  });

  it('with an emptied shared folder names the command that forgets its results', async () => {
    const given = { ...robot, samples: 6 };
    const workers = localWorkers(join(folder, 'of-emptied'), 1);
    const queue = watched(workers, { forget: async () => {} });
    const out = 'emptied';
    await collected(out, given, { ...plainHost(), workers: { ...workers, queue } });
    for (const each of readdirSync(join(folder, 'of-emptied')))
      rmSync(join(folder, 'of-emptied', each), { recursive: true });
    rmSync(join(folder, out), { recursive: true });
    await expect(collected(out, given, { ...plainHost(), workers })).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringMatching(/is missing .*--forget collect-[0-9a-f]{16} and start again/) as string,
    });
    await workers.stop();
  });

  it('two results that differ end it before it has its name', async () => {
    const workers = localWorkers(join(folder, 'of-disputed'), 1);
    for (const queue of [disputed(workers), workers.queue]) {
      const asked = collected(
        'disputed',
        { ...robot, samples: 6 },
        { ...plainHost(), workers: { ...workers, queue } },
      );
      await expect(asked).rejects.toMatchObject({
        code: 'check-failed',
        message: expect.stringMatching(/disagree on play of run collect-.*--forget collect-/) as string,
      });
    }
    expect(existsSync(join(folder, 'disputed'))).toBe(false);
    await workers.stop();
  });

  it.each<[string, Given]>([
    ['a robot elsewhere', { env: 'libero_spatial' }],
    ['a level without a published prompt', { env: 'MiniGrid-FourRooms', palette: 'legacy-wrapped' }],
  ])('of %s is refused in the words of one process, and no worker asked', async (name, given) => {
    const faultOf = (asked: Promise<unknown>) => asked.then(() => null, String);
    const alone = await faultOf(collected(`${name} here`, { ...given, samples: 3 }));
    expect(alone).toMatch(/is played by a client only|prompt/);
    const workers = localWorkers(join(folder, `of-${name}`), 0);
    const over = collected(`${name} there`, { ...given, samples: 3 }, { ...plainHost(), workers });
    expect(await faultOf(over)).toBe(alone);
    expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 0 });
  });

  it('with a language model is refused: its label acts', async () => {
    const workers = localWorkers(join(folder, 'of-none'), 0);
    const asked = collected(
      'refused',
      { env: 'gym_cards/NumberLine', expert: { kind: 'openai' } },
      { ...plainHost(), workers },
    );
    await expect(asked).rejects.toMatchObject({ code: 'usage' });
    await expect(asked).rejects.toThrow(/^--queue: workers cannot ask --expert openai/);
    expect(existsSync(join(folder, 'refused.part'))).toBe(false);
  });
});

it("keeps a robot's step to the last bit, −0 included", async () => {
  const { folder: shared, stop } = localWorkers(join(folder, 'of-bits'), 0);
  const form = episodesOf(environmentCollectionConfig({ ...robot, samples: 1, out: 'none' }));
  let some: (typeof form extends { unpack(...given: never): infer Step } ? Step : never) | null = null;
  for await (const step of form.play(0)) {
    some = step;
    break;
  }
  const [state, action] = [Float32Array.of(-0, 0.1, 1e-38, -3, 4, 5, 6, 7), [-0, 0.1, -1e-300, 1, -1, 0, 1]];
  const outcome = async () => ({ reward: -0, terminated: true });
  const moved = { instruction: 'put it there', action, state: () => state, outcome };
  const picture = async () => Buffer.of(1, 2, 3);
  const sent = await carry(shared, await form.pack({ ...some!, picture, robot: moved }));
  const { picture: shown, robot: came } = form.unpack(await carried(shared, sent));
  expect([came!.action, came!.state(), await came!.outcome()]).toEqual([action, state, await outcome()]);
  expect(came!.instruction).toBe('put it there');
  expect([...(await shown())]).toEqual([1, 2, 3]);
  await stop();
});
