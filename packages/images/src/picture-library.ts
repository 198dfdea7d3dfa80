/** The library that reads and writes pictures, loaded when the first picture needs it. */
import { EmacError, messageOf } from '@emac/core';
import type sharp from 'sharp';

/** Errors: `unavailable` if it does not load. */
export async function pictureLibrary(): Promise<typeof sharp> {
  try {
    return (await import('sharp')).default;
  } catch (cause) {
    throw new EmacError(
      'unavailable',
      `pictures: sharp cannot be loaded: ${messageOf(cause)}; install again with npm ci`,
      { cause },
    );
  }
}
