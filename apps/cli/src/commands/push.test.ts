/** `emac push` to a server in place of the hub, and the way back. No test calls the real hub. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { deserted } from '../deserted-address.test.fixture.ts';
import { hubServer, type HubServer } from '../hub-server.test.fixture.ts';

const folder = temporaryFolder();
let hub: HubServer;
let run = '';
const env = () => ({ HF_ENDPOINT: hub.address, HF_TOKEN: 'hf_key' });
const push = (name: string, ...flags: string[]) => emac(['push', run, name, ...flags], { env: env() });

const python = process.env['EMAC_PYTHON'] || 'python3';
const hasLibrary = spawnSync(python, ['-c', 'import huggingface_hub']).status === 0;

beforeAll(async () => {
  hub = await hubServer('hf_key');
  const train = ['train', '--method', 'ppo', '--env', 'gym_cards/NumberLine-v0', '--policy', 'mlp'];
  const short = ['--steps', '64', '--num-steps', '16', '--num-processes', '2', '--batch-size', '32'];
  const { stderr, status } = await emac([
    ...train,
    ...short,
    '--eval-episodes',
    '3',
    '--out',
    join(folder, 'runs'),
  ]);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  run = join(
    folder,
    'runs',
    readdirSync(join(folder, 'runs')).find((name) => !name.startsWith('.'))!,
  );
});

it('shows the files and sends nothing unless it is asked to', async () => {
  const { status, stdout } = await push('some/policy');
  expect(status).toBe(0);
  expect(stdout).toMatch(/README\.md.*network\.safetensors/s);
  expect(stdout).toContain(`nothing was sent to ${hub.address}/some/policy; add --send`);
  expect(hub.repositories.size).toBe(0);
});

it('creates a private repository whose files are fetched and evaluated as the run is', async () => {
  const { status, stdout } = await push('some/policy', '--send');
  expect([status, stdout]).toEqual([0, expect.stringContaining(`${hub.address}/some/policy/commit/`)]);
  const { visibility, files } = hub.repositories.get('some/policy')!;
  expect(visibility).toBe('private');
  const card = files.get('README.md')!.toString();
  const { success } = JSON.parse(readFileSync(join(run, 'eval.json'), 'utf8')) as { success: number };
  expect(card).toMatch(/^---\nlibrary_name: emac\n/);
  expect(card).toContain(`{"type":"success","name":"success","value":${success}}`);
  expect(card).toMatch(/a small network, whole\.\n\n- model: `mlp`\n- layers: `mlp: /);
  expect(card).not.toContain(folder);
  // again: the repository is there
  expect((await push('some/policy', '--send', '--public')).status).toBe(0);
  expect(hub.repositories.get('some/policy')!.visibility).toBe('private');

  const back = join(folder, 'back');
  const fetched = await emac(['model', 'fetch', 'some/policy', '--out', back], { env: env() });
  expect([fetched.status, fetched.stderr]).toEqual([0, expect.anything()]);
  const results = await Promise.all(
    [run, back].map((policy) =>
      emac(['eval', '--ckpt', policy, '--env', 'gym_cards/NumberLine-v0', '--num-games', '5', '--json']),
    ),
  );
  const [own, other] = results.map(({ stdout: json, stderr }) => {
    expect(json, stderr).not.toBe('');
    const { success: share, mean_return } = JSON.parse(json.trim().split('\n').at(-1)!) as Record<
      string,
      number
    >;
    return { share, mean_return };
  });
  expect(own!.mean_return).toBeTypeOf('number');
  expect(other).toEqual(own);
});

it.skipIf(!hasLibrary)('is read by huggingface_hub (needs it in EMAC_PYTHON)', async () => {
  await push('some/other', '--send');
  const script = `from huggingface_hub import HfApi, hf_hub_download
api = HfApi(token="hf_key")
print(sorted(each.rfilename for each in api.model_info("some/other").siblings))
print(open(hf_hub_download("some/other", "README.md", token="hf_key", cache_dir=${JSON.stringify(join(folder, 'cache'))})).readline())`;
  const { HF_ENDPOINT } = env();
  const { spawn } = await import('node:child_process');
  const child = spawn(python, ['-c', script], {
    env: { ...process.env, HF_ENDPOINT, NO_PROXY: '127.0.0.1' },
  });
  const parts: string[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part.toString()));
  child.stderr.on('data', (part: Buffer) => parts.push(part.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  expect(parts.join('')).toMatch(/\['MANIFEST\.json', 'README\.md', .*'network\.safetensors'.*\]\n---\n/);
});

it.each([
  ['a refused key', { HF_TOKEN: 'hf_wrong' }, 77, 'refuses the key in HF_TOKEN (status 401)'],
  ['no key', { HF_TOKEN: '' }, 77, 'HF_TOKEN: is not set'],
])('says in a sentence: %s', async (_what, changed, status, sentence) => {
  const result = await emac(['push', run, 'some/third', '--send'], { env: { ...env(), ...changed } });
  expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(sentence)]);
  expect(result.stderr + result.stdout).not.toContain('hf_key');
});

it('says in a sentence that no server answers', async () => {
  const HF_ENDPOINT = await deserted();
  const { status, stderr } = await emac(['push', run, 'some/third', '--send'], {
    env: { ...env(), HF_ENDPOINT },
  });
  expect([status, stderr]).toEqual([
    69,
    expect.stringContaining(`${HF_ENDPOINT}/some/third: nothing was pushed: `),
  ]);
  expect(stderr).toContain('ECONNREFUSED');
});

it.each([
  [['some'], 'takes POLICY ORGANIZATION/NAME'],
  [['policy', 'name'], 'must be ORGANIZATION/NAME'],
])('rejects %j', async (names, sentence) => {
  const { status, stderr } = await emac(['push', ...(names[0] === 'policy' ? [run, 'name'] : names)], {
    env: env(),
  });
  expect([status, stderr]).toEqual([64, expect.stringContaining(sentence)]);
});
