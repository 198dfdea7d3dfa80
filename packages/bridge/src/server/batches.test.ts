import { Random, type Question, type Sampling } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { batches } from './batches.ts';
import { breaking, scriptedAgent, textOf, tooLong } from '../serve/scripted-agent.test.support.ts';

const search: Sampling = { kind: 'search', beams: 1 };
const question = (text: string): Question => {
  return { prompt: [{ kind: 'text', text: `${text}\n>` }], allowed: null, random: null };
};

interface Asked {
  readonly question: Question;
  readonly sampling: Sampling;
}

/** Batches whose first one is held, with a record of each one's questions. */
async function held(most = 64) {
  const { agent, decided, hold } = scriptedAgent();
  const sizes: number[] = [];
  const queue = batches({
    answer: (all: readonly Asked[]) =>
      agent.policy.decide(
        all.map(({ question }) => question),
        all[0]!.sampling,
      ),
    groupOf: ({ sampling }) => JSON.stringify(sampling),
    most,
    onBatch: (size) => sizes.push(size),
  });
  const release = hold();
  const first = queue.ask({ question: question('first'), sampling: search });
  while (decided.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const asked = () =>
    decided.map(({ questions }) => questions.map(({ prompt }) => textOf(prompt).replace('\n>', '')));
  return { queue, release, first, asked, sizes };
}

describe('batches', () => {
  it('hold the questions that arrived during the last batch, in order', async () => {
    const { queue, release, first, asked, sizes } = await held();
    const others = ['a', 'b', 'c'].map((text) => queue.ask({ question: question(text), sampling: search }));
    expect(queue.waiting).toBe(3);
    release();
    expect((await Promise.all([first, ...others])).map(({ text }) => text)).toEqual([
      ' 0 first',
      ' 0 a',
      ' 0 b',
      ' 0 c',
    ]);
    expect(asked()).toEqual([['first'], ['a', 'b', 'c']]);
    expect(sizes).toEqual([1, 3]);
    expect(queue.waiting).toBe(0);
  });

  it('have a size limit and one way of sampling', async () => {
    const { queue, release, asked } = await held(2);
    const sample: Sampling = { kind: 'sample', temperature: 1, topP: 1 };
    const drawn = { ...question('drawn'), random: Random.fromSeed(0) };
    const others = [
      queue.ask({ question: question('a'), sampling: search }),
      queue.ask({ question: drawn, sampling: sample }),
      queue.ask({ question: question('b'), sampling: { ...search } }),
      queue.ask({ question: question('c'), sampling: search }),
    ];
    release();
    await Promise.all(others);
    expect(asked()).toEqual([['first'], ['a', 'b'], ['drawn'], ['c']]);
  });

  it('answer the others if one question fails', async () => {
    const { queue, release } = await held();
    const asked = ['a', tooLong, breaking, 'b'].map((text) =>
      queue.ask({ question: question(text), sampling: search }),
    );
    const settled = Promise.allSettled(asked);
    release();
    const [a, long, broken, b] = await settled;
    expect([a!.status, b!.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(long).toMatchObject({ status: 'rejected', reason: { code: 'data' } });
    expect(broken).toMatchObject({ status: 'rejected' });
  });

  it('drop questions of clients that have left', async () => {
    const { queue, release, asked } = await held();
    const leaving = new AbortController();
    const gone = queue.ask({ question: question('gone'), sampling: search }, leaving.signal);
    const there = queue.ask({ question: question('there'), sampling: search });
    const outcome = Promise.allSettled([gone]);
    leaving.abort();
    release();
    await there;
    expect((await outcome)[0].status).toBe('rejected');
    expect(asked()).toEqual([['first'], ['there']]);
  });

  it('work at the same time where there are places', async () => {
    const asked: string[] = [];
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const answer = async (all: readonly string[]) => (asked.push(all.join()), await isReleased, all);
    const queue = batches({ answer, groupOf: (each) => each, most: 2, concurrency: 3 });
    const answers = ['a', 'b'].map((each) => queue.ask(each));
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    // two of three places are taken
    answers.push(queue.ask('c'), queue.ask('d'));
    while (asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect([asked, queue.waiting]).toEqual([['a', 'b', 'c'], 1]);
    release();
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('continue after all questions were answered', async () => {
    const { queue, release, first } = await held();
    release();
    await first;
    expect((await queue.ask({ question: question('later'), sampling: search })).text).toBe(' 0 later');
  });
});
