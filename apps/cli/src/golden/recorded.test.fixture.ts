/** The record of the golden runs: lines of `metrics.jsonl`, and for each kind of processor the hash of every file. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';

/** SHA-256 by file: `metrics.jsonl` and the files below `checkpoints`; names in a command's second run begin with `1/`. */
export type Hashes = Readonly<Record<string, string>>;

/** The hashes of every golden run, by its name. */
export type HashesOfRuns = Readonly<Record<string, Hashes>>;

const hashesFile = new URL('hashes.json', import.meta.url);
const linesOf = (name: string) => new URL(`lines/${name}.jsonl`, import.meta.url);

/** The instruction sets ONNX Runtime and WebAssembly choose from, in Linux's names. */
const instructions =
  /^(avx|avx2|fma|f16c|avx512(f|bw|dq|vl|_vnni|_bf16|_fp16)|avx_vnni|amx_\w+|asimd|asimddp|asimdhp|i8mm|bf16|sve|sve2)$/;

/**
 * Everything behind the last bits of float32 sums, in words: instructions, threads of ONNX Runtime (one for each core of the machine), and prompts answered
 * side by side (one for each core the process may use).
 */
export function kindOfProcessor(): string {
  const path = '/proc/cpuinfo';
  const flags = existsSync(path)
    ? /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync(path, 'utf8'))?.[1]
    : undefined;
  const known = (flags ?? '').split(' ').filter((flag) => instructions.test(flag));
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  const cores = `${availableParallelism()} of ${cpus().length} cores`;
  const parts = [`${process.platform} ${process.arch}`, model, known.sort().join(' '), cores];
  return parts.filter((part) => part !== '').join(', ');
}

/** The run folders of one command, in their order. */
export function runsIn(out: string): string[] {
  const names = readdirSync(out).filter((name) => !name.startsWith('.'));
  return names.sort().map((name) => join(out, name));
}

/** Only files without clock, path or process id. */
export function hashesOf(out: string): Hashes {
  const entries = runsIn(out).flatMap((run, place) => {
    const inside = readdirSync(join(run, 'checkpoints'), { recursive: true, encoding: 'utf8' });
    const files = inside.filter((file) => file.includes('/')).map((file) => `checkpoints/${file}`);
    return ['metrics.jsonl', ...files.sort()].map((file) => {
      const hash = createHash('sha256').update(readFileSync(join(run, file)));
      return [place === 0 ? file : `${place}/${file}`, hash.digest('hex')] as const;
    });
  });
  return Object.fromEntries(entries);
}

/** The lines of all runs of one command, one run after the other. */
export function linesIn(out: string): string {
  return runsIn(out)
    .map((run) => readFileSync(join(run, 'metrics.jsonl'), 'utf8'))
    .join('');
}

/** Null without a record for this kind of processor. */
export function recordedHashes(): HashesOfRuns | null {
  return allHashes()[kindOfProcessor()] ?? null;
}

export function recordedLines(name: string): string {
  return readFileSync(linesOf(name), 'utf8');
}

/** Keeps the hashes of this kind of processor beside the others'. */
export function addHashes(hashes: HashesOfRuns): void {
  writeHashes({ ...allHashes(), [kindOfProcessor()]: hashes });
}

/** Keeps these hashes and lines, and deletes all earlier ones. */
export function replaceAll(hashes: HashesOfRuns, lines: Readonly<Record<string, string>>): void {
  writeHashes({ [kindOfProcessor()]: hashes });
  rmSync(new URL('lines', import.meta.url), { recursive: true, force: true });
  mkdirSync(new URL('lines', import.meta.url));
  for (const [name, text] of Object.entries(lines)) writeFileSync(linesOf(name), text);
}

function allHashes(): Readonly<Record<string, HashesOfRuns>> {
  if (!existsSync(hashesFile)) return {};
  return JSON.parse(readFileSync(hashesFile, 'utf8')) as Readonly<Record<string, HashesOfRuns>>;
}

function writeHashes(all: Readonly<Record<string, HashesOfRuns>>): void {
  writeFileSync(hashesFile, `${JSON.stringify(all, null, 2)}\n`);
}
