/** `emac serve --page` on a free port, in this process. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GameAnswer, GameOrder, GameView } from '@emac/pages/data';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();

/** Serves while `use` orders, and returns the command's end. */
async function served(
  argv: readonly string[],
  use: (order: (asked: GameOrder) => Promise<GameView>) => Promise<void>,
) {
  const interruption = new AbortController();
  let ended: ReturnType<typeof emac> | undefined;
  const printed = await new Promise<string>((resolve, reject) => {
    ended = emac(['serve', '--page', '--port', '0', ...argv], { interruption, onStdout: resolve });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  const [, address, token] = /^page: (http:\/\/127\.0\.0\.1:\d+)\/\?token=(\w+)(?:&from=\S+)?$/m.exec(
    printed,
  )!;
  await use(async (asked) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token!}` };
    const post = { method: 'POST', body: JSON.stringify(asked), headers };
    const answer = (await (await fetch(`${address}/game`, post)).json()) as GameAnswer;
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.view;
  });
  interruption.abort();
  return ended!;
}

describe('emac serve --page', () => {
  it('plays a run of PPO over pictures beside another policy: every action has a probability', async () => {
    const config = { env: 'MiniGrid-Empty-5x5-v0', policy: 'cnn', updates: 1 };
    const words = Object.entries(config).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const out = join(folder, 'runs');
    const trained = await emac([
      'train',
      '--method',
      'ppo',
      ...words,
      '--eval-episodes',
      '1',
      '--out',
      out,
      '--quiet',
    ]);
    expect(trained.status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    const { status } = await served(['--ckpt', run, '--before', 'random'], async (order) => {
      const { environment, policy, before, now } = await order({ kind: 'show' });
      expect({ environment, before }).toEqual({ environment: 'MiniGrid-Empty-5x5-v0', before: 'random' });
      expect(run).toContain(policy);
      expect(now.commands.reduce((sum, each) => sum + each.now!, 0)).toBeCloseTo(1, 6);
      const likeliest = now.commands.toSorted((one, other) => other.now! - one.now!)[0]!;
      expect(now.choice).toBe(likeliest.command);
      const view = await order({ kind: 'let', by: 'policy' });
      expect(view.steps).toMatchObject([{ command: now.choice, by: 'policy' }]);
    });
    expect(status).toBe(0);
  });

  it('keeps what is given, over several calls, as datasets that train reads', async () => {
    const labels = join(folder, 'labels');
    const asked = ['--ckpt', 'emma-tiny', '--labels', labels];
    const taken: string[] = [];
    for (const number of [0, 1])
      await served(asked, async (order) => {
        const { now } = await order({ kind: 'begin', set: 'heldOut', number });
        taken.push(now.expert!);
        await order({ kind: 'prefer', chosen: now.expert!, rejected: 'help' });
        await order({ kind: 'act', command: now.expert! });
      });
    const read = (name: string) =>
      JSON.parse(readFileSync(join(labels, name), 'utf8')) as { text_output: string; image: string }[];
    expect(read('labels.json').map(({ text_output }) => text_output)).toEqual(taken);
    expect(read('pairs.json')).toMatchObject(
      taken.map((text_output) => ({ text_output, text_output_neg: 'help' })),
    );
    expect(read('labels.json').every(({ image }) => existsSync(join(labels, image)))).toBe(true);
    const out = join(folder, 'trained');
    const trained = async (...words: readonly string[]) => {
      const asked = ['train', ...words, '--updates', '1', '--out', out, '--quiet'];
      expect((await emac(asked)).status).toBe(0);
    };
    await trained('--phase', 'bc', '--data', join(labels, 'labels.json'));
    const [first] = readdirSync(out);
    await trained('--phase', 'dpo', '--data', join(labels, 'pairs.json'), '--ref', join(out, first!));
  });

  it('plays a run of the Lewis game with a partner: the speaker describes, the listener chooses with probabilities', async () => {
    const out = join(folder, 'lewis');
    const tiny = '--updates 1 --prompts-per-update 1 --num-generations 2 --max-new-tokens 2 --eval-games 0';
    const words = ['--role', 'speaker', '--listener', 'model', ...tiny.split(' '), '--out', out, '--quiet'];
    expect((await emac(['train', '--method', 'grpo', ...words])).status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    const { status } = await served(['--ckpt', run, '--partner', 'model'], async (order) => {
      const { environment, now: asked } = await order({ kind: 'show' });
      expect(environment).toBe('lewis');
      expect(asked.commands).toEqual([]);
      const { now } = await order({ kind: 'act', command: '<coarse>A photo of a cup</coarse>' });
      expect(now.text).toMatch(/^The speaker said: A photo of a cup\nWhich picture does it describe\?/);
      expect(now.commands.map(({ command }) => command)).toEqual(['A', 'B', 'C']);
      expect(now.commands.reduce((sum, each) => sum + each.now!, 0)).toBeCloseTo(1, 6);
      const { steps, end } = await order({ kind: 'let', by: 'policy' });
      expect(steps).toMatchObject([{ by: 'person' }, { command: now.choice, by: 'policy' }]);
      expect(['won', 'lost']).toContain(end);
    });
    expect(status).toBe(0);
    const refused = await emac(['serve', '--page', '--ckpt', run, '--before', 'random', '--port', '0']);
    expect([refused.status, refused.stderr]).toEqual([64, expect.stringContaining('has no --before')]);
  });

  it('plays the games of a folder', async () => {
    const games = join(folder, 'games');
    expect((await emac(['games', 'generate', '--count', '2', '--out', games])).status).toBe(0);
    const words = ['--ckpt', 'human', '--env', 'alfworld', '--games', games];
    const board = 'http://127.0.0.1:6007/run/one';
    const { stdout } = await served([...words, '--board', board], async (order) => {
      const { set, count, policy, now } = await order({ kind: 'show' });
      expect({ set, count, policy }).toEqual({ set: 'heldOut', count: 2, policy: null });
      expect(now.commands.map(({ command }) => command)).toContain(now.expert);
    });
    expect(stdout).toContain(`&from=${encodeURIComponent(board)}\n`);
    const wrong = await emac(['serve', '--page', ...words, '--board', 'javascript:1', '--port', '0']);
    expect([wrong.status, wrong.stderr]).toEqual([
      64,
      expect.stringContaining('--board: must be an address'),
    ]);
  });

  it('says which flags belong to it', async () => {
    for (const flag of ['--before', '--labels', '--partner', '--games', '--board']) {
      const { status, stderr } = await emac(['serve', '--ckpt', 'emma-tiny', flag, 'x', '--port', '0']);
      expect([status, stderr]).toEqual([64, expect.stringContaining(`${flag}: belongs to --page`)]);
    }
  });
});
