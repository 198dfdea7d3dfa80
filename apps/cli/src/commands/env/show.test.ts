import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();

const hostile = `export default {
  tasks: { training: ['one'], heldOut: ['two'] },
  rewards: [-1, 2],
  maxSteps: 3,
  begin: () => ({
    observation: { text: 'red\\u001b[31m\\nend', frames: [{ width: 2, height: 1, data: new Uint8Array(6) }] },
    actions: ['go'],
    step: () => ({ observation: 'on', reward: 0, done: false }),
  }),
};`;

describe('emac env ls', () => {
  it('prints the facts of a level, and its first text', async () => {
    const { status, stdout } = await emac(['env', 'show', 'MiniGrid-Empty-5x5']);
    expect(status).toBe(0);
    // 5 × 5 tiles of 32 pixels; the agent sees 7 × 7 cells of three numbers
    expect(stdout).toBe(`MiniGrid-Empty-5x5-v0
tasks    one per seed for training, one per seed held out
actions  turn left, turn right, move forward
limit    100 steps
rewards  from 0 to 1
player   scripted
shows    text; a picture of 160 × 160; arrays image (7 × 7 × 3), direction (one number)

Task MiniGrid-Empty-5x5-v0/0 begins:
get to the green goal square
`);
  });

  it('writes the picture once, and says the sizes as JSON', async () => {
    const env = join(folder, 'hostile.mjs');
    writeFileSync(env, hostile);
    const picture = join(folder, 'first.png');
    const argv = ['env', 'show', env, '--picture', picture];
    const { status, stdout } = await emac([...argv, '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: './hostile.mjs',
      steps: 3,
      training_tasks: 1,
      held_out_tasks: 1,
      rewards: [-1, 2],
      player: false,
      shows: ['text', 'picture'],
      opening: { task: 'one', pictures: [[2, 1]], arrays: {} },
    });
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG');
    expect(await emac(argv)).toMatchObject({ status: 73 });
  });

  it('prints control characters of a custom environment as their codes', async () => {
    const env = join(folder, 'escaped.mjs');
    writeFileSync(env, hostile);
    const { stdout } = await emac(['env', 'show', env]);
    expect(stdout).toContain('red\\x1b[31m\nend');
    expect(stdout).not.toContain('\u001b');
  });

  it('shows one game', async () => {
    const { status, stdout } = await emac(['env', 'show', 'builtin:valid_unseen/0', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      training_tasks: 1,
      held_out_tasks: 0,
      shows: ['text', 'picture'],
    });
  });

  it('refuses a picture where there is none, and an unknown name with similar ones', async () => {
    const env = join(folder, 'blind.mjs');
    writeFileSync(env, hostile.replace(/frames: \[.*\] \}/, '}'));
    expect(await emac(['env', 'show', env, '--picture', join(folder, 'none.png')])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('shows no picture; leave it out'),
    });
    expect(await emac(['env', 'show', 'MiniGrid-Emty-5x5'])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('similar ones are MiniGrid-Empty-5x5-v0'),
    });
  });
});
