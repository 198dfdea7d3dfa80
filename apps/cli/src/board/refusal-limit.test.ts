import { expect, it } from 'vitest';
import { refusalLimit } from './refusal-limit.ts';

it('records 30 refusals a minute, and then how many were left out', () => {
  const limit = refusalLimit();
  const first = Array.from({ length: 1000 }, (_, place) => limit(place));
  expect(first.filter((each) => each !== null)).toHaveLength(30);
  expect(limit(59_999)).toBeNull();
  expect(limit(60_000)).toEqual({ leftOut: 971 });
  expect(limit(60_001)).toEqual({});
});
