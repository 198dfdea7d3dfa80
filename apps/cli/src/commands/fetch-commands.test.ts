/** Games and models from a local server in place of GitHub and the Hugging Face hub; no test calls either. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../emac-process.test.fixture.ts';
import { fileServer, type FileServer } from '../file-server.test.fixture.ts';

const folder = temporaryFolder();
const at = (...names: string[]) => join(folder, ...names);
const sha = (name: 'sha1' | 'sha256', bytes: Buffer) => createHash(name).update(bytes).digest('hex');
let server: FileServer;
let archive: Buffer;

/** A tar.gz file of a few games in the folders of ALFWorld's archives. */
beforeAll(async () => {
  server = await fileServer();
  for (const [seed, split] of ['train', 'valid_unseen'].entries())
    await emac([
      'games',
      'generate',
      '--out',
      at('made', 'json_2.1.1', split),
      '--seed',
      `${seed}`,
      '--count',
      '2',
    ]);
  execFileSync('tar', ['-czf', at('games.tar.gz'), '-C', at('made'), 'json_2.1.1']);
  archive = readFileSync(at('games.tar.gz'));
  server.files.set('/games.tar.gz', archive);
});

describe('emac games fetch', () => {
  it('lists the published archives without a name', async () => {
    const { status, stdout } = await emac(['games', 'fetch']);
    expect(status).toBe(0);
    expect(stdout).toContain('json_2.1.1_tw-pddl');
    expect(stdout).toContain('next: npx emac games fetch json_2.1.3_tw-pddl');
  });

  it('downloads an archive, reports its contents and the next command, which works', async () => {
    const out = at('fetched');
    const url = `${server.address}/games.tar.gz`;
    const { status, stdout } = await emac(['games', 'fetch', url, '--out', out]);
    expect(status).toBe(0);
    expect(stdout).toContain('4 games that can be played');
    expect(stdout).toContain(`sha256 ${sha('sha256', archive)}`);
    const [train, unseen] = [join(out, 'json_2.1.1', 'train'), join(out, 'json_2.1.1', 'valid_unseen')];
    expect(stdout).toContain(`next: npx emac train --phase bc --games ${train} --eval-on ${unseen}`);
    expect(existsSync(`${out}.fetching`)).toBe(false);
    const listed = await emac(['games', 'list', '--games', train, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ count: 2 });
    const again = await emac(['games', 'fetch', url, '--out', out]);
    expect([again.status, again.stderr]).toEqual([73, expect.stringContaining('already exists')]);
  });

  it.each([
    ['an unknown name', ['json_2.1.3_twpddl'], 64, 'did you mean json_2.1.3_tw-pddl?'],
    ['a page that does not exist', ['/nothing.zip'], 66, 'does not exist (status 404)'],
    ['another sha256', ['/games.tar.gz', '--sha256', 'a'.repeat(64)], 65, 'its sha256 is'],
    ['no sha256', ['/games.tar.gz', '--sha256', 'abc'], 64, '--sha256: must be 64 hexadecimal digits'],
    ['no host', ['http://'], 64, 'http://: must be an address such as'],
    [
      'another sha256 than that of a published archive',
      ['json_2.1.3_tw-pddl', '--sha256', 'a'.repeat(64)],
      64,
      '--sha256: must be 5df77ea759f2211a4106082839ddbbb790f1ba4e7d097ed732cf453f72aa36cf for json_2.1.3_tw-pddl',
    ],
    ['a sha256 of nothing', ['', '--sha256', 'a'.repeat(64)], 64, '--sha256: belongs to an archive'],
  ])('says in a sentence: %s', async (_what, [name, ...more], status, sentence) => {
    const url = name!.startsWith('/') ? `${server.address}${name}` : name!;
    const result = await emac(['games', 'fetch', url, '--out', at('none'), ...more]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(sentence)]);
    expect(existsSync(at('none'))).toBe(false);
  });

  it('prints the address without possible keys', async () => {
    const url = `${server.address.replace('//', '//me:pass@')}/games.tar.gz?sig=secret`;
    for (const group of ['games', 'model']) {
      const argv = [group, 'fetch', url, '--out', at(`${group}-shown`), '--json'];
      const { status, stdout, stderr } = await emac(argv);
      expect([status, stderr.includes('secret')]).toEqual([0, false]);
      expect(stdout).not.toContain('pass');
      expect(JSON.parse(stdout)).toMatchObject({ url: `${server.address}/games.tar.gz` });
    }
  });

  it.skipIf(!isBuilt).each([
    ['SIGINT', 75],
    ['SIGKILL', null],
  ] as const)('resumes with the same command after %s', async (signal, status) => {
    const out = at(`after-${signal}`);
    const argv = ['games', 'fetch', `${server.address}/games.tar.gz`, '--out', out];
    server.holdAfter = Math.ceil(archive.length / 2);
    let isSignalled = false;
    const stopped = await emacProcess(argv, {
      watch: (child, written) => {
        if (isSignalled || !/, 50 %/.test(written)) return;
        isSignalled = child.kill(signal);
      },
    });
    expect([stopped.status, stopped.signal]).toEqual([status, status === null ? signal : null]);
    if (status !== null) expect(stopped.stderr).toContain('run the same command again to resume');
    expect(existsSync(out)).toBe(false);
    server.holdAfter = null;
    server.requests.length = 0;
    const ended = await emacProcess(argv);
    expect(ended.stderr.replace(/.*%\n/g, '')).toBe('');
    expect(ended.stdout).toContain('4 games that can be played');
    expect(server.requests.map(({ headers }) => headers.range)).toEqual([
      `bytes=${Math.ceil(archive.length / 2)}-`,
    ]);
    expect(readdirSync(folder).filter((name) => name.includes('fetching'))).toEqual([]);
  });
});

describe('emac model fetch', () => {
  const commit = 'c'.repeat(40);
  const files: Readonly<Record<string, Buffer>> = {
    'config.json': Buffer.from('{"model_type":"instructblip"}'),
    'model-00001-of-00002.safetensors': Buffer.from('first weights'),
    'model-00002-of-00002.safetensors': Buffer.from('second weights'),
    'model.safetensors.index.json': Buffer.from('{}'),
    'pytorch_model.bin': Buffer.from('the same weights once more'),
    'pytorch_model.bin.index.json': Buffer.from('{}'),
    'qformer_tokenizer/tokenizer.json': Buffer.from('{}'),
    'picture.png': Buffer.from('a picture'),
  };
  const siblings = Object.entries(files).map(([rfilename, bytes]) => {
    const isLarge = /\.(safetensors|bin)$/.test(rfilename);
    const blobId = sha('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
    const lfs = { sha256: sha('sha256', bytes), size: bytes.length, pointerSize: 130 };
    return { rfilename, size: bytes.length, blobId, ...(isLarge && { lfs }) };
  });
  const env = () => ({ HF_ENDPOINT: server.address, HF_TOKEN: 'hf_secret' });
  const fetch = (out: string, ...more: string[]) =>
    emac(['model', 'fetch', 'some/model', '--out', at(out), ...more], { env: env() });

  beforeAll(() => {
    server.files.set('/api/models/some/model/revision/main', { sha: commit, siblings });
    for (const [name, bytes] of Object.entries(files))
      server.files.set(`/some/model/resolve/${commit}/${name}`, bytes);
  });

  it('downloads a model’s files at one commit, weights once, each file verified', async () => {
    server.requests.length = 0;
    const { status, stdout, stderr } = await fetch('model');
    expect([status, stderr.includes('hf_secret')]).toEqual([0, false]);
    expect(stdout).toContain(`some/model at commit ${commit}`);
    expect(stdout).toContain(`next: npx emac train --phase bc --model ${at('model')}`);
    expect(readdirSync(at('model')).sort()).toEqual([
      'config.json',
      'fetched.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
      'qformer_tokenizer',
    ]);
    expect(readFileSync(at('model', 'model-00002-of-00002.safetensors'), 'utf8')).toBe('second weights');
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer hf_secret')).toBe(true);
    expect(JSON.parse(readFileSync(at('model', 'fetched.json'), 'utf8'))).toMatchObject({ commit });
  });

  it('rejects a changed file by its hash, and does not download verified files again', async () => {
    for (const name of ['config.json', 'model-00002-of-00002.safetensors']) {
      const path = `/some/model/resolve/${commit}/${name}`;
      server.files.set(path, Buffer.from(files[name]!.map((byte) => byte ^ 1)));
      const refused = await fetch('changed');
      expect([refused.status, refused.stderr]).toEqual([
        65,
        expect.stringMatching(/its (sha256|git hash) is/),
      ]);
      expect(existsSync(at('changed'))).toBe(false);
      server.files.set(path, files[name]!);
    }
    server.requests.length = 0;
    expect((await fetch('changed')).status).toBe(0);
    // the listing, and of five files only the missing ones
    expect(server.requests.map(({ url }) => url!.split('/').at(-1)!.split('?')[0])).toEqual([
      'main',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
      'tokenizer.json',
    ]);
  });

  it.each([
    [['http://'], {}, 'http://: must be an address such as'],
    [['https://127.0.0.1:9/m.zip', '--revision', 'main'], {}, '--revision: belongs to a model on the hub'],
    [['some/model'], { HF_ENDPOINT: 'https://me:pass@host' }, 'HF_ENDPOINT: must be an address'],
  ])('rejects %j %o before any request', async (typed, more, sentence) => {
    const argv = ['model', 'fetch', ...typed, '--out', at('none')];
    const { status, stderr } = await emac(argv, { env: { ...env(), ...more } });
    expect([status, stderr]).toEqual([64, expect.stringContaining(sentence)]);
    expect(stderr).not.toContain('pass@');
    expect(existsSync(at('none'))).toBe(false);
  });

  it.each([
    ['other/model', {}, 66, 'does not exist (status 404)'],
    ['some/model', { HF_ENDPOINT: 'http://127.0.0.1:9' }, 69, 'try again later'],
    ['some model', {}, 64, 'is neither ORGANIZATION/NAME'],
    ['evil/model', {}, 65, 'leads out of its folder'],
    ['empty/model', {}, 65, 'holds no config.json or adapter_config.json'],
  ] as const)('says in a sentence what is wrong with %s %o', async (name, more, status, sentence) => {
    const evil = { sha: commit, siblings: [{ rfilename: '../../evil', size: 1 }] };
    server.files.set('/api/models/evil/model/revision/main', evil);
    server.files.set('/api/models/empty/model/revision/main', { sha: commit, siblings: [] });
    const argv = ['model', 'fetch', name, '--out', at('none')];
    const result = await emac(argv, { env: { ...env(), ...more } });
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(sentence)]);
    expect(existsSync(at('none'))).toBe(false);
    rmSync(at('none.fetching'), { recursive: true, force: true });
  });

  it('takes the address of a hub page or an archive', async () => {
    const page = await emac(['model', 'fetch', `${server.address}/some/model`, '--out', at('paged')], {
      env: env(),
    });
    expect([page.status, readdirSync(at('paged')).length]).toEqual([0, 6]);
    const packed = await emac(['model', 'fetch', `${server.address}/games.tar.gz`, '--out', at('packed')]);
    expect([packed.status, readdirSync(at('packed'))]).toEqual([0, ['json_2.1.1']]);
  });
});
