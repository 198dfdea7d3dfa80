/** `emac collect --env --expert openai` from the command line, with a language model at an address. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const collecting = ['collect', '--env', 'gym_cards/NumberLine', '--num-samples', '12', '--val-share', '0'];
const openai = ['--expert', 'openai', '--expert-model', 'teacher'];

/** Answers every request alike; `answer` decides how. */
async function languageServer(answer: () => { readonly status: number; readonly content: string }) {
  const keys = new Set<string | undefined>();
  let answered = 0;
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization);
    const { status, content } = answer();
    if (status === 200) answered++;
    const body = {
      choices: [{ message: { content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1000, completion_tokens: 100 },
    };
    // down for longer than a call may take: no second call, so the test waits for nothing
    const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
    request.resume().on('end', () => response.writeHead(status, headers).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: ['--expert-base-url', `http://127.0.0.1:${port}/v1`],
    keys,
    answered: () => answered,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const content = '{"thoughts": "up", "utilities": {"-": 1, "+": 8}, "action": "+"}';

describe('emac collect --env --expert openai', () => {
  it('reports the number of valid answers, their tokens and their price, in JSON too', async () => {
    let asked = 0;
    await using server = await languageServer(() => ({
      status: 200,
      content: asked++ === 0 ? 'up' : content,
    }));
    const out = join(folder, 'scored');
    const prices = ['--expert-price-in', '2', '--expert-price-out', '10'];
    const flags = ['--quality-scores', ...prices, '--out', out, '--json'];
    const { status, stdout, stderr } = await emac([...collecting, ...openai, ...server.address, ...flags], {
      env: { OPENAI_API_KEY: 'key-of-a-test' },
    });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
    // 2 dollars for a million prompt tokens and 10 for a million answer tokens: 0.003 dollars a request
    const requests = server.answered();
    expect(stderr).toContain('labels: the answers for 12 of 12 steps were readable (100 %)');
    expect(stderr).toContain(
      `${requests} requests, ${requests},000 prompt tokens and ${(requests * 100).toLocaleString('en-US')} answer tokens; $${(requests * 0.003).toFixed(4)}`,
    );
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({
      samples: { training: 12, validation: 0 },
      asked: { steps: 12, unlabelled: 0, requests },
    });
    expect([...server.keys]).toEqual(['Bearer key-of-a-test']);
    const [record] = JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as object[];
    expect(record).toMatchObject({ utilities: { '-': 1, '+': 8 } });
    expect(record).toMatchObject({ text_output: '{"thoughts": "up", "action": "+"}' });
  });

  it.each([
    ['12', '12 steps'],
    ['300', '16 steps'],
  ])('ends with 65 if no answer of %s steps is valid, after %s', async (samples, tried) => {
    await using server = await languageServer(() => ({ status: 200, content: 'I cannot see it.' }));
    const out = join(folder, `none-${samples}`);
    const asked = ['collect', '--env', 'gym_cards/Blackjack', '--num-samples', samples];
    const argv = [...asked, ...openai, ...server.address, '--out', out];
    const { status, stderr } = await emac(argv);
    expect([status, stderr]).toEqual([65, expect.stringContaining(`for the first ${tried} was readable`)]);
    expect(stderr).toContain(`look at the "text" of each line of ${out}.part/llm.jsonl`);
    expect(existsSync(out)).toBe(false);
    const replies = readFileSync(`${out}.part/llm.jsonl`, 'utf8').trim().split('\n');
    expect(replies.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(
      Array(server.answered()).fill('I cannot see it.'),
    );
    // six requests for each picture, also for those requested together with the last one; 300 steps have about 300 pictures
    expect([server.answered() % 6, server.answered() < 6 * 100]).toEqual([0, true]);
    expect((await emac(argv)).status).toBe(65);
  });

  it.each<[number, readonly string[], string]>([
    [64, [...collecting, '--expert', 'handcoded'], 'for --env give scripted or openai or human'],
    [64, [...collecting, '--page'], '--page: belongs to --expert human'],
    [64, ['collect', '--rlds', 'none', '--page'], '--page: belongs to playing games or --env'],
    [64, [...collecting, '--expert-model', 'teacher'], '--expert-model: belongs to --expert openai'],
    [64, [...collecting, '--quality-scores'], '--quality-scores: belongs to --expert openai'],
    [64, [...collecting, '--parallel-episodes', '2'], '--parallel-episodes: belongs to --expert openai'],
    [64, [...collecting, ...openai, '--label-noise', '0.1'], '--label-noise: belongs to scripted experts'],
    [
      64,
      [...collecting, ...openai, '--expert-context', '2048'],
      '--expert-context: belongs to playing games',
    ],
    [64, ['collect', '--agent', './mine.mjs'], 'record its attempts with --traces'],
    [64, ['collect', '--expert', 'scripted'], '--expert scripted: for playing games give'],
    [64, ['collect', '--quality-scores'], '--quality-scores: belongs to --env'],
  ])('is refused with %i: %j', async (status, argv, hint) => {
    const refused = await emac([...argv, '--out', join(folder, 'refused')]);
    expect([refused.status, refused.stderr]).toEqual([status, expect.stringContaining(hint)]);
  });

  it('keeps scripted play unchanged even if the environment offers other commands', async () => {
    const out = join(folder, 'scripted');
    const { status } = await emac([...collecting, '--expert', 'scripted', '--out', out], {
      env: { EMAC_PARALLEL_EPISODES: '2', OPENAI_API_KEY: 'unused' },
    });
    const plain = join(folder, 'plain');
    expect([status, (await emac([...collecting, '--out', plain])).status]).toEqual([0, 0]);
    for (const file of ['train.json', 'collection.json'])
      expect(readFileSync(join(out, file))).toEqual(readFileSync(join(plain, file)));
  });
});

describe('emac collect --expert human', () => {
  it('asks on the terminal, keeps what is typed, and resumes', async () => {
    const out = join(folder, 'typed');
    const asked = ['collect', '--env', 'gym_cards/NumberLine', '--num-samples', '3', '--val-share', '0'];
    const argv = [...asked, '--random-actions', '0', '--expert', 'human', '--out', out];
    const stopped = await emac(argv, { stdin: '+\nsideways\n' });
    expect([stopped.status, stopped.stderr]).toEqual([
      75,
      expect.stringContaining(
        'stopped after 1 of 3 samples: nothing more was said; run the same command again',
      ),
    ]);
    expect(stopped.stderr).toContain('"sideways" is none of the actions: -, +');
    const { status, stderr } = await emac(argv, { stdin: '+\n-\n' });
    // the second state of an episode whose first one was answered before
    expect([status, stderr]).toEqual([0, expect.stringContaining('gym_cards/NumberLine-v0/')]);
    const records = JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as { text_output: string }[];
    const actions = records.map(({ text_output }) => (JSON.parse(text_output) as { action: string }).action);
    expect(actions).toEqual(['+', '+', '-']);
  });
});
