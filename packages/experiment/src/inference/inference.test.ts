/** PPO with answers from a vLLM-like server: by the right version, or not at all. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { resume } from '../methods.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import type { FinishedPpo } from '../reinforcement/recipe.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { failure, servedModel, type ServedModel } from './served-model.test.support.ts';

const folder = temporaryFolder();
const maxLength = 64;
let server: ServedModel;
let number = 0;
beforeAll(async () => {
  server = await servedModel('rl-tiny', maxLength);
});
afterAll(() => server.close());
const calm = {
  noLora: false,
  load: null,
  chat: null,
  stale: false,
  saysStale: false,
  noise: 0,
  noIds: false,
};
beforeEach(async () => {
  Object.assign(server.faults, { ...calm, dieAfter: null, silentAfter: null });
  await server.restart();
  server.asked.length = 0;
});
afterEach(() => onFailpoint(null));

/** rl-tiny on NumberLine, three updates of 2 · 2 steps; each moves the adapter. */
const learning = (given: Partial<GivenPpoConfig> = {}): GivenPpoConfig => ({
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 12, environments: 2, stepsPerUpdate: 2, temperature: 0.7 },
  optimization: { passes: 1, minibatchSize: 4, learningRate: 0.003, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'lora', rank: 2 },
  value: { hiddenWidths: [4] },
  speech: { maxLength },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
  inference: { url: server.url, adapters: join(folder, 'adapters'), maxGap: 0.001 },
  out: join(folder, String(number++)),
  ...given,
});
/** Nothing waits, and nothing that never answers is waited for long. */
const host = (more: Parameters<typeof plainHost>[0] = {}) => ({
  ...plainHost(more),
  env: { INFERENCE_BACKOFF_FACTOR: '0', INFERENCE_MAX_RETRIES: '1', INFERENCE_TIMEOUT: '120' },
});
const linesOf = (run: string) =>
  readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, number>>);
const only = (out: string) => join(out, readdirSync(out)[0]!);
const bodiesOf = (path: string) => server.asked.filter((each) => each.path === path).map(({ body }) => body);
const loads = () => bodiesOf('/v1/load_lora_adapter');
/** after each update of 2 · 2 steps */
const checkpoints = ['00000000', '00000005', '00000010', '00000015'];

/** the undisturbed run */
let whole: FinishedPpo;

describe('a run with answers from a server', () => {
  const seen: { name: string; bytes: Buffer | null }[] = [];
  let models: unknown[] = [];
  beforeAll(async () => {
    await server.restart();
    server.asked.length = 0;
    // reads a version's files while it is served
    const keep = () => {
      const name = server.names().at(-1)!;
      const path = join(folder, 'adapters', name, 'adapter_model.safetensors');
      seen.push({ name, bytes: existsSync(path) ? readFileSync(path) : null });
    };
    onFailpoint((name) => {
      if (name === 'updating') keep();
    });
    whole = await trainPpo(learning(), host());
    models = bodiesOf('/v1/chat/completions').map(({ model }) => model);
  });

  it('uses in every update the adapter as trained so far, and no other', async () => {
    expect(seen).toHaveLength(3);
    for (const [update, { name, bytes }] of seen.entries()) {
      expect(name).toMatch(new RegExp(`-v${update}-[0-9a-f]{8}$`));
      const stored = join(whole.folder, 'checkpoints', checkpoints[update]!, 'adapter_model.safetensors');
      expect(bytes!.equals(readFileSync(stored))).toBe(true);
    }
    expect(new Set(seen.map(({ bytes }) => bytes!.toString('base64'))).size).toBe(3);
    // two environments, two steps of each
    expect(models).toEqual(seen.flatMap(({ name }) => Array<string>(4).fill(name)));
    // one stays, on the server and in the folder
    expect(readdirSync(join(folder, 'adapters'))).toEqual([seen[2]!.name]);
  });

  it('learns from log-probabilities that are those of the server within float32', () => {
    const lines = linesOf(whole.folder);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line['inference_logprob_gap']).toBeGreaterThanOrEqual(0);
      expect(line['inference_logprob_gap']).toBeLessThan(1e-4);
      // one pass of one minibatch: the ratio is that before the update
      expect(Math.abs(line['approx_kl']!)).toBeLessThan(1e-6);
      expect(line['fallback_share']).toBeLessThan(1);
    }
  });
});

it('resumes after a kill of the run to the same bytes', async () => {
  const stop = new AbortController();
  let left = 2;
  onFailpoint((name) => {
    if (name === 'updating' && --left === 0) stop.abort();
  });
  const given = learning();
  await expect(trainPpo(given, host({ signal: stop.signal }))).rejects.toMatchObject({ code: 'interrupted' });
  onFailpoint(null);
  const stopped = only(given.out!);
  await resume(stopped, host());
  const [one, other] = [contentOf(stopped), contentOf(whole.folder)];
  for (const content of [one, other]) content.delete('config.yaml');
  expect(one).toEqual(other);
});

it('ends at once during a request, and resumes from its last checkpoint to the same bytes', async () => {
  // the second update's fourth question is never answered, and a test hangs before this limit
  server.faults.silentAfter = 4 + 3;
  const stop = new AbortController();
  const given = learning();
  const patient = { ...host({ signal: stop.signal }), env: { INFERENCE_TIMEOUT: '3600' } };
  const begun = trainPpo(given, patient).catch((error: unknown) => error);
  await vi.waitFor(() => expect(bodiesOf('/v1/chat/completions').length).toBeGreaterThan(4 + 3), 100_000);
  stop.abort();
  expect(await begun).toMatchObject({ code: 'interrupted', run: { canGoOn: true } });
  const run = only(given.out!);
  expect(readdirSync(join(run, 'checkpoints')).filter((name) => /^\d+$/.test(name))).toEqual(
    checkpoints.slice(0, 2),
  );
  server.faults.silentAfter = null;
  await server.restart();
  await resume(run, host());
  const [one, other] = [contentOf(run), contentOf(whole.folder)];
  for (const content of [one, other]) content.delete('config.yaml');
  expect(one).toEqual(other);
});

describe('a server that', () => {
  /** Ends the run without learning from the current update; the run can resume. */
  const ends = async (given: GivenPpoConfig, sentence: RegExp) => {
    const thrown: unknown = await trainPpo(given, host()).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'unavailable', run: { canGoOn: true } });
    expect((thrown as Error).message).toMatch(sentence);
    return only(given.out!);
  };

  it('dies in an update is noticed, and the run resumes to the same bytes once it is back', async () => {
    server.faults.dieAfter = 4 + 2;
    const given = learning();
    const run = await ends(given, /does not answer/);
    expect(linesOf(run)).toHaveLength(1);
    server.faults.dieAfter = null;
    await server.restart();
    await resume(run, host());
    const [one, other] = [contentOf(run), contentOf(whole.folder)];
    for (const content of [one, other]) content.delete('config.yaml');
    expect(one).toEqual(other);
  });

  it('falls silent is waited for no longer than the limit', async () => {
    server.faults.silentAfter = 0;
    const thrown: unknown = await trainPpo(learning(), {
      ...host(),
      env: { INFERENCE_TIMEOUT: '0.05', INFERENCE_MAX_RETRIES: '0' },
    }).catch((error: unknown) => error);
    // on a busy machine the load may be late as well
    expect((thrown as Error).message).toMatch(/has not answered in time/);
    expect(thrown).toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['in float32', { noise: 0, learningRate: 0.003, maxGap: 0.001, steps: 2 }],
    // an update moves a log-probability by less than the arithmetic does, and the limit is far away
    ['in coarse arithmetic', { noise: 0.02, learningRate: 0.0001, maxGap: 0.1, steps: 16 }],
  ])(
    'answers %s by an old adapter under the new name is found by its log-probabilities',
    async (_how, { noise, learningRate, maxGap, steps }) => {
      Object.assign(server.faults, { stale: true, noise });
      const given = learning();
      const run = await ends(
        {
          ...given,
          play: { ...given.play, environmentSteps: 6 * steps, stepsPerUpdate: steps },
          optimization: { ...given.optimization, minibatchSize: Math.min(8, 2 * steps), learningRate },
          inference: { ...given.inference, maxGap },
        },
        /match the previous version .* an old adapter/,
      );
      // the first version is the newest
      expect(linesOf(run)).toHaveLength(1);
    },
  );

  it('computes in coarse arithmetic may, within the limit', async () => {
    server.faults.noise = 0.02;
    const given = learning();
    const optimization = { ...given.optimization, learningRate: 0.0001 };
    const inference = { ...given.inference, maxGap: 0.05 };
    const { folder: run } = await trainPpo({ ...given, optimization, inference }, host());
    // the mean of |x| for x uniform in ±0.02 is 0.01, of more than 100 tokens an update
    for (const line of linesOf(run)) {
      expect(line['inference_logprob_gap']).toBeGreaterThan(0.008);
      expect(line['inference_logprob_gap']).toBeLessThan(0.012);
    }
  });

  it('returns numbers not from the model is rejected', async () => {
    server.faults.noise = 0.2;
    const run = await ends(learning(), /differ from local ones by .* a token, at most 0.001 is allowed/);
    expect(existsSync(join(run, 'metrics.jsonl')) ? linesOf(run) : []).toHaveLength(0);
  });

  it('names an old adapter as answering is rejected', async () => {
    server.faults.saysStale = true;
    const run = await ends(learning(), /-v1-[0-9a-f]{8} was asked, but .*-v0-[0-9a-f]{8} answered/);
    expect(linesOf(run)).toHaveLength(1);
  });

  it('loads no adapters at run time gets the name of its variable', async () => {
    server.faults.noLora = true;
    await ends(learning(), /VLLM_ALLOW_RUNTIME_LORA_UPDATING=True/);
  });

  it('was started again without the adapter is noticed', async () => {
    server.faults.chat = { status: 404, body: failure('The model `x` does not exist.', 404) };
    await ends(learning(), /no longer has the adapter/);
  });

  it('has moved is found by INFERENCE_URL', async () => {
    const given = learning();
    const moved = { ...given, inference: { ...given.inference, url: 'http://127.0.0.1:1' } };
    await ends(moved, /127.0.0.1:1.*does not answer/);
    const env = { ...host().env, INFERENCE_URL: `${server.url}/v1` };
    expect(await resume(only(given.out!), { ...host(), env })).toMatchObject([{ outcome: { update: 3 } }]);
  });

  it('is out of memory is reported', async () => {
    server.faults.chat = { status: 500, body: failure('CUDA out of memory. Tried to allocate 2 GiB', 500) };
    await ends(learning(), /no memory left.*--gpu-memory-utilization.*try 2 of 2/);
  });

  it('refuses an argument is quoted', async () => {
    server.faults.chat = {
      status: 400,
      body: { detail: [{ loc: ['return_tokens_as_token_ids'], msg: 'Extra inputs are not permitted' }] },
    };
    await ends(learning(), /return_tokens_as_token_ids.*does not know this argument/);
  });

  it('has too small a rank is reported with the option to start it with', async () => {
    const message = 'LoRA rank 2 is greater than max_lora_rank 1.';
    server.faults.load = { status: 400, body: failure(message, 400) };
    await ends(learning(), /max_lora_rank 1\.; start the server with a --max-lora-rank/);
  });

  it('gives texts in place of token ids is read by the tokenizer here', async () => {
    server.faults.noIds = true;
    const { folder: run } = await trainPpo(learning(), host());
    for (const line of linesOf(run)) expect(line['inference_logprob_gap']).toBeLessThan(1e-4);
  });

  it('gets one load per version, every sampling setting, and a prompt without thoughts', async () => {
    await trainPpo(learning(), host());
    expect(loads()).toHaveLength(3);
    const [body] = bodiesOf('/v1/chat/completions');
    expect(body).toMatchObject({
      temperature: 0.7,
      top_p: 1,
      top_k: -1,
      repetition_penalty: 1,
      max_tokens: maxLength,
      logprobs: true,
      return_tokens_as_token_ids: true,
      chat_template_kwargs: { enable_thinking: false },
    });
    const seeds = bodiesOf('/v1/chat/completions').map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(12);
  });
});

describe('answers from a server are refused', () => {
  const refused = (given: Partial<GivenPpoConfig>, sentence: RegExp) =>
    expect(trainPpo(learning(given), host())).rejects.toThrow(sentence);

  it.each([
    ['where the projection learns too', { trained: { parts: 'projection,lora' } }, /give --train lora/],
    [
      'for a small network',
      { policy: 'mlp', trained: {}, speech: {} },
      /is for language models, got --policy mlp/,
    ],
    ['without a folder', { inference: { url: 'http://127.0.0.1:8000' } }, /needs --inference-adapters/],
    ['without an address', { inference: { adapters: 'x' } }, /belongs to --inference/],
    [
      'that are compared, without an address',
      { inference: { logprobs: 'processed' } },
      /--inference-logprobs/,
    ],
    ['that may differ, without an address', { inference: { maxGap: 1 } }, /--inference-max-gap/],
    ['at what is no address', { inference: { url: 'localhost', adapters: 'x' } }, /must be an http address/],
  ] satisfies [string, Partial<GivenPpoConfig>, RegExp][])('%s', async (_when, given, sentence) => {
    await refused(given, sentence);
  });

  it("if the run starts with another projection than the model's", async () => {
    const { inference: _here, ...alone } = learning({ trained: { parts: 'projection,lora', rank: 2 } });
    const { folder: init } = await trainPpo({ ...alone, play: { ...alone.play, environmentSteps: 4 } });
    await refused({ init }, /has another projection .* merge it first/);
  });
});
