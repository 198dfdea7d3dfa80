/** Observations on the wire: pictures as PNG or JPEG in base64, decoded within limits; arrays as little-endian bytes in base64. */
import type { Frame, NumberArray, Observation } from '@emac/core';
import { decodeImage, encodePng } from '@emac/images';
import type { Report, WireArray, WireObservation } from './schemas.ts';

/** Simulator pictures are small; a larger claimed size is refused before it takes memory. */
const limits = { bytes: 6 * 1024 * 1024, pixels: 4_000_000 };

/** Errors: `data` for a picture that cannot be decoded or is over the limits. */
export async function observationFrom({
  text,
  admissible,
  picture,
  arrays,
}: WireObservation): Promise<Observation> {
  const frames = picture === null ? [] : [await decodeImage(Buffer.from(picture, 'base64'), limits)];
  // sorted by code point, as in every environment
  const sorted = admissible && [...admissible].sort();
  return { text, admissible: sorted, frames, ...(arrays && { arrays: eachArray(arrays, arrayFrom) }) };
}

function eachArray<From, To>(
  arrays: Readonly<Record<string, From>>,
  to: (from: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, to(array)]));
}

const types = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array } as const;

function arrayFrom({ shape, type, data }: WireArray): NumberArray {
  // a copy: a buffer of the pool may begin at any byte
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  return { shape, data: new types[type](bytes.buffer) };
}

function arrayToWire({ shape, data }: NumberArray): WireArray {
  const type = data instanceof Float32Array ? 'float32' : data instanceof Int32Array ? 'int32' : 'uint8';
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { shape: [...shape], type, data: bytes.toString('base64') };
}

/** A report with its decoded observation. */
export type Reported = Decoded<Report>;

type Decoded<R> = R extends { readonly observation: unknown }
  ? Omit<R, 'observation'> & { readonly observation: Observation }
  : R;

/** Errors: `data` for a picture that cannot be decoded. */
export async function reported(report: Report): Promise<Reported> {
  if (!('observation' in report)) return report;
  return { ...report, observation: await observationFrom(report.observation) };
}

/** Sends the first picture only, and arrays only to a run that expects them. */
export async function observationToWire(
  { text, admissible, frames, arrays }: Observation,
  { pictures, hasArrays = false }: { readonly pictures: boolean; readonly hasArrays?: boolean },
): Promise<WireObservation> {
  const frame = pictures ? frames[0] : undefined;
  return {
    text,
    admissible: admissible && [...admissible],
    picture: frame ? await toBase64(frame) : null,
    ...(hasArrays && arrays && { arrays: eachArray(arrays, arrayToWire) }),
  };
}

async function toBase64(frame: Frame): Promise<string> {
  return Buffer.from(await encodePng(frame)).toString('base64');
}
