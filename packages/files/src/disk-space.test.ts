import { tmpdir } from 'node:os';
import { EmacError } from '@emac/core';
import { expect, it } from 'vitest';
import { freeSpace, requireSpace } from './disk-space.ts';

it('disk space is checked before anything is written, and a shortage is reported in one sentence', () => {
  requireSpace(tmpdir(), 1);
  expect(freeSpace(tmpdir())).toBeGreaterThan(1);
  // 1 MB = 2 ** 20 bytes
  const lacking = () => requireSpace('/out', 2.5 * 2 ** 20, 2 ** 20);
  expect(lacking).toThrow(EmacError);
  expect(lacking).toThrow(
    '/out: needs 2.5 MB of free space, there are 1.0 MB; free some space or choose another folder',
  );
  expect(() => requireSpace(tmpdir(), 2 ** 60)).toThrow(expect.objectContaining({ code: 'io' }));
});
