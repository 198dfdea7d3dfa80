import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { completions } from '../terminal/typed-by-a-person.ts';

const folder = temporaryFolder();
const name = 'builtin:valid_unseen/0';
const { walkthrough } = builtinGame('valid_unseen', 0).file;
const steps = walkthrough.length;

describe('emac play by a person', () => {
  it('prompts, and reports the steps of a won game', async () => {
    const stdin = `${walkthrough.join('\r')}\r`;
    const { status, stdout, stderr } = await emac(['play', name], { stdin, isPerson: true });
    expect(status).toBe(0);
    expect(stdout).toContain('Your task is to: ');
    expect(stdout).toContain(`Well done: you won in ${steps} steps.`);
    expect(stderr).toContain('> ');
  });

  it('lists the commands for ?, without taking a step', async () => {
    const argv = ['play', name, '--max-steps', '1'];
    const { stdout, stderr } = await emac(argv, { stdin: '?\r\rlook\r', isPerson: true });
    expect(stderr).toMatch(/^go to .+ 1$/m);
    expect(stdout).not.toContain('Nothing happens.');
    expect(stdout).toContain('That was the limit of 1 step;');
  });

  it('completes a command at Tab', async () => {
    const argv = ['play', name, '--max-steps', '1'];
    // only inventory begins with inv; a Tab inside pasted text would be an ordinary character
    const { stdout } = await emac(argv, { stdin: ['inv\t', '\r'], isPerson: true });
    expect(stdout).toContain('You are not carrying anything.');
    expect(completions('lo', ['inventory', 'look'])).toEqual([['look'], 'lo']);
  });

  it('breaks lines between words at the margin of the terminal', async () => {
    const narrow = { stdin: 'quit\r', isPerson: true, columns: 40 };
    const { status, stdout } = await emac(['play', name], narrow);
    const plain = (await emac(['play', name], { ...narrow, columns: 1000 })).stdout;
    expect(status).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(40);
    expect(stdout.split(/\s+/)).toEqual(plain.split(/\s+/));
  });

  it('explains itself for help and ends for quit, without taking a step', async () => {
    const argv = ['play', name];
    const { status, stdout, stderr } = await emac(argv, { stdin: 'help\rQuit\rlook\r', isPerson: true });
    expect(status).toBe(0);
    expect(stderr.replace(/\s+/g, ' ')).toContain('Things have names with a number.');
    expect(stdout).toBe((await emac(argv, { stdin: 'quit\r', isPerson: true })).stdout);
  });

  it('shows the frame if the terminal can, and again only after a change', async () => {
    const asked = { stdin: 'inventory\rinventory\rquit\r', isPerson: true };
    const plain = await emac(['play', name], asked);
    expect(plain.stdout).not.toContain('\u001b');
    const shown = await emac(['play', name], { ...asked, env: { COLORTERM: 'truecolor' } });
    // 56 × 56 pixels, two in a character
    expect(shown.stdout.match(/▀/g)).toHaveLength(56 * 28);
    const kitty = await emac(['play', name, '--show', 'kitty'], asked);
    expect(kitty.stdout.startsWith('\u001b_Ga=T,f=100,q=2,m=')).toBe(true);
  });

  it('ends with 130 at Ctrl-C', async () => {
    expect((await emac(['play', name], { stdin: '\u0003', isPerson: true })).status).toBe(130);
  });
});

describe('emac play --frames', () => {
  it('saves a PNG of the reset and of every step, with unchanged output', async () => {
    const frames = join(folder, 'new', 'frames');
    const argv = ['play', name, '--json', '--commands', '-'];
    const stdin = 'look\ninventory\n';
    const plain = await emac(argv, { stdin });
    expect(await emac([...argv, '--frames', frames], { stdin })).toEqual(plain);
    expect(readdirSync(frames).sort()).toEqual(['step-000.png', 'step-001.png', 'step-002.png']);
    const signature = [...readFileSync(join(frames, 'step-000.png')).subarray(0, 8)];
    expect(signature).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect((await emac([...argv, '--frames', frames], { stdin })).status).toBe(73);
  });

  it('makes no folder without the flag', async () => {
    await emac(['play', name, '--json', '--commands', '-'], { stdin: 'look\n' });
    expect(existsSync(join(folder, 'frames'))).toBe(false);
  });
});
