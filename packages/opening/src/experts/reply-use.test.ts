import { expect, it } from 'vitest';
import { replyUse } from './reply-use.ts';

it('keeps lines apart by task, in any order', async () => {
  const use = replyUse();
  let release = (): void => {};
  const waiting = new Promise<void>((resolve) => (release = resolve));
  const first = use.during('a', async () => {
    use.used(0);
    await waiting;
    use.used(2);
  });
  await use.during('b', async () => use.used(1));
  release();
  await first;
  // a reflection belongs to no task
  use.used(3);
  expect([...use.pending()]).toEqual([0, 1, 2, 3]);
  use.made('a');
  expect([...use.pending()]).toEqual([1, 3]);
  use.settle();
  expect(use.pending().size).toBe(0);
});
