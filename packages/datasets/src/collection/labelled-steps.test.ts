/** Environment steps labelled by a language model over HTTP: requests, stored records, and the cost of an interruption. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeGymCards } from '@emac/gym-cards';
import { sha256 } from '@emac/files';
import { decodeImage } from '@emac/images';
import { plainHost, type Host } from '@emac/opening';
import { labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { openDataset, type PublishedRecord } from '../dataset/offline-dataset.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectEnvironment } from './collect-environment.ts';

const folder = temporaryFolder();
const host: Host = { ...plainHost(), env: { OPENAI_API_KEY: 'test-key' } };
const env = 'gym_cards/NumberLine-v0';
const out = (name: string) => join(folder, name);
const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as PublishedRecord[];
const actionOf = ({ text_output }: PublishedRecord) => (JSON.parse(text_output) as { action: string }).action;

type Given = Parameters<typeof collectEnvironment>[0];

function given(name: string, baseUrl: string, more: Partial<Given> = {}): Given {
  const expert = { kind: 'openai' as const, languageModel: { baseUrl, model: 'teacher' } };
  return { env, out: out(name), samples: 40, seed: 5, expert, ...more };
}

const hashOf = ({ pictures }: Pick<Asked, 'pictures'>) => sha256(pictures.join());

/** An action that depends on the picture alone, surrounded by typical model output. */
function answerTo(asked: Pick<Asked, 'pictures'>): string {
  const action = parseInt(hashOf(asked)[0]!, 16) % 2 ? '+' : '-';
  return `Sure!\n\`\`\`json\n{\n "action": "${action}",\n "current number": "3",\n "thoughts": " ${hashOf(asked).slice(0, 8)} "\n}\n\`\`\``;
}

const answering = (asked: Asked) => asked.answer(answerTo(asked));

/** All files of a dataset's folder; replies sorted, since several requests run at once. */
function contentOf(name: string): Record<string, string> {
  const files = readdirSync(out(name), { recursive: true }).map(String).sort();
  const entries = files
    .filter((file) => file.includes('.'))
    .map((file) => [file, readFileSync(join(out(name), file), 'latin1')] as const);
  const ordered = (file: string, text: string) =>
    file === 'llm.jsonl' ? text.split('\n').sort().join('\n') : text;
  return Object.fromEntries(entries.map(([file, text]) => [file, ordered(file, text)]));
}

let undisturbed: Promise<{ content: Record<string, string>; asked: number }> | undefined;

/** Output and requests of an uninterrupted collection, with settings that do not name its server. */
function whole() {
  undisturbed ??= (async () => {
    const server = await labelServer(answering);
    await collectEnvironment(given('whole', server.baseUrl), host);
    return { content: withoutAddress(contentOf('whole'), server.baseUrl), asked: server.asked.length };
  })();
  return undisturbed;
}

function withoutAddress(content: Record<string, string>, baseUrl: string): Record<string, string> {
  return { ...content, 'collection.json': content['collection.json']!.replace(baseUrl, 'ADDRESS') };
}

describe('steps labelled by a language model', () => {
  it('send the picture with the prompt, become labels in one form, and act by their labels', async () => {
    const server = await labelServer(answering);
    const { dataset, asked, samples } = await collectEnvironment(
      given('played', server.baseUrl, { randomActions: 0, validation: 0, parallelEpisodes: 3 }),
      host,
    );
    const game = makeGymCards(env);
    const records = recordsIn(dataset);
    let playing = '';
    for (const record of records) {
      if (playing !== record.game_id) game.reset(BigInt(record.game_id!.split('/').at(-1)!));
      playing = record.game_id!;
      expect(record).toMatchObject({ text_input: game.prompt(), verbatim: true, task_type: env });
      const png = readFileSync(join(out('played'), record.image!));
      expect(Buffer.from((await decodeImage(png)).data).equals(Buffer.from(game.frame().data))).toBe(true);
      const url = `data:image/png;base64,${png.toString('base64')}`;
      const one = server.asked.filter(({ pictures }) => pictures[0] === url);
      expect(one).toMatchObject([{ text: game.prompt(), temperature: 0, pictures: [url] }]);
      const action = parseInt(hashOf(one[0]!)[0]!, 16) % 2 ? '+' : '-';
      const thoughts = hashOf(one[0]!).slice(0, 8);
      expect(record.text_output).toBe(
        `{"current number": "3", "thoughts": "${thoughts}", "action": "${action}"}`,
      );
      game.step(game.actions.indexOf(actionOf(record)));
    }
    expect(samples).toEqual({ training: 40, validation: 0 });
    // the server counts 10 tokens per prompt and 3 per answer
    const requests = new Set(records.map(({ image }) => readFileSync(join(out('played'), image!), 'hex')))
      .size;
    expect(asked).toEqual({
      steps: 40,
      unlabelled: 0,
      requests,
      promptTokens: 10 * requests,
      answerTokens: 3 * requests,
      cost: null,
    });
    openDataset(dataset, { flag: '--data', images: null }).close();
  });

  it('are the same for any concurrency and order of answers', async () => {
    const { content } = await whole();
    let waiting: Asked[] = [];
    // the last of three requests is answered first
    const server = await labelServer((asked) => {
      waiting.push(asked);
      setImmediate(() => {
        for (const each of waiting.reverse()) answering(each);
        waiting = [];
      });
    });
    const expert = { kind: 'openai' as const, languageModel: { baseUrl: server.baseUrl, model: 'teacher' } };
    await collectEnvironment(
      given('narrow', server.baseUrl, {
        expert: { ...expert, languageModel: { ...expert.languageModel, concurrency: 1 } },
      }),
      host,
    );
    expect(Math.max(...server.asked.map(({ open }) => open))).toBe(1);
    await collectEnvironment(given('backwards', server.baseUrl), host);
    for (const name of ['narrow', 'backwards'])
      expect(withoutAddress(contentOf(name), server.baseUrl)).toEqual(content);
  });

  it('retry an unreadable answer at a higher temperature, then count and skip the step', async () => {
    const isLost = (asked: Pick<Asked, 'pictures'>) => parseInt(hashOf(asked)[1]!, 16) < 6;
    const server = await labelServer((asked) => asked.answer(isLost(asked) ? 'I go up.' : answerTo(asked)));
    const { asked, dataset, validation } = await collectEnvironment(given('lost', server.baseUrl), host);
    const records = [dataset, ...(validation === null ? [] : [validation])].flatMap(recordsIn);
    const shown = records.map(({ image }) => readFileSync(join(out('lost'), image!)).toString('base64'));
    const lost = server.asked.filter(isLost);
    const temperatures = lost
      .filter(({ pictures }) => pictures[0] === lost[0]!.pictures[0])
      .map(({ temperature }) => temperature);
    expect(temperatures).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(asked!.unlabelled).toBeGreaterThan(0);
    expect([asked!.steps, records.length]).toEqual([40, 40 - asked!.unlabelled]);
    expect(asked!.requests).toBe(server.asked.length);
    expect(shown.some((base64) => isLost({ pictures: [`data:image/png;base64,${base64}`] }))).toBe(false);
    expect(readdirSync(join(out('lost'), 'images'))).toHaveLength(records.length);
  });

  it('store scores of all actions beside their labels on request, never only some', async () => {
    const scored = (utilities: object) => JSON.stringify({ thoughts: 'up', utilities, action: '+' });
    // the first answers score one action, or score it above 10
    const server = await labelServer(({ temperature, answer }) => {
      const scores = temperature === 0 ? { '+': 9 } : { '+': temperature < 0.3 ? 11 : 9, '-': 1.5 };
      answer(scored(scores));
    });
    const { dataset } = await collectEnvironment(
      given('scored', server.baseUrl, { qualityScores: true, validation: 0 }),
      host,
    );
    for (const record of recordsIn(dataset)) {
      expect(record.text_input).toBe(makeGymCardsPrompt());
      expect(record.text_output).toBe('{"thoughts": "up", "action": "+"}');
      expect(record.utilities).toEqual({ '-': 1.5, '+': 9 });
    }
    expect(server.asked[0]!.text).toContain('"utilities": {"-": {number}, "+": {number}}');
    expect(server.asked.filter(({ temperature }) => temperature === 0.4).length * 3).toBe(
      server.asked.length,
    );
    openDataset(dataset, { flag: '--data', images: null }).close();
  });
});

function makeGymCardsPrompt(): string {
  const game = makeGymCards(env);
  game.reset(0n);
  return game.prompt();
}

describe('interrupted labels of a language model', () => {
  it.each<[string, number, (asked: Asked) => void]>([
    ['is down', 100, (asked) => asked.refuse(503)],
    ['sends pages', 0.3, (asked) => asked.babble()],
    ['never answers', 0.3, () => {}],
  ])(
    'because the service %s resume where they were, and pay for nothing again',
    async (what, deadline, fail) => {
      const { content, asked } = await whole();
      const server = await labelServer((each) => (each.key === 'key-while-away' ? fail : answering)(each));
      const whileAway = { ...host, env: { OPENAI_API_KEY: 'key-while-away' } };
      const name = what.replaceAll(' ', '-');
      const languageModel = { baseUrl: server.baseUrl, model: 'teacher' };
      const within = (seconds: number) =>
        given(name, server.baseUrl, {
          expert: { kind: 'openai', languageModel: { ...languageModel, deadline: seconds } },
        });
      const stop = new AbortController();
      const listener = { advance: () => stop.abort() };
      const stopped = { code: 'interrupted' };
      await expect(
        collectEnvironment(within(180), { ...host, listener, signal: stop.signal }),
      ).rejects.toMatchObject(stopped);
      const before = server.answered.length;
      await expect(collectEnvironment(within(deadline), whileAway)).rejects.toMatchObject(stopped);
      expect(existsSync(out(name))).toBe(false);
      expect([before > 0, before < asked, server.answered.length]).toEqual([true, true, before]);
      await collectEnvironment(within(180), host);
      expect(server.answered).toHaveLength(asked);
      expect(withoutAddress(contentOf(name), server.baseUrl)).toEqual(content);
      expect(existsSync(`${out(name)}.part`)).toBe(false);
    },
  );

  it('at any step resume to the same bytes and pay for nothing again', async () => {
    const { content, asked } = await whole();
    const server = await labelServer(answering);
    const again = given('stopped', server.baseUrl);
    for (const steps of [1, 9, 30]) {
      const stop = new AbortController();
      let made = 0;
      const listener = { advance: () => (++made === steps ? stop.abort() : undefined) };
      await expect(
        collectEnvironment(again, { ...host, listener, signal: stop.signal }),
      ).rejects.toMatchObject({
        code: 'interrupted',
        message: expect.stringMatching(/after \d+ of 40 steps; run the same command again/) as string,
      });
    }
    expect(server.asked.length).toBeLessThanOrEqual(asked);
    await collectEnvironment(again, host);
    expect(server.asked).toHaveLength(asked);
    expect(withoutAddress(contentOf('stopped'), server.baseUrl)).toEqual(content);
  });

  it("between the last step and the folder's renaming are also kept", async () => {
    const { content, asked } = await whole();
    const server = await labelServer(answering);
    const again = given('unnamed', server.baseUrl);
    // another process takes the name
    const listener = { advance: () => void mkdirSync(join(out('unnamed'), 'other'), { recursive: true }) };
    await expect(collectEnvironment(again, { ...host, listener })).rejects.toThrow('ENOTEMPTY');
    rmSync(out('unnamed'), { recursive: true });
    const other = { code: 'usage', message: expect.stringContaining('with other settings') as string };
    await expect(collectEnvironment({ ...again, seed: 6 }, host)).rejects.toMatchObject(other);
    await collectEnvironment(again, host);
    expect(server.asked).toHaveLength(asked);
    expect(withoutAddress(contentOf('unnamed'), server.baseUrl)).toEqual(content);
  });

  it('cannot be resumed with other settings or scripted play', async () => {
    const server = await labelServer((asked) => (server.answered.length < 3 ? answering : refuse)(asked));
    const refuse = (asked: Asked) => asked.refuse(401);
    const begun = given('kept', server.baseUrl);
    await expect(collectEnvironment(begun, host)).rejects.toMatchObject({ code: 'auth' });
    const replies = readFileSync(join(`${out('kept')}.part`, 'llm.jsonl'), 'utf8');
    expect(replies.trim().split('\n')).toHaveLength(3);
    const other = { code: 'usage', message: expect.stringContaining('with other settings') as string };
    await expect(collectEnvironment({ ...begun, seed: 6 }, host)).rejects.toMatchObject(other);
    await expect(collectEnvironment({ env, out: out('kept'), samples: 40 })).rejects.toMatchObject(other);
    expect(readFileSync(join(`${out('kept')}.part`, 'llm.jsonl'), 'utf8')).toBe(replies);
    const raised = { baseUrl: server.baseUrl, model: 'teacher', maxTokensTotal: 1 };
    await expect(
      collectEnvironment({ ...begun, expert: { kind: 'openai', languageModel: raised } }, host),
    ).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('belong to one process at a time: a second process gets the name of the owner, and changes nothing', async () => {
    const { content, asked } = await whole();
    const server = await labelServer(answering);
    const begun = given('shared', server.baseUrl);
    const others: Promise<unknown>[] = [];
    const also = () => collectEnvironment(begun, host).catch((thrown: unknown) => thrown);
    // at the first step, and in the middle
    const listener = { advance: () => void ([1, 20].includes(++made) && others.push(also())) };
    let made = 0;
    await collectEnvironment(begun, { ...host, listener });
    const message = new RegExp(`shared.part: process ${process.pid} on .* is using this collection`);
    const refused = { code: 'cannot-create', message: expect.stringMatching(message) as string };
    expect(await Promise.all(others)).toMatchObject([refused, refused]);
    expect(server.asked).toHaveLength(asked);
    expect(withoutAddress(contentOf('shared'), server.baseUrl)).toEqual(content);
  });

  it('can be repeated from their replies alone, without key and network', async () => {
    const { content } = await whole();
    const replay = join(out('whole'), 'llm.jsonl');
    const expert = { kind: 'openai' as const, languageModel: { replay } };
    await collectEnvironment({ ...given('replayed', ''), expert }, { ...host, env: {} });
    const { 'collection.json': _one, ...files } = contentOf('replayed');
    const { 'collection.json': _other, ...before } = content;
    expect(files).toEqual(before);
    const another = { ...given('unheard', ''), seed: 6, expert };
    await expect(collectEnvironment(another, { ...host, env: {} })).rejects.toMatchObject({ code: 'data' });
  });
});

describe('mismatched settings', () => {
  const model = { kind: 'openai' as const, languageModel: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' } };
  it.each<[string, string, Partial<Given>]>([
    ['usage', '--label-noise', { expert: model, labelNoise: 0.1 }],
    ['usage', '--quality-scores', { qualityScores: true }],
    ['usage', '--expert-model', { expert: { languageModel: { model: 'm' } } }],
    [
      'usage',
      '--expert-api completions',
      { expert: { ...model, languageModel: { ...model.languageModel, api: 'completions' } } },
    ],
    ['usage', '--expert-model', { expert: { kind: 'openai', languageModel: { baseUrl: 'http://a/v1' } } }],
    ['auth', 'OPENAI_API_KEY', { expert: { kind: 'openai', languageModel: { model: 'm' } } }],
  ])('are rejected with %s: %s', async (code, hint, more) => {
    const refused = collectEnvironment({ env, out: out('refused'), ...more }, { ...host, env: {} });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(hint) as string });
    expect(existsSync(`${out('refused')}.part`)).toBe(false);
  });

  it('keep their names in the facts of scripted play', async () => {
    await collectEnvironment({ env, out: out('scripted'), samples: 2 });
    const { settings, made } = JSON.parse(readFileSync(join(out('scripted'), 'collection.json'), 'utf8')) as {
      settings: object;
      made: object;
    };
    expect(Object.keys(settings).sort()).toEqual(
      'actionOnly env labelNoise maxSteps palette randomActions samples seed validation'.split(' '),
    );
    expect(Object.keys(made).sort()).toEqual('episodes noisyLabels training validation'.split(' '));
  });
});
