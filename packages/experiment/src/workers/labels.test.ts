/** Training on workers with labels that workers cannot give: from a language model, over HTTP, and from custom code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import type { GivenTrainConfig } from '@emac/settings';
import { alsoLong, commandFor, labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from '../training/train.ts';
import { contents, localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
const host = { ...plainHost(), env: { OPENAI_API_KEY: 'test-key' } };
const answering = (asked: Asked) => asked.answer(commandFor(asked.text));

/** Two rounds, played by the policy: lessons of the first are read in the second. */
const small: Omit<GivenTrainConfig, 'out'> = {
  phase: 'bc',
  play: {
    rounds: 2,
    gamesPerRound: 4,
    maxSteps: 3,
    episodesPerUpdate: 4,
    expertShare: { start: 0, decay: 1 },
    policyMemory: true,
  },
  optimization: { updatesPerEpisode: 1, batchSize: 2 },
  speech: { beams: 1, observe: 'both' },
  evaluation: { episodes: 0 },
};

const asking = (name: string, baseUrl: string): GivenTrainConfig => ({
  ...small,
  out: join(folder, name),
  expert: { kind: 'openai', languageModel: { baseUrl, model: 'teacher', concurrency: 8 } },
});

const isTimeless = (name: string) =>
  /^(metrics\.jsonl|buffers\/|checkpoints\/)/.test(name) && !/latest/.test(name);
const repliesIn = (run: string) => readFileSync(join(run, 'llm.jsonl'), 'utf8').trim().split('\n').sort();

type Known = Readonly<Pick<Awaited<ReturnType<typeof labelServer>>, 'answered'> & { folder: string }>;
let known: Known | undefined;

/** The run of one process, and its requests; made once. */
async function ofOneProcess(): Promise<Known> {
  if (known) return known;
  const server = await labelServer(answering);
  const { folder: run } = await train(asking('alone', server.baseUrl), host);
  return (known = { answered: [...server.answered], folder: run });
}

describe('labels of a language model over workers', () => {
  it('are requested by the trainer, and the run ends in the bytes of one process', async () => {
    const { answered, folder: alone } = await ofOneProcess();
    for (const count of [2, ...alsoLong([1, 4])]) {
      const other = await labelServer(answering);
      const workers = localWorkers(join(folder, 'shared'), count);
      const { folder: run } = await train(asking(`by-${count}`, other.baseUrl), { ...host, workers });
      expect(contents(run, isTimeless)).toEqual(contents(alone, isTimeless));
      expect([...other.answered].sort()).toEqual([...answered].sort());
      expect(repliesIn(run)).toEqual(repliesIn(alone));
      const done = (await workers.stop()).map(({ counted }) => counted);
      expect(done.reduce((sum, each) => sum + each)).toBe(8);
    }
  });

  it('are requested at once for all episodes that have arrived', async () => {
    const held: Asked[] = [];
    let isOpen = false;
    const server = await labelServer((asked) => {
      held.push(asked);
      isOpen ||= held.length === 4;
      if (isOpen) for (const each of held.splice(0)) answering(each);
    });
    const workers = localWorkers(join(folder, 'together'), 1);
    await train(asking('at-once', server.baseUrl), { ...host, workers });
    expect(Math.max(...server.asked.map(({ open }) => open))).toBe(4);
    await workers.stop();
  });

  it('are paid for once if the run is stopped and resumed, with or without workers', async () => {
    const { answered, folder: undisturbed } = await ofOneProcess();
    for (const goesOnOver of [true, ...alsoLong([false])]) {
      const stop = new AbortController();
      let replies = 0;
      const server = await labelServer((asked) => {
        answering(asked);
        if (++replies === 6) stop.abort();
      });
      const name = `stopped-${goesOnOver}`;
      const workers = localWorkers(join(folder, `of-${name}`), 2);
      const stopped = train(asking(name, server.baseUrl), { ...host, workers, signal: stop.signal });
      await expect(stopped).rejects.toMatchObject({ code: 'interrupted', run: { canGoOn: true } });
      const run = join(folder, name, readdirSync(join(folder, name))[0]!);
      expect(server.answered.length).toBeLessThan(answered.length);
      await resume(run, { ...host, ...(goesOnOver && { workers }) });
      expect(contents(run, isTimeless)).toEqual(contents(undisturbed, isTimeless));
      expect([...server.answered].sort()).toEqual([...answered].sort());
      await workers.stop();
    }
  });

  it('that have to act are refused in a sentence', async () => {
    const workers = localWorkers(join(folder, 'none'), 0);
    const acting = {
      ...asking('acting', 'http://127.0.0.1:1/v1'),
      play: { expertShare: { start: 1, decay: 0.5 } },
    };
    await expect(train(acting, { ...host, workers })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/labels of --expert openai .*give --act-with student/) as string,
    });
  });
});

describe('labels of custom code on workers', () => {
  it('are requested by the trainer, with noise, as for its probe', async () => {
    let asked = 0;
    const expert = {
      name: 'mine.js',
      sha256: '0'.repeat(64),
      label: ({ admissible }: { readonly admissible: readonly string[] | null }) => {
        asked++;
        return admissible![0];
      },
    };
    const given = {
      ...small,
      expert: { kind: 'module' as const, module: 'mine.js', noise: 0.3, thoughts: true },
    };
    const { folder: alone } = await train({ ...given, out: join(folder, 'own-alone') }, { ...host, expert });
    const alike = asked;
    const workers = localWorkers(join(folder, 'of-own'), 2);
    const { folder: run } = await train(
      { ...given, out: join(folder, 'own-over') },
      { ...host, expert, workers },
    );
    expect(contents(run, isTimeless)).toEqual(contents(alone, isTimeless));
    expect(Object.keys(contents(run, isTimeless))).toContain('buffers/probe.bin');
    expect(asked).toBe(2 * alike);
    // two rounds of four; the expert acts in the probe, so that is played by the trainer
    expect((await workers.stop()).reduce((sum, { counted }) => sum + counted, 0)).toBe(8);
  });
});
