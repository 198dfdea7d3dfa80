/**
 * What the eye made of frames (for InstructBLIP Q-Former outputs), by frame: the same frame is seen once. What comes out is rounded to float16 here, before anything
 * uses it, so that features read back from a buffer are the very numbers that were acted on.
 */
import type { Features, Frame } from '@emac/core';
import { float16ToFloat32, float32ToFloat16, sha256 } from '@emac/files';

export interface FeaturesCacheOptions {
  /** identity of the frozen networks, part of every key */
  readonly identity: string;
  /** what the connector reads of a frame */
  readonly compute: (frame: Frame) => Promise<Float32Array>;
  /** frames remembered, the latest used; default 2048, 0 for none */
  readonly limit?: number;
}

/** Features of a frame, computed when they are not remembered; a failure is not. */
export function featuresCache(options: FeaturesCacheOptions): (frame: Frame) => Promise<Features> {
  const { identity, compute, limit = 2048 } = options;
  const known = new Map<string, Promise<Features>>();
  return (frame) => {
    const key = frameKey(identity, frame);
    const found = known.get(key) ?? rounded(key, compute(frame));
    // to the end of the map, whose first entry is the one to forget
    known.delete(key);
    known.set(key, found);
    if (known.size > limit) known.delete(known.keys().next().value!);
    found.catch(() => known.delete(key));
    return found;
  };
}

function frameKey(identity: string, { width, height, data }: Frame): string {
  return sha256(Buffer.concat([Buffer.from(`${identity} ${width}×${height} `), data]));
}

async function rounded(key: string, output: Promise<Float32Array>): Promise<Features> {
  return { key, data: float16ToFloat32(float32ToFloat16(await output)) };
}
