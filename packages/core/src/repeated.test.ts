import { expect, it } from 'vitest';
import { repeated } from './repeated.ts';

it('finds the first value that comes again', () => {
  expect(repeated(['a', 'b', 'c', 'b', 'a'])).toBe('b');
  expect(repeated(['a', 'b'])).toBeUndefined();
  expect(repeated([])).toBeUndefined();
});

it('reads each value of a long list once', () => {
  let reads = 0;
  const values = Array.from({ length: 1000 }, (_, place) => place);
  const counted = new Proxy(values, {
    get: (list, key) => (/^\d+$/.test(String(key)) && reads++, Reflect.get(list, key)),
  });
  expect(repeated(counted)).toBeUndefined();
  expect(reads).toBe(1000);
});
