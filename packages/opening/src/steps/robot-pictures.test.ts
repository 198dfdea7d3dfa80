import { preparedPicture, rotate180 } from '@emac/vla';
import { expect, it } from 'vitest';
import { seenPicture } from './action-tokens.ts';

const frame = { width: 32, height: 32, data: Uint8Array.from({ length: 3072 }, (_, at) => (at * 7) % 256) };

it('is prepared for OpenVLA in LIBERO only, after the client has rotated it', () => {
  // turned twice it is as it was
  const published = preparedPicture(rotate180(frame));
  expect(seenPicture(frame, { env: 'libero_spatial', family: 'openvla' })).toEqual(published);
  expect(published.width).toBe(224);
  expect(seenPicture(frame, { env: 'libero_spatial', family: 'instructblip' })).toBe(frame);
  expect(seenPicture(frame, { env: 'tabletop/spatial', family: 'openvla' })).toBe(frame);
});
