/** `--max-memory`: refused in one sentence before work, else an end with a checkpoint that resumes to the same bytes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess } from '../emac-process.test.fixture.ts';
import { memorySize } from '../options/memory-option.ts';

const folder = temporaryFolder();

/** Keeps what its episodes allocate. Its observations have `size` numbers. */
function leaking(name: string, { megabytes, size }: { megabytes: number; size: number }): string {
  const path = join(folder, name);
  const code = `
const held = [];
export default {
  tasks: { training: ['a', 'b'], heldOut: ['c'] },
  maxSteps: 4,
  begin() {
    held.push(Buffer.alloc(${megabytes}e6, 1));
    let step = 0;
    const seen = () => ({
      observation: { text: '', arrays: { x: { shape: [${size}], data: new Float32Array(${size}).fill(step) } } },
      actions: ['0', '1'],
    });
    return { ...seen(), step: (action) => (step++, { ...seen(), reward: Number(action), done: step === 4 }) };
  },
};
`;
  writeFileSync(path, code);
  return path;
}

const ppo = (env: string) =>
  `train --method ppo --env ${env} --policy mlp --num-processes 2 --num-steps 8 --steps 320 --eval-episodes 0 --checkpoint-every 5`.split(
    ' ',
  );

const runIn = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

function contentOf(run: string): Record<string, string> {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' });
  const kept = names.filter((name) => /^(metrics\.jsonl|checkpoints\/\d+\/.+)$/.test(name));
  return Object.fromEntries(
    kept.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]),
  );
}

describe('--max-memory', () => {
  it('reads sizes with a unit', () => {
    const read = ['800MB', '2.5GB', '1GiB', '3 MiB', '12', '0MB', '-1GB', '1TB', 'GB'].map((text) =>
      memorySize.parse(text),
    );
    expect(read).toEqual([800e6, 2.5e9, 2 ** 30, 3 * 2 ** 20, ...Array(5).fill(undefined)]);
  });

  it('below what the command holds is refused before any work, wherever the flag is', async () => {
    const out = join(folder, 'none');
    const commands = [
      ['train', '--phase', 'bc', '--out', out],
      ['eval', '--policy', 'random', '--out', out],
      ['collect', '--out', out],
      ['serve', '--ckpt', 'emma-tiny', '--port', '0'],
    ];
    for (const each of commands) {
      const { status, stderr } = await emac([...each, '--max-memory', '1MB']);
      expect([status, stderr]).toEqual([
        64,
        expect.stringMatching(/^emac: --max-memory 1 MB: the command alone holds [\d.]+ [MG]B; give more\n$/),
      ]);
    }
    expect(existsSync(out)).toBe(false);
  });

  it('ends a run whose environment grows with a checkpoint, and the run resumes to the same bytes', async () => {
    const env = leaking('grows.mjs', { megabytes: 8, size: 2 });
    const [whole, cut] = [join(folder, 'whole'), join(folder, 'cut')];
    const undisturbed = await emacProcess([...ppo(env), '--out', whole]);
    expect([undisturbed.status, undisturbed.stderr]).toEqual([0, expect.anything()]);
    // the process holds 100 to 200 MB, the 80 episodes 640
    const ended = await emacProcess([...ppo(env), '--out', cut, '--max-memory', '450MB']);
    const [, command] = /^to resume: npx emac (.*)$/m.exec(ended.stderr) ?? [];
    expect([ended.status, ended.stderr]).toEqual([
      74,
      expect.stringMatching(
        /^emac: --max-memory 450 MB: \d+ MB are held \(objects \d+ MB, their buffers \d+ MB, .*\); lower --batch-size, --num-processes, --context-memory, or give more$/m,
      ),
    ]);
    const run = runIn(cut);
    expect(readFileSync(join(run, 'run.json'), 'utf8')).toMatch(/"reason": "--max-memory 450 MB/);
    const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n').length;
    expect(lines).toBeLessThan(20);
    // its last update is in a checkpoint: none is made again
    const resumed = await emacProcess(command!.split(' '));
    expect([resumed.status, resumed.stderr]).toEqual([0, expect.anything()]);
    expect(contentOf(run)).toEqual(contentOf(runIn(whole)));
  });

  it('refuses the steps of an update that cannot fit, before they are made', async () => {
    const env = leaking('large.mjs', { megabytes: 0, size: 20_000 });
    const out = join(folder, 'large');
    // 2 × 5000 steps of 80 kB
    const asked = [...ppo(env).map((word) => (word === '8' ? '5000' : word)), '--out', out];
    const { status, stderr } = await emacProcess([...asked, '--max-memory', '800MB']);
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(
        /^emac: --max-memory 800 MB: the observations of an update's 10000 steps would take 800 MB beside the \d+ MB held now; lower --num-steps or --num-processes, or give more$/m,
      ),
    ]);
  });
});
