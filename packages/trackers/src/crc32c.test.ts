import { expect, it } from 'vitest';
import { crc32c, masked } from './crc32c.ts';

it('is that of the published check value, and of an empty text', () => {
  expect(crc32c(Buffer.from('123456789')).toString(16)).toBe('e3069283');
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

it('is masked by a rotation of 15 bits to the right and a constant', () => {
  expect(masked(0)).toBe(0xa282ead8);
  expect(masked(0x8000)).toBe((1 + 0xa282ead8) >>> 0);
});
