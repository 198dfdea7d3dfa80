/**
 * Features of frames (for InstructBLIP Q-Former outputs), cached by frame: each frame is encoded once. Results are rounded to float16 here, before any use, so
 * features read back from a buffer equal the numbers used while acting.
 */
import type { Features, Frame } from '@emac/core';
import { float16ToFloat32, float32ToFloat16, sha256 } from '@emac/files';

export interface FeaturesCacheOptions {
  /** identity of the frozen networks, part of every key */
  readonly identity: string;
  /** encodes a frame: the connector's input */
  readonly compute: (frame: Frame) => Promise<Float32Array>;
  /** limit of all cached features together, least recently used ones evicted first; 0 for none */
  readonly bytes: number;
}

/** Features of a frame, cached; failures are not cached. */
export function featuresCache(options: FeaturesCacheOptions): (frame: Frame) => Promise<Features> {
  const { identity, compute, bytes: limit } = options;
  const known = new Map<string, Promise<Features>>();
  const sizes = new Map<string, number>();
  let held = 0;
  const forget = (key: string): void => {
    held -= sizes.get(key) ?? 0;
    sizes.delete(key);
    known.delete(key);
  };
  const measured = (key: string, { data }: Features): void => {
    sizes.set(key, data.byteLength);
    held += data.byteLength;
    // in order of use; pending results have no size yet
    for (const oldest of known.keys()) {
      if (held <= limit) return;
      if (sizes.has(oldest)) forget(oldest);
    }
  };
  return (frame) => {
    const key = frameKey(identity, frame);
    if (limit === 0) return rounded(key, compute(frame));
    const found = known.get(key);
    if (found) {
      // to the end of the map
      known.delete(key);
      known.set(key, found);
      return found;
    }
    const made = rounded(key, compute(frame));
    known.set(key, made);
    made.then(
      (features) => measured(key, features),
      () => forget(key),
    );
    return made;
  };
}

function frameKey(identity: string, { width, height, data }: Frame): string {
  return sha256(Buffer.concat([Buffer.from(`${identity} ${width}×${height} `), data]));
}

async function rounded(key: string, output: Promise<Float32Array>): Promise<Features> {
  return { key, data: float16ToFloat32(float32ToFloat16(await output)) };
}
