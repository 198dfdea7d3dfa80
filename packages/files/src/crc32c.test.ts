import { expect, it } from 'vitest';
import { crc32c, maskedCrc32c } from './crc32c.ts';

it.each([
  ['the published check value', Buffer.from('123456789'), 0xe3069283],
  ['an empty text', Buffer.alloc(0), 0],
  // RFC 3720, B.4
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['0 … 31', Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)), 0x46dd794e],
  ['31 … 0', Buffer.from(Array.from({ length: 32 }, (_, byte) => 31 - byte)), 0x113fdb5c],
])('is that of %s', (_, bytes, checksum) => {
  expect(crc32c(bytes).toString(16)).toBe(checksum.toString(16));
});

it('gives the same result four bytes at a time as bit by bit, at every length', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, place) => (place * 197 + 13) & 0xff);
  for (let length = 0; length <= bytes.length; length++) {
    let crc = 0xffffffff;
    for (const byte of bytes.subarray(0, length)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    expect(crc32c(bytes.subarray(0, length)), `${length} bytes`).toBe(~crc >>> 0);
  }
});

it('is masked by a rotation of 15 bits to the right and a constant', () => {
  expect(maskedCrc32c(new Uint8Array(0))).toBe(0xa282ead8);
  const turned = ((0xe3069283 >>> 15) | (0xe3069283 << 17)) >>> 0;
  expect(maskedCrc32c(Buffer.from('123456789'))).toBe((turned + 0xa282ead8) % 2 ** 32);
});
