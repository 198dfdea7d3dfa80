import { join } from 'node:path';
import { Random } from '@emac/core';
import { serviceSchema } from '@emac/settings';
import { labelServer } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { openLanguageModels } from './language-models.ts';
import { noReplies } from './reply-use.ts';
import { serviceAddress, toldOf } from './service-address.ts';

const folder = temporaryFolder();
const [ours, old, given] = [
  'http://ours.example/v1',
  'http://old.example:8080/v1',
  'http://given.example/v1',
];

describe('the address of a language model', () => {
  it('is the one in OPENAI_BASE_URL if the configuration names none, and is reported', async () => {
    const server = await labelServer(({ answer }) => answer('look'));
    const env = { OPENAI_BASE_URL: server.baseUrl };
    const config = serviceSchema.parse({ model: 'teacher' });
    const models = await openLanguageModels(config, { env, now: () => 0 }, Random.fromSeed(0));
    models.keepReplies(join(folder, 'llm.jsonl'), noReplies);
    const told = `the language model is at ${new URL(server.baseUrl).host}, as OPENAI_BASE_URL says`;
    expect(models.notes).toContain(told);
    expect(await models.model.complete([{ role: 'user', content: 'what now?' }])).toBe('look');
    models.dispose();
  });

  it.each([
    [given, { OPENAI_BASE_URL: ours }, given, []],
    [null, {}, null, []],
    [null, { OPENAI_BASE_URL: ours, OPENAI_API_BASE: old }, ours, ['ours.example, as OPENAI_BASE_URL']],
    [
      null,
      { OPENAI_BASE_URL: ' ', OPENAI_API_BASE: ` ${old}` },
      old,
      ['old.example:8080, as OPENAI_API_BASE'],
    ],
  ])('given %j with %j is %j', (baseUrl, env, expected, told) => {
    const address = serviceAddress({ baseUrl }, env);
    expect(address.baseUrl).toBe(expected);
    expect(toldOf(address)).toEqual(told.map((words) => `the language model is at ${words} says`));
  });

  it('is checked before any request', async () => {
    const config = serviceSchema.parse({ model: 'teacher' });
    const host = { env: { OPENAI_BASE_URL: 'my server' }, now: () => 0 };
    await expect(openLanguageModels(config, host, Random.fromSeed(0))).rejects.toMatchObject({
      code: 'usage',
    });
  });
});
