/** Limits on clients, and reports of other steps than ordered. */
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

describe('a report', () => {
  const step = (number: number) => ({ do: 'step' as const, episode: 'e', step: number, command: 'look' });
  const stepped = (client: string, number: number) => ({
    kind: 'stepped' as const,
    client,
    episode: 'e',
    step: number,
    observation: { text: 'x', admissible: null, frames: [] },
    reward: 0,
    won: false,
    done: false,
    truncated: false,
  });

  it('of another step than ordered answers no order', async () => {
    const { hello, clients, next } = desk();
    const { client } = hello(helloOf(1));
    const [place] = clients();
    const first = place!.ask(step(1));
    void next(stepped(client, 1));
    await first;
    const second = place!.ask(step(2));
    // the same report again, and one of a step that was not ordered
    expect(await Promise.race([second, next(stepped(client, 1))])).toEqual(step(2));
    await expect(next(stepped(client, 3))).rejects.toThrow(
      'of step 3 of episode e, but the order was step 2',
    );
    void next(stepped(client, 2));
    expect(await second).toEqual(stepped(client, 2));
  });
});
