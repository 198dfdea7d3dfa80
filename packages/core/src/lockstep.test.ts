import { describe, expect, it } from 'vitest';
import { lockstep } from './lockstep.ts';

describe('members in lockstep', () => {
  it('take a step when all present members have asked, and get their own answers in any order of asking', async () => {
    const steps: (readonly number[])[] = [];
    const members = lockstep<number, string>(3, (requests) => {
      steps.push(requests);
      return Promise.resolve(requests.map((request) => `answer ${request}`));
    });
    const [first, second, third] = members;
    const third1 = third!.ask(30);
    const first1 = first!.ask(10);
    expect(steps).toEqual([]);
    expect(await Promise.all([second!.ask(20), first1, third1])).toEqual([
      'answer 20',
      'answer 10',
      'answer 30',
    ]);
    const [first2, third2] = [first!.ask(11), third!.ask(31)];
    expect(steps).toHaveLength(1);
    second!.leave();
    expect(await Promise.all([first2, third2])).toEqual(['answer 11', 'answer 31']);
    first!.leave();
    expect(await third!.ask(32)).toBe('answer 32');
    expect(steps).toEqual([[10, 20, 30], [11, 31], [32]]);
  });

  it.each(['is rejected', 'is thrown'])(
    'all receive an error that %s, and none waits forever',
    async (how) => {
      const members = lockstep<number, string>(2, () => {
        if (how === 'is thrown') throw new Error('no answer');
        return Promise.reject(new Error('no answer'));
      });
      const asked = await Promise.allSettled(members.map(({ ask }) => ask(1)));
      expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    },
  );

  it('do not wait for a member that left while asking, and its leaving starts no step early', async () => {
    const steps: (readonly number[])[] = [];
    const [first, second, third] = lockstep<number, number>(3, (requests) => {
      steps.push(requests);
      return Promise.resolve(requests);
    });
    void first!.ask(1);
    first!.leave();
    const second1 = second!.ask(2);
    // the third has not asked: no step yet
    expect(steps).toEqual([]);
    expect(await Promise.all([second1, third!.ask(3)])).toEqual([2, 3]);
  });
});
