import { expect, it } from 'vitest';
import { listeningAs } from './server-options.ts';

it('--allow takes addresses with or without a blank after the comma', () => {
  const allowed = (allow: string | null) => listeningAs({ port: 0, host: '0.0.0.0', allow }, {}).allow;
  expect(allowed('10.0.0.5, 10.0.1.0/24')).toEqual(['10.0.0.5', '10.0.1.0/24']);
  expect(allowed('10.0.0.5,10.0.1.0/24')).toEqual(['10.0.0.5', '10.0.1.0/24']);
  expect(allowed(null)).toEqual([]);
});
