/** One command: recorded once, then every image that a crash may leave is resumed. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { invariant, type Random } from '@emac/core';
import { createFolder } from '@emac/files';
import type { Recorded, Tree } from './changes.ts';
import { checkRuns } from './check-runs.ts';
import { Disk } from './disk.ts';
import { emac, type Ended } from './emac.ts';
import { expectationsOf, type Expectations } from './expectations.ts';
import { identityOf, materialize, readTree } from './image.ts';
import type { Queue } from './queue.ts';
import { recording } from './recording.ts';
import { files, type Subject } from './subjects.ts';

/** A folder for one subject: `out` of the undisturbed command, `image` of a crash. */
export interface Bench {
  readonly subject: Subject;
  readonly folder: string;
  /** null without one */
  readonly queue: Queue | null;
}

export interface Recordings {
  readonly changes: readonly Recorded[];
  readonly expectations: Expectations;
}

/** Runs the command undisturbed, recorded, and checks that the recording holds all that it wrote. */
export async function recorded(bench: Bench): Promise<Recordings> {
  const { subject, folder } = bench;
  rmSync(folder, { recursive: true, force: true });
  createFolder(join(folder, 'data'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'data', name), text);
  const out = join(folder, 'image');
  mkdirSync(out);
  if (subject.prepare) await succeeded(subject, placed(subject.prepare, bench, out));
  const { result, changes } = await recording(out, new Map(), () => played(bench, beginIn(bench, out), out));
  invariant(
    result.status === 0,
    `${subject.name}: the undisturbed command ended with ${result.status}: ${result.stderr}`,
  );
  const expectations = expectationsOf(changes);
  const written = readTree(out);
  for (const path of new Set([...written.keys(), ...expectations.end.keys()])) {
    // written by the system, as the output of a process
    if (path.endsWith('/output.log')) continue;
    const [real, replayed] = [written.get(path), expectations.end.get(path)];
    const isEqual = real === replayed || (real && replayed && Buffer.from(real).equals(replayed));
    invariant(isEqual, `${subject.name}: the recording and the disk differ in ${path}`);
  }
  return { changes, expectations };
}

export interface Image {
  readonly tree: Tree;
  /** changes before the crash */
  readonly changes: number;
}

interface Drawing {
  readonly random: Random;
  /** random images a moment, beside those of one thing kept or lost */
  readonly drawn: number;
  /** durable before the first change; default nothing */
  readonly start?: Tree;
}

/** Distinct images of every moment. */
export function* imagesOf(changes: readonly Recorded[], { random, drawn, start }: Drawing): Generator<Image> {
  const [disk, known] = [new Disk(start), new Set<string>()];
  for (const [index, { change }] of changes.entries()) {
    disk.apply(change);
    for (const tree of disk.images(random, drawn)) {
      const identity = identityOf(tree);
      if (known.has(identity)) continue;
      known.add(identity);
      yield { tree, changes: index + 1 };
    }
  }
}

/** What is wrong with the files of an image once its runs are held again. */
export function checked(bench: Bench, { tree, changes }: Image, expectations: Expectations): string[] {
  const out = join(bench.folder, 'image');
  materialize(out, tree);
  return checkRuns(out, changes, expectations);
}

/** Runs the command from the image to its end; compares it with the undisturbed one. */
export async function finished(bench: Bench, { tree }: Image, { end }: Expectations): Promise<string[]> {
  const out = join(bench.folder, 'image');
  materialize(out, tree);
  const { status, stderr } = await played(bench, resumeIn(bench, out), out);
  // a complete result is not made again
  if (status === 73 && different(end, readTree(out)).length === 0) return [];
  if (status !== 0) return [`ended with ${status}: ${stderr.trim().split('\n').at(-1)}`];
  return different(end, readTree(out));
}

/**
 * Resumes from the image, recorded, so that a second crash can come: what was promised before the first one counts as well.
 * Null for an image that is complete.
 */
export async function resumedAgain(
  bench: Bench,
  { tree, changes: before }: Image,
  first: Expectations,
): Promise<Recordings | null> {
  const out = join(bench.folder, 'image');
  materialize(out, tree);
  const argv = resumeIn(bench, out);
  const { result, changes } = await recording(out, tree, () => played(bench, argv, out));
  if (result.status === 73 && different(first.end, tree).length === 0) return null;
  invariant(
    result.status === 0,
    `${bench.subject.name}: ${argv.join(' ')} ended with ${result.status}: ${result.stderr}`,
  );
  const promises = first.promises.map((each) => ({ ...each, from: each.from <= before ? 0 : Infinity }));
  const later = expectationsOf(changes, tree).promises.map((each) => {
    const same = first.promises.find(({ run, step }) => run === each.run && step === each.step);
    return { ...each, content: same?.content ?? each.content };
  });
  return { changes, expectations: { promises: [...promises, ...later], end: first.end } };
}

async function succeeded({ name }: Subject, argv: readonly string[]): Promise<void> {
  const { status, stderr } = await emac(argv);
  invariant(status === 0, `${name}: ${argv.join(' ')} ended with ${status}: ${stderr}`);
}

/** Runs a command, beside a worker where it needs one. */
export async function played(
  { subject, queue }: Bench,
  argv: readonly string[],
  out: string,
): Promise<Ended> {
  if (!subject.hasWorker || !queue) return emac(argv);
  await queue.empty();
  const over = new AbortController();
  const worker = emac(
    ['worker', '--queue', queue.address, '--shared', join(out, 'shared'), '--quiet'],
    over.signal,
  );
  const ended = await emac(argv);
  over.abort();
  await worker;
  return ended;
}

function placed(words: readonly string[], { folder, queue }: Bench, out: string): string[] {
  return words.map((word) =>
    word
      .replace(/^OUT/, out)
      .replace(/^DATA/, join(folder, 'data'))
      .replace(/^QUEUE$/, queue?.address ?? ''),
  );
}

export function beginIn(bench: Bench, out: string): string[] {
  return placed(bench.subject.begin, bench, out);
}

export function resumeIn(bench: Bench, out: string): string[] {
  const { resume, runs = '' } = bench.subject;
  const folder = join(out, runs);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  // of two phases the first one's run is resumed
  const first = names.find((name) => !name.includes('-dpo-'));
  return resume !== undefined && first !== undefined
    ? [resume, '--resume', join(folder, first)]
    : beginIn(bench, out);
}

/** depend on the day, the place or the process; leftovers of a killed process that nobody reads */
const ofTheDay =
  /(^|\/)(README\.md|shared\/.*|run\.json|events\.jsonl|config\.yaml|command\.txt|report\.html|output\.log|results\.json|collect\.json|\.lock-[^/]*|\.tmp-[^/]*(\/.*)?)$/;

/** The hour in a run's name is not compared. */
function comparable(tree: Tree): Map<string, string> {
  return new Map(
    [...tree].flatMap(([path, bytes]) => {
      if (bytes === null || ofTheDay.test(path)) return [];
      const text = Buffer.from(bytes).toString('latin1');
      return [
        [
          path.replace(/\d{4}-\d\d-\d\dT\d{4}/g, 'HOUR'),
          path.endsWith('world.log') ? text.replace(/^TIME: .*$/gm, 'TIME') : text,
        ],
      ];
    }),
  );
}

export function different(wanted: Tree, found: Tree): string[] {
  const [left, right] = [comparable(wanted), comparable(found)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => left.get(path) !== right.get(path))
    .map(
      (path) => `${path} ${left.has(path) ? (right.has(path) ? 'differs' : 'is missing') : 'is left over'}`,
    );
}
