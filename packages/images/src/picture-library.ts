/** The library that reads and writes pictures, loaded when the first picture needs it. */
import { notLoaded } from '@emac/core';
import type sharp from 'sharp';

/** Errors: `unavailable` if it does not load, `io` without files or memory to load it. */
export async function pictureLibrary(): Promise<typeof sharp> {
  try {
    return (await import('sharp')).default;
  } catch (cause) {
    throw notLoaded('pictures: sharp', cause);
  }
}
