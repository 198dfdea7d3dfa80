/** A library that does not load. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pictureLibrary } from './picture-library.ts';

afterEach(() => vi.doUnmock('sharp'));

describe('the library of pictures', () => {
  it('is told to be installed again if it does not load', async () => {
    vi.doMock('sharp', () => {
      throw new Error('is damaged');
    });
    await expect(pictureLibrary()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^pictures: sharp cannot be loaded: .*install again with npm ci$/s,
      ) as string,
    });
  });
});
