/** Collections of games on workers have the bytes of one process, whoever labels. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { collect } from '@emac/datasets';
import { plainHost, type Host } from '@emac/opening';
import { alsoLong, commandFor, labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { contents, disputed, localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
type Given = Omit<Parameters<typeof collect>[0], 'out'>;

/** All files in its folder except the journal of replies, which is in order of arrival. */
async function collected(name: string, given: Given, host: Host = plainHost()) {
  const out = join(folder, name);
  const { records } = await collect({ ...given, out }, host);
  return { records, files: contents(out, (file) => file !== 'llm.jsonl') };
}

async function overWorkers(name: string, count: number, given: Given, host: Host = plainHost()) {
  const workers = localWorkers(join(folder, `of-${name}`), count);
  const made = await collected(name, given, { ...host, workers });
  const runs = await workers.queue.runs();
  const done = (await workers.stop()).reduce((sum, { counted }) => sum + counted, 0);
  return { made, done, runs };
}

const small = { maxSteps: 4, speech: { beams: 1 } };

describe('a collection of games', () => {
  it.each<[string, Given & { readonly numGames: number }]>([
    [
      'of an expert with noise, and random actions',
      { numGames: 5, expert: { noise: 0.4 }, randomActions: 0.3 },
    ],
    [
      'of pairs, in a mixture',
      // noise, so that policy and expert differ whatever the policy knows
      { numGames: 3, phase: 'dpo' as const, actWith: 'mixture' as const, expert: { noise: 0.8 } },
    ],
    ...alsoLong<[string, Given & { readonly numGames: number }]>([
      [
        'of thoughts, in words alone',
        {
          numGames: 2,
          expert: { kind: 'planner' as const, thoughts: true },
          speech: { beams: 1, observe: 'text' as const },
        },
      ],
    ]),
  ])('%s is the same with no, one and four workers', async (name, asked) => {
    const given = { ...small, ...asked };
    const alone = await collected(name, given);
    expect(alone.records).toBeGreaterThan(3);
    for (const count of [2, ...alsoLong([1, 4])]) {
      const { made, done, runs } = await overWorkers(`${name}-by-${count}`, count, given);
      expect(made).toEqual(alone);
      expect(done).toBe(asked.numGames);
      // its results are no longer needed
      expect(runs).toEqual([]);
    }
  });

  it('resumes after a stop, without playing anything twice', async () => {
    const given = { ...small, numGames: 6 };
    const alone = await collected('undisturbed', given);
    // fewer jobs than games, so that the stop comes before the last
    const workers = localWorkers(join(folder, 'of-stopped'), 1, { jobs: 2 });
    const stop = new AbortController();
    const listener = { game: () => stop.abort() };
    const host = { ...plainHost({ signal: stop.signal }), listener, workers };
    await expect(collected('stopped', given, host)).rejects.toThrow(
      /stopped on request after [12] of 6 games; run the same command again/,
    );
    const others = localWorkers(join(folder, 'of-stopped'), 1, workers);
    expect(await collected('stopped', given, { ...plainHost(), workers: others })).toEqual(alone);
    const done = [...(await workers.stop()), ...(await others.stop())].map(({ counted }) => counted);
    expect(done).toEqual([2, 4]);
  });

  it('resumes after a stop without workers, and vice versa', async () => {
    const given = { ...small, numGames: 3 };
    const alone = await collected('one-place', given);
    for (const first of [true, ...alsoLong([false])]) {
      const workers = localWorkers(join(folder, `of-places-${first}`), 1, first ? { jobs: 1 } : {});
      const stop = new AbortController();
      const listener = { game: () => stop.abort() };
      const host = plainHost({ signal: stop.signal });
      const [over, here] = [{ workers }, { workers: undefined }];
      const name = `two-places-${first}`;
      const one = { ...given, parallelEpisodes: 1 };
      const begun = collected(name, one, { ...host, listener, ...(first ? over : here) });
      await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
      const going = await collected(name, one, { ...plainHost(), ...(first ? here : over) });
      expect(going).toEqual(alone);
      await workers.stop();
    }
  });

  it('two results that differ end it before it is whole, and say how they are forgotten', async () => {
    const workers = localWorkers(join(folder, 'of-disputed'), 1);
    const given = { ...small, numGames: 2 };
    for (const queue of [disputed(workers), workers.queue]) {
      const host = { ...plainHost(), workers: { ...workers, queue } };
      const failing = collected('in-dispute', given, host);
      await expect(failing).rejects.toMatchObject({ code: 'check-failed' });
      await expect(failing).rejects.toThrow(
        /two workers disagree .*--forget collect-[0-9a-f]{16} and start again/,
      );
    }
    expect(existsSync(join(folder, 'in-dispute'))).toBe(false);
    await workers.stop();
  });
});

describe('a collection with a language model over workers', () => {
  const answering = (asked: Asked) => asked.answer(commandFor(asked.text));
  const host: Host = { ...plainHost(), env: { OPENAI_API_KEY: 'test-key' } };
  const given = (baseUrl: string, more: object = {}): Given => ({
    ...small,
    numGames: 4,
    actWith: 'student',
    expert: { kind: 'openai', languageModel: { baseUrl, model: 'teacher', ...more } },
  });
  const repliesIn = (name: string) =>
    readFileSync(join(folder, name, 'llm.jsonl'), 'utf8')
      .trim()
      .split('\n');

  it('sends the requests and writes the files of one process, and never shares the key', async () => {
    const server = await labelServer(answering);
    const alone = await collected('asked-alone', given(server.baseUrl), host);
    const texts = [...server.answered].sort();
    for (const count of [2, ...alsoLong([1, 4])]) {
      const other = await labelServer(answering);
      const name = `asked-by-${count}`;
      const { made, done } = await overWorkers(name, count, given(other.baseUrl), host);
      expect(made).toEqual(alone);
      expect(done).toBe(4);
      expect([...other.answered].sort()).toEqual(texts);
      expect(repliesIn(name).sort()).toEqual(repliesIn('asked-alone').sort());
      const shared = join(folder, `of-${name}`);
      const files = readdirSync(shared, { recursive: true, withFileTypes: true }).filter((each) =>
        each.isFile(),
      );
      expect(files.length).toBeGreaterThan(4);
      for (const each of files)
        expect(readFileSync(join(each.parentPath, each.name)).includes('test-key')).toBe(false);
    }
  });

  it('resumes with another key after a refusal, and pays for nothing twice', async () => {
    const whole = await labelServer(answering);
    const alone = await collected('paid-alone', given(whole.baseUrl), host);
    let [isRefusing, answered] = [true, 0];
    const server = await labelServer((asked) => {
      if (isRefusing && answered === 5) return asked.refuse(401);
      answered++;
      answering(asked);
    });
    const workers = localWorkers(join(folder, 'of-paid'), 2);
    const over = { ...host, workers };
    await expect(collected('paid', given(server.baseUrl), over)).rejects.toMatchObject({ code: 'auth' });
    expect(server.answered).toHaveLength(5);
    isRefusing = false;
    expect(await collected('paid', given(server.baseUrl), over)).toEqual(alone);
    expect([...server.answered].sort()).toEqual([...whole.answered].sort());
    const done = (await workers.stop()).reduce((sum, { counted }) => sum + counted, 0);
    expect(done).toBe(4);
  });

  it.each([
    ['whose label acts', { actWith: 'expert' as const }],
    ['whose label acts at times', { actWith: 'mixture' as const }],
  ])('%s is refused in a sentence, before anything is made', async (name, more) => {
    const workers = localWorkers(join(folder, `of-${name}`), 0);
    const asked = { ...given('http://127.0.0.1:1/v1'), ...more };
    const fault = await collected(name, asked, { ...host, workers }).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(EmacError);
    expect(fault).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^--queue: labels of --expert openai .*give --act-with student/,
      ) as string,
    });
    expect(readdirSync(folder)).not.toContain(name);
  });
});
