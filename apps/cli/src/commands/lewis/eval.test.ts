/** `emac lewis eval`: the players, from flags and from the environment. */
import { listen, listenerService, openPictures } from '@emac/bridge';
import type { LewisEvaluation } from '@emac/experiment';
import { agreement, thingOf, type Listener } from '@emac/lewis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();

/** A service of a listener that understands every text; counts its requests. */
async function understanding() {
  let asked = 0;
  const listener: Listener = {
    identity: async () => 'agreement',
    ask: async (questions) => {
      asked += questions.length;
      const answers = questions.map(({ picture, question }) => agreement(question, thingOf(picture)));
      return { answers, identity: 'agreement' };
    },
  };
  const app = listenerService({
    listener,
    pictures: openPictures({ folder: null }),
    model: 'agreement',
    concurrency: 1,
    acquireTimeoutMs: 60_000,
    batchSize: 5,
    now: () => 0,
  });
  const server = await listen({ port: 0, fetch: (request) => app.fetch(request) });
  onTestFinished(() => server.close());
  return { address: server.address, asked: () => asked };
}

const small = ['lewis', 'eval', '--speaker', 'true', '--num-games', '2'];

describe('emac lewis eval', () => {
  it('plays with the service in LISTENER_URL, unless a flag names a listener', async () => {
    const { address, asked } = await understanding();
    const env = { LISTENER_URL: `${address}/batch_score`, LISTENER_CHUNK_DELAY: '0' };
    const { status, stdout } = await emac(small, { env });
    expect(status).toBe(0);
    expect(stdout).toContain(`${address}/batch_score`);
    // a speaker that names the picture is understood
    expect(stdout).toMatch(/accuracy\s+│\s+100 % \(2 of 2\)/);
    expect(asked()).toBeGreaterThan(0);

    const before = asked();
    const named = await emac([...small, '--listener', 'model', '--json'], { env });
    expect([named.status, asked()]).toEqual([0, before]);
    const { identification } = JSON.parse(named.stdout) as LewisEvaluation;
    expect(identification.config).toMatchObject({ speaker: 'true', listener: 'model' });
  });

  it('plays with the untrained models by default', async () => {
    const { status, stdout } = await emac(['lewis', 'eval', '--num-games', '1', '--json'], {
      env: { LISTENER_URL: '', SPEAKER_URL: '' },
    });
    expect(status).toBe(0);
    const { identification } = JSON.parse(stdout) as LewisEvaluation;
    expect(identification.config).toMatchObject({ speaker: 'model', listener: 'model' });
  });

  it.each([
    [['lewis', 'eval', '--speaker', 'true'], 'LISTENER_URL'],
    [['lewis', 'eval', '--listener', 'model'], 'SPEAKER_URL'],
    [['grpo', '--role', 'speaker', '--out', `${folder}/runs`], 'LISTENER_URL'],
    [['grpo', '--role', 'both', '--out', `${folder}/runs`], 'SPEAKER_URL'],
  ])('%j names the variable with an invalid address: %s', async (argv, variable) => {
    const { status, stderr } = await emac(argv, { env: { [variable]: 'localhost:9' } });
    expect([status, stderr]).toEqual([64, expect.stringContaining(`${variable}: must be the address of a`)]);
    expect(stderr).toContain('such as http://127.0.0.1:9000, got "localhost:9"');
  });

  it('ignores the variable of a player that a flag names or that is not needed', async () => {
    const env = { LISTENER_URL: 'localhost:9', SPEAKER_URL: 'localhost:9' };
    const played = await emac([...small, '--listener', 'model'], { env });
    const tiny = '--updates 1 --prompts-per-update 1 --num-generations 2 --max-new-tokens 2';
    const words = [...tiny.split(' '), '--eval-games', '0', '--out', `${folder}/runs`];
    const trained = await emac(['grpo', '--role', 'speaker', '--listener', 'model', ...words], { env });
    expect([played.status, trained.status]).toEqual([0, 0]);
  });

  it.each([
    [64, ['--max-pixels', '401408'], '--max-pixels 401408'],
    [64, ['--speaker', 'true', '--listener', 'lewis-tiny', '--max-pixels', '9'], 'is an InstructBLIP'],
    [64, ['seed=3'], 'seed=3: is no flag'],
    [64, ['--send', 'links'], '--send: must be data or paths, got "links"'],
    [66, ['--speaker', '/nowhere'], '/nowhere: does not exist'],
  ])('ends with %i for %j', async (status, words, message) => {
    const result = await emac(['lewis', 'eval', ...words, '--num-games', '1', '--out', `${folder}/none`]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(message)]);
  });
});
