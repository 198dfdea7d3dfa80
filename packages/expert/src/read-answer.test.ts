/** A question with a picture, sent over HTTP until the answer is readable. */
import { Random } from '@emac/core';
import { onTestFinished, describe, expect, it } from 'vitest';
import { spendingBudget } from './budget.ts';
import { chatAnswer, faultServer, json, refusal, type Answer } from './fault-server.test.support.ts';
import type { JournalEntry } from './journal.ts';
import { openaiLanguageModel, type OpenaiLanguageModelOptions } from './language-model.ts';
import { manualClock } from './manual-clock.test.support.ts';
import { readAnswer } from './read-answer.ts';

const picture = 'data:image/png;base64,AAAA';
const messages = [{ role: 'user', content: 'Where is it?', pictures: [picture] }] as const;

async function model(script: readonly Answer[], more: Partial<OpenaiLanguageModelOptions> = {}) {
  const server = await faultServer(...script);
  onTestFinished(() => server.close());
  const options = { model: 'seer', clock: manualClock(), random: Random.fromSeed(0), maxAttempts: 1 };
  return { server, languageModel: openaiLanguageModel({ ...options, baseUrl: server.baseUrl, ...more }) };
}

const read = (text: string) => (/^\d+$/.test(text) ? { value: Number(text) } : { problem: `"${text}"` });

describe('a question with a picture', () => {
  it('is retried, each time warmer, until its answer is readable', async () => {
    const { server, languageModel } = await model([
      chatAnswer('left'),
      chatAnswer('right'),
      chatAnswer('7'),
      chatAnswer('8'),
    ]);
    expect(await readAnswer({ messages, read }, { languageModel })).toEqual({ kind: 'read', value: 7 });
    expect(server.seen.map(({ body }) => body['temperature'])).toEqual([0, 0.2, 0.4]);
    const content = [
      { type: 'image_url', image_url: { url: picture } },
      { type: 'text', text: 'Where is it?' },
    ];
    for (const { body } of server.seen) expect(body['messages']).toEqual([{ role: 'user', content }]);
  });

  it('has no answer after the allowed attempts, and reports the last problem', async () => {
    const { server, languageModel } = await model([chatAnswer('left')]);
    expect(await readAnswer({ messages, read }, { languageModel, maxTries: 3 })).toEqual({
      kind: 'unusable',
      cause: 'no-command',
      reason: 'after 3 tries: "left"',
    });
    expect(server.seen).toHaveLength(3);
  });

  it('is not retried if the answer is withheld', async () => {
    const filtered = json(200, {
      choices: [{ message: { content: null }, finish_reason: 'content_filter' }],
    });
    const { server, languageModel } = await model([filtered]);
    expect(await readAnswer({ messages, read }, { languageModel })).toMatchObject({ cause: 'filtered' });
    expect(server.seen).toHaveLength(1);
  });

  it('is retried after a failed call, and throws if the service stays down', async () => {
    const away = refusal(503, 'away');
    const { languageModel } = await model([away, away, chatAnswer('7')]);
    expect(await readAnswer({ messages, read }, { languageModel })).toMatchObject({ value: 7 });
    const { server, languageModel: gone } = await model([away]);
    await expect(readAnswer({ messages, read }, { languageModel: gone })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(server.seen).toHaveLength(3);
  });

  it('uses the responses interface in its own form, and rejects completions', async () => {
    const said = { output: [{ type: 'message', content: [{ type: 'output_text', text: '7' }] }] };
    const { server, languageModel } = await model([json(200, said)], { api: 'responses' });
    await languageModel.reply(messages);
    const content = [
      { type: 'input_image', image_url: picture },
      { type: 'input_text', text: 'Where is it?' },
    ];
    expect(server.seen[0]!.body['input']).toEqual([{ role: 'user', content }]);
    const { server: other, languageModel: blind } = await model([chatAnswer('7')], { api: 'completions' });
    await expect(blind.reply(messages)).rejects.toMatchObject({ code: 'usage' });
    expect(other.seen).toHaveLength(0);
  });

  it('is distinct for another picture, and keeps its journal key without one', async () => {
    const entries: JournalEntry[] = [];
    const journal = { append: (entry: JournalEntry) => void entries.push(entry) };
    const { languageModel } = await model([chatAnswer('7')], { journal });
    const plain = { role: 'user', content: 'Where is it?' } as const;
    for (const pictures of [[picture], [`${picture}BBBB`], []])
      await languageModel.reply([{ ...plain, pictures }]);
    await languageModel.reply([plain]);
    const keys = entries.map(({ request }) => request);
    expect(new Set(keys).size).toBe(3);
    expect(keys[3]).toBe(keys[2]);
  });

  it('reserves budget for its picture before it is sent', async () => {
    // the picture counts 1445, the longest answer 1024
    const budget = spendingBudget({ maxTokens: 2400 });
    const { server, languageModel } = await model([chatAnswer('7')], { budget });
    await expect(languageModel.reply(messages)).rejects.toMatchObject({ code: 'interrupted' });
    expect(server.seen).toHaveLength(0);
    await languageModel.reply([{ role: 'user', content: 'Where is it?' }]);
    expect(server.seen).toHaveLength(1);
  });
});
