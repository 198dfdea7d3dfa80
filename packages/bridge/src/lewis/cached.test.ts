import { EmacError } from '@emac/core';
import { openReplyJournal, readReplies } from '@emac/expert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { cachedPlayer } from './cached.ts';
import { journaledListener, journaledSpeaker } from './journaled.ts';
import {
  candidates,
  question,
  scoreOf,
  scoresOf,
  scriptedListener,
  scriptedSpeaker,
} from './scripted-agents.test.support.ts';

const [one, two, three] = candidates as [string, string, string];
const asked = question();
const folder = mkdtempSync(join(tmpdir(), 'emac-lewis-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

function caching(entries?: number) {
  const { listener, script } = scriptedListener();
  const cached = cachedPlayer(listener, entries === undefined ? {} : { entries });
  const score = async (...names: string[]) =>
    (await scoresOf(cached, [{ candidates: names, question: asked }]))[0]!;
  const pictures = () => script.calls.splice(0).flatMap((call) => call.pictures);
  return { cached, script, score, pictures };
}

describe('cachedPlayer', () => {
  it('uses one key for reading and writing, so permuted candidates are found', async () => {
    const { score, pictures, cached } = caching();
    expect(await score(one, two, three)).toEqual([0.75, 1, 0.5]);
    expect(await score(three, one, two)).toEqual([0.5, 0.75, 1]);
    expect(await score(two, two)).toEqual([1, 1]);
    expect(pictures()).toEqual([one, two, three]);
    await scoresOf(cached, [{ candidates: [one], question: question('another') }]);
    expect(pictures()).toEqual([one]);
  });

  it('answers every request like the listener itself', async () => {
    const item = fc.record({
      candidates: fc.array(fc.constantFrom(...candidates, 'file.png'), { maxLength: 5 }),
      question: fc.constantFrom(asked, question('a blue box'), question('plain')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(item, { maxLength: 4 }), { maxLength: 6 }), async (calls) => {
        const { cached, script } = caching(3);
        const given = await Promise.all(calls.map((items) => scoresOf(cached, items)));
        const right = calls.map((items) =>
          items.map((each) => each.candidates.map((name) => scoreOf(each.question, name))),
        );
        expect(given).toEqual(right);
        const distinct = new Set(
          calls.flat().flatMap((each) => each.candidates.map((name) => `${each.question} ${name}`)),
        );
        // each is still in flight when it is requested again
        expect(script.calls.flatMap((call) => call.pictures)).toHaveLength(distinct.size);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps a limited number of answers, least recently used dropped', async () => {
    const { score, pictures } = caching(2);
    await score(one, two);
    await score(one);
    await score(three);
    expect(pictures()).toEqual([one, two, three]);
    await score(one, three);
    expect(pictures()).toEqual([]);
    await score(two);
    expect(pictures()).toEqual([two]);
  });

  it('caches no failure, and fails every caller that waited for it', async () => {
    const { score, pictures, script } = caching();
    script.fail = new EmacError('unavailable', 'gone');
    const both = await Promise.allSettled([score(one, two), score(two, three)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    script.fail = null;
    pictures();
    expect(await score(one, two)).toEqual([0.75, 1]);
    expect(pictures()).toEqual([one, two]);
  });

  it('serves no answer of another adapter', async () => {
    const { score, pictures, script } = caching();
    await score(one, two);
    script.identity = 'scripted adapter 2';
    await score(one, two);
    await score(three, one);
    expect(pictures()).toEqual([one, two, one, two, three]);
    // an answer of a new adapter beside kept ones: those are asked again
    script.identity = 'scripted adapter 3';
    const other = 'drawn/box/red-plain-no/1';
    await score(one, other);
    expect(pictures()).toEqual([other, one]);
  });
});

describe('journaled replies', () => {
  it('are written before use, and each is used once on resume', async () => {
    const path = join(folder, 'listener.jsonl');
    const { listener, script } = scriptedListener();
    const first = openReplyJournal(path);
    const journaled = journaledListener(listener, first);
    const items = [{ candidates, question: asked }];
    const before = await scoresOf(journaled, items);
    const position = first.position();
    script.identity = 'scripted adapter 2';
    expect(await scoresOf(journaled, items)).toEqual(before);
    expect(script.calls).toHaveLength(2);
    first.close();
    expect(readReplies(path).map(({ model, text }) => [model, text])).toEqual([
      ['scripted adapter 1', '[[0.75,1,0.5]]'],
      ['scripted adapter 2', '[[0.75,1,0.5]]'],
    ]);

    // killed after the second answer; the checkpoint has the first
    script.fail = new EmacError('unavailable', 'nobody listens any more');
    const second = openReplyJournal(path, { from: position });
    const resumed = journaledListener(listener, second);
    expect(await scoresOf(resumed, items)).toEqual(before);
    await expect(scoresOf(resumed, items)).rejects.toThrow('nobody listens any more');
    second.close();
    expect(readReplies(path)).toHaveLength(2);
  });

  it('hold every digit of a probability', async () => {
    const path = join(folder, 'digits.jsonl');
    const scores = [[0.1 + 0.2, 1e-300, 5e-324, 1 - 2 ** -53]];
    const listener = {
      identity: async () => 'exact',
      ask: async () => ({ answers: scores[0]!, identity: 'exact' }),
    };
    const first = openReplyJournal(path);
    await scoresOf(journaledListener(listener, first), [{ candidates: ['a', 'b', 'c', 'd'], question: 'q' }]);
    first.close();
    const second = openReplyJournal(path);
    const again = await scoresOf(journaledListener(scriptedListener().listener, second), [
      { candidates: ['a', 'b', 'c', 'd'], question: 'q' },
    ]);
    second.close();
    expect(again).toEqual(scores);
  });

  it('of a speaker are texts; an entry for another request is refused', async () => {
    const path = join(folder, 'speaker.jsonl');
    const { speaker, script } = scriptedSpeaker();
    const questions = [{ picture: one, question: 'Describe.' }];
    const first = openReplyJournal(path);
    const said = await journaledSpeaker(speaker, first).ask(questions);
    first.close();
    const [entry] = readReplies(path);
    const second = openReplyJournal(path);
    expect(await journaledSpeaker(speaker, second).ask(questions)).toEqual(said);
    expect(script.calls).toHaveLength(1);
    second.close();
    for (const text of ['[]', '[1]', '["a","b"]', 'cut']) {
      const journal = { append: () => {}, take: () => ({ ...entry!, text }) };
      await expect(journaledSpeaker(speaker, journal).ask(questions)).rejects.toThrow('does not answer it');
    }
  });
});
