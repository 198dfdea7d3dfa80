/** Limits on clients. */
import { describe, expect, it } from 'vitest';
import { openDesk } from './desk.ts';
import { manualTimer } from './manual-timer.test.support.ts';

const helloOf = (games: number) => ({
  version: 2 as const,
  name: 'n',
  games: Array.from({ length: games }, (_, place) => ({ id: `g${place}`, type: null })),
  pictures: false,
});
const desk = () => openDesk({ pollMs: 1000, stepMs: 1000, timer: manualTimer() });

describe('clients', () => {
  it('are at most 1024', () => {
    const { hello, clients } = desk();
    for (let client = 0; client < 1024; client++) hello(helloOf(1));
    expect(() => hello(helloOf(1))).toThrow('takes 1024 clients');
    expect(clients()).toHaveLength(1024);
  });

  it('list 500,000 games together at most', () => {
    const { hello } = desk();
    for (let client = 0; client < 25; client++) hello(helloOf(20_000));
    expect(() => hello(helloOf(1))).toThrow('500000 games in their lists');
  });
});
