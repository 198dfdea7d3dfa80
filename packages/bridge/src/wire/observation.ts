/** Observations on the wire: pictures as PNG or JPEG in base64, decoded within limits. */
import { type Frame, type Observation } from '@emac/core';
import { decodeImage, encodePng } from '@emac/images';
import type { Report, WireObservation } from './schemas.ts';

/** Simulator pictures are small; a larger claimed size is refused before it takes memory. */
const limits = { bytes: 6 * 1024 * 1024, pixels: 4_000_000 };

/** Errors: `data` for a picture that cannot be decoded or is over the limits. */
export async function observationFrom({ text, admissible, picture }: WireObservation): Promise<Observation> {
  const frames = picture === null ? [] : [await decodeImage(Buffer.from(picture, 'base64'), limits)];
  // sorted by code point, as in every environment
  return { text, admissible: admissible && [...admissible].sort(), frames };
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

/** Sends the first picture only. */
export async function observationToWire(
  { text, admissible, frames }: Observation,
  { pictures }: { readonly pictures: boolean },
): Promise<WireObservation> {
  const frame = pictures ? frames[0] : undefined;
  return { text, admissible: admissible && [...admissible], picture: frame ? await toBase64(frame) : null };
}

async function toBase64(frame: Frame): Promise<string> {
  return Buffer.from(await encodePng(frame)).toString('base64');
}
