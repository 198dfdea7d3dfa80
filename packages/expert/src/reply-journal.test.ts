import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, type ChatMessage } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { spendingBudget } from './budget.ts';
import { chatAnswer, faultServer } from './fault-server.test.support.ts';
import type { JournalEntry } from './journal.ts';
import { manualClock } from './manual-clock.test.support.ts';
import { openaiLanguageModel, replayedLanguageModel } from './language-model.ts';
import { openReplyJournal, readReplies } from './reply-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-replies-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (request: string, text: string): JournalEntry => ({
  v: 1,
  request: request.repeat(64),
  model: 'm',
  text,
  promptTokens: 7,
  completionTokens: 2,
});
const a = 'a'.repeat(64);

describe('openReplyJournal', () => {
  it('replays the entries after a position, oldest first, each once', () => {
    const path = join(folder, 'position.jsonl');
    const first = openReplyJournal(path);
    for (const [request, text] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
      ['a', '4'],
    ] as const)
      first.append(entry(request, text));
    expect(first.position()).toEqual({ replies: 4, tokens: 36 });
    expect(first.take(a)).toBeNull();
    first.close();
    const again = openReplyJournal(path, { from: { replies: 1, tokens: 9 } });
    expect(again.spentBefore).toEqual({ promptTokens: 28, completionTokens: 8 });
    expect([again.take(a)?.text, again.take(a)?.text, again.take(a)]).toEqual(['3', '4', null]);
    // b's has not been needed
    expect(again.position()).toEqual({ replies: 4, tokens: 27, unused: [1] });
    again.close();
    expect(readReplies(path)).toHaveLength(4);
  });

  it('tracks which entries it has not replayed yet, also when later ones were needed first', () => {
    const path = join(folder, 'later-first.jsonl');
    const first = openReplyJournal(path);
    for (const request of ['a', 'b', 'c']) first.append(entry(request, request));
    first.close();
    // killed before any checkpoint knew them; then stopped again, after the second line was used
    const again = openReplyJournal(path, { from: { replies: 0, tokens: 0 } });
    expect(again.take('b'.repeat(64))?.text).toBe('b');
    const position = again.position();
    expect(position).toEqual({ replies: 2, tokens: 9, unused: [0] });
    again.close();
    const last = openReplyJournal(path, { from: position });
    expect(last.take(a)?.text).toBe('a');
    expect(last.take('b'.repeat(64))).toBeNull();
    expect(last.take('c'.repeat(64))?.text).toBe('c');
    expect(last.position()).toEqual({ replies: 3, tokens: 27 });
    last.close();
  });

  it("replays each request's own entries in any order, then asks", () => {
    const path = join(folder, 'order.jsonl');
    const first = openReplyJournal(path);
    first.append(entry('a', 'one'));
    const from = first.position();
    for (const [request, text] of [
      ['b', 'two'],
      ['a', 'three'],
      ['b', 'four'],
    ] as const)
      first.append(entry(request, text));
    first.close();
    const again = openReplyJournal(path, { from });
    const taken = ['b', 'a', 'b', 'b', 'a'].map((request) => again.take(request.repeat(64))?.text);
    expect(taken).toEqual(['two', 'three', 'four', undefined, undefined]);
    again.append(entry('b', 'five'));
    again.close();
    expect(readReplies(path).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('replays unused lines again, and counts their tokens once', () => {
    const path = join(folder, 'unused.jsonl');
    const heard: number[] = [];
    const first = openReplyJournal(path, { used: (line) => void heard.push(line) });
    for (const request of ['a', 'b', 'c', 'b']) first.append(entry(request, `${heard.length}`));
    expect(heard).toEqual([0, 1, 2, 3]);
    // lines of 9 tokens each; 1 and 2 belong to episodes whose step was not made
    const from = first.position(new Set([2, 1]));
    expect(from).toEqual({ replies: 4, tokens: 18, unused: [1, 2] });
    first.close();
    const again = openReplyJournal(path, { from });
    expect(['a', 'b', 'b', 'c'].map((request) => again.take(request.repeat(64))?.text)).toEqual([
      undefined,
      '1',
      undefined,
      '2',
    ]);
    expect(again.position()).toEqual({ replies: 4, tokens: 36 });
    again.close();
  });

  it('skips a torn last line, and rejects one that is not a reply', () => {
    const path = join(folder, 'torn.jsonl');
    const journal = openReplyJournal(path);
    journal.append(entry('a', '1'));
    journal.close();
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"v":1,"requ`);
    const again = openReplyJournal(path);
    expect([again.take(a)?.text, again.take(a)]).toEqual(['1', null]);
    again.close();
    writeFileSync(path, '{"v":1,"request":"x"}\n');
    expect(() => openReplyJournal(path)).toThrow(expect.objectContaining({ code: 'data' }));
    expect(() => readReplies(path)).toThrow('line 1');
  });
});

describe('a language model with a journal', () => {
  const messages: readonly ChatMessage[] = [{ role: 'user', content: 'What now?' }];
  const settings = { model: 'teacher', clock: manualClock(), random: Random.fromSeed(0) };

  it('keeps its budget over an interruption', async () => {
    const path = join(folder, 'budget.jsonl');
    const server = await faultServer(chatAnswer('look'));
    const open = () => {
      const journal = openReplyJournal(path);
      const budget = spendingBudget({ maxTokens: 60 });
      budget.add(journal.spentBefore);
      const limits = { countTokens: (text: string) => text.length, maxTokens: 7, budget, journal };
      return { journal, model: openaiLanguageModel({ ...settings, ...limits, baseUrl: server.baseUrl }) };
    };
    // a call uses 13 by the server's count and may use 20
    const first = open();
    for (const content of ['one', 'two']) await first.model.complete([{ role: 'user', content }]);
    first.journal.close();
    const second = open();
    for (const content of ['one', 'two', 'three', 'four'])
      await second.model.complete([{ role: 'user', content }]);
    const refused = second.model.complete([{ role: 'user', content: 'five' }]);
    await expect(refused).rejects.toMatchObject({ code: 'interrupted' });
    second.journal.close();
    expect(server.seen).toHaveLength(4);
    await server.close();
  });

  it('repeats a recorded run without a key or a network, and names unrecorded requests', async () => {
    const recorded = join(folder, 'recorded.jsonl');
    let asked = 0;
    const server = await faultServer((response, request) => chatAnswer(`${++asked}`)(response, request));
    const recorder = openReplyJournal(recorded);
    const model = openaiLanguageModel({ ...settings, baseUrl: server.baseUrl, journal: recorder });
    const first = [
      await model.complete(messages),
      await model.complete(messages),
      await model.complete(messages),
    ];
    recorder.close();
    await server.close();

    const path = join(folder, 'replaying.jsonl');
    const replayed = () => {
      const journal = openReplyJournal(path, { replay: readReplies(recorded) });
      return { journal, model: replayedLanguageModel({ model: 'teacher', journal, source: recorded }) };
    };
    const begun = replayed();
    const before = [await begun.model.complete(messages), await begun.model.complete(messages)];
    begun.journal.close();
    // resumed: two again from the run's own journal, then the third, then nothing
    const resumed = replayed();
    const again = [];
    for (let call = 0; call < 3; call++) again.push(await resumed.model.complete(messages));
    expect([before, again]).toEqual([first.slice(0, 2), first]);
    await expect(resumed.model.complete(messages)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(recorded) as string,
    });
    resumed.journal.close();
    expect(readFileSync(path)).toEqual(readFileSync(recorded));
  });
});
