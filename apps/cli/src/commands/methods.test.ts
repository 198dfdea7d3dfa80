import { describe, expect, it } from 'vitest';
import { emac } from '../captured-io.test.fixture.ts';
import { methods, withoutMethod } from './methods.ts';

describe('emac train --method', () => {
  it('is replaced by the method’s words, in any position', () => {
    const ppo = ['train', '--method', 'ppo', '--env', 'NumberLine'];
    expect(withoutMethod(ppo)).toEqual(ppo);
    expect(withoutMethod(['train', '--seed', '1', '--method=bc', '--json'])).toEqual([
      ...['train', '--seed', '1', '--phase', 'bc', '--json'],
    ]);
    expect(withoutMethod(['train', '--method', 'gigpo'])).toEqual([
      ...['train', '--method', 'grpo', '--advantages', 'steps'],
    ]);
    expect(withoutMethod(['train', '--phase', 'bc'])).toEqual(['train', '--phase', 'bc']);
  });

  it('rejects an unknown method and lists the known ones', async () => {
    const { status, stderr } = await emac(['train', '--method', 'gppo']);
    expect(status).toBe(64);
    const known = methods.map(({ name }) => name).join(' or ');
    expect(stderr).toBe(`emac: --method: must be ${known}, got "gppo"\n`);
  });

  it('is asked for, with every method, where none is given', async () => {
    const { status, stderr } = await emac(['train', '--env', 'alfworld']);
    expect(status).toBe(64);
    for (const { name } of methods) expect(stderr).toContain(name);
    expect(stderr).toMatch(/^emac: --method: is required/);
  });

  it('takes the method’s flags', async () => {
    const { stderr } = await emac(['train', '--method', 'ppo', '--rounds', '2']);
    expect(stderr).toContain('--rounds: is not a flag of emac train --method ppo');
  });
});

describe('emac methods', () => {
  it('lists every method with its required flags', async () => {
    const { stdout, status } = await emac(['methods']);
    expect(status).toBe(0);
    for (const { name, needs } of methods)
      expect(stdout).toMatch(new RegExp(`^${name} +.+\n +needs ${needs.replace(/[()]/g, '.')}`, 'm'));
    const lines = (await emac(['methods', '--json'])).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(
      methods.map(({ name }) => name),
    );
  });
});
