import { describe, expect, it } from 'vitest';

import { lockstep } from './lockstep.ts';

describe('lockstep', () => {
  const doubling = (count: number) => {
    const seen: (readonly (number | null)[])[] = [];
    let ended = false;
    const members = lockstep<number, number>(count, {
      step: async (requests) => {
        seen.push(requests);
        if (requests.includes(13)) throw new Error('thirteen');
        return requests.map((request) => 2 * (request ?? 0));
      },
      empty: () => (ended = true),
    });
    return { members, seen, hasEnded: () => ended };
  };

  it('takes a step when all have asked, and answers each', async () => {
    const { members, seen } = doubling(2);
    const first = members[0]!.ask(1);
    await Promise.resolve();
    expect(seen).toEqual([]);
    const second = members[1]!.ask(2);
    expect(await Promise.all([first, second])).toEqual([2, 4]);
    expect(seen).toEqual([[1, 2]]);
  });

  it('goes on without those who left', async () => {
    const { members, seen, hasEnded } = doubling(3);
    const asked = [members[0]!.ask(5), members[2]!.ask(6)];
    members[1]!.leave();
    expect(await Promise.all(asked)).toEqual([10, 12]);
    expect(seen).toEqual([[5, null, 6]]);
    for (const member of members) member.leave();
    expect(hasEnded()).toBe(true);
  });

  it('tells all who asked of an error, and goes on', async () => {
    const { members } = doubling(2);
    const asked = [members[0]!.ask(13), members[1]!.ask(1)];
    for (const each of asked) await expect(each).rejects.toThrow('thirteen');
    members[0]!.leave();
    expect(await members[1]!.ask(4)).toBe(8);
  });
});
