/** A run's expected disk use, by file type. Texts and pictures are assumed as large as the measured ones. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isFolder, isThere, requireSpace, whileWriting } from '@emac/files';
import type { PolicySizes } from '@emac/opening';
import { sumOf, type Range } from './range.ts';

export interface PartOfDisk {
  readonly name: string;
  readonly bytes: Range;
}

export interface ExpectedDisk {
  readonly parts: readonly PartOfDisk[];
  readonly total: Range;
}

/** Bytes of one of each. */
export interface Sizes extends PolicySizes {
  /** stored features of a picture */
  readonly features: number;
  /** a picture as PNG */
  readonly picture: number;
  /** a prompt at the first step, and at the last that is possible */
  readonly prompt: Range;
  /** texts of one step */
  readonly turn: number;
}

/** around the texts of a step in a transcript, of a line in `metrics.jsonl` and the logs: names, numbers, ids */
const [around, ofUpdate, ofLogs] = [1000, 1200, 65_536];
/** a report holds that many bytes of episodes at most, and about so many of itself */
const [reportedAtMost, reportItself] = [15e6, 250_000];

/** Parameters, two moments of the trainable ones, and the state. */
function checkpointBytes({ parameters, trained }: PolicySizes): Range {
  const tensors = parameters + 2 * trained;
  return { least: tensors, most: tensors + 32_768 };
}

/** `written`: how many; `keep`: the newest of them stay, null for all, and the best and the ends of `rounds`, at most. */
export function checkpointsBytes(
  sizes: PolicySizes,
  {
    written,
    keep,
    rounds,
  }: { readonly written: Range; readonly keep: number | null; readonly rounds: number },
): Range {
  const one = checkpointBytes(sizes);
  const kept = (count: number, beside: number) => Math.min(count, (keep ?? Infinity) + beside);
  return { least: kept(written.least, 1) * one.least, most: kept(written.most, 1 + rounds) * one.most };
}

/** Samples with the policy's observations, each picture's features once. */
export function samplesBytes(samples: Range, { features, prompt }: Sizes): Range {
  return {
    least: samples.least * prompt.least,
    most: samples.most * (features + prompt.most + around),
  };
}

/** Transcripts of episodes, and their pictures, each once. */
export function episodesBytes(steps: Range, { picture, turn }: Sizes): Range {
  return { least: Math.min(steps.least, 1) * picture, most: (steps.most + 1) * (picture + turn + around) };
}

/** Metrics, events and the published logs. */
export function logsBytes(steps: Range, updates: Range, { turn }: Sizes): Range {
  return { least: 0, most: ofLogs + steps.most * (2 * turn + around) + updates.most * ofUpdate };
}

/** Metrics of updates alone. */
export function updatesBytes(updates: number): Range {
  return { least: 0, most: ofLogs + updates * ofUpdate };
}

/** The page at the end, with at most forty episodes in it. */
export function reportBytes(episodes: Range): Range {
  return { least: 0, most: Math.min(reportedAtMost, episodes.most * 1.5) + reportItself };
}

/** A reference policy, as a run keeps it. */
export function referenceBytes({ bytes }: { readonly bytes: number }): Range {
  return { least: bytes, most: bytes + 32_768 };
}

/** The place of a run's output. */
export interface Room {
  readonly folder: string;
  /** bytes */
  readonly free: number;
}

/** Errors: those of `writableAbove`; `io` if there is less space than a run needs to start. */
export function roomFor(
  out: string,
  { needed, machine }: { readonly needed: number; readonly machine: { freeSpace(folder: string): number } },
): Room {
  const folder = writableAbove(out);
  const free = machine.freeSpace(folder);
  requireSpace(folder, needed, free);
  return { folder, free };
}

/**
 * The place with the expected output, and a warning if that may be too much, else null. Errors: `io` if even the least
 * is too much.
 */
export function filled(
  { folder, free }: Room,
  parts: readonly PartOfDisk[],
): { readonly disk: ExpectedDisk & Room; readonly warning: string | null } {
  const expected = { parts, total: sumOf(parts.map(({ bytes }) => bytes)) };
  requireSpace(folder, expected.total.least, free);
  const isTight = expected.total.most > free;
  return {
    disk: { ...expected, folder, free },
    warning: isTight ? `disk: ${folder} may be too small if games reach their step limit` : null,
  };
}

/**
 * The nearest existing folder above a path, where the rest could be created; creates nothing. Errors: `cannot-create`
 * if a file is in the way, `auth` if it is not writable.
 */
function writableAbove(path: string): string {
  const place = resolve(path);
  if (!isThere(place)) return writableAbove(dirname(place));
  if (!isFolder(place))
    throw new EmacError('cannot-create', `${path}: is a file; choose another path for --out`);
  whileWriting(place, () => accessSync(place, constants.W_OK));
  return place;
}
