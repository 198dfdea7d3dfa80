/**
 * Tries whether the tests find the faults in `list/`: one after another is made in a copy of the checkout, and the tests of its
 * package run, then those of who uses it most, until one fails; slow tests after all quick ones.
 *
 *   node tools/dist/seeded-faults/main.js [--checkout DIR] [--results FILE] [--only NAME,…] [--jobs N] [--seconds N] [--than FILE]
 *
 * The checkout has to be installed and built. `--results` is a file with one JSON line a fault, to which the next call adds what is
 * left; without it nothing is kept. `--than` names the results of another checkout, such as one before its tests were made fewer:
 * what was found there has to be found here. `--seconds` is how long slow tests may take (3000), quick ones a tenth of it.
 * Ends with status 2 where a fault survives that is not marked as one that does, or is not found any more; or its place is gone.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyOf, type Copy } from './copy.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { placeOf, projectOf, sourcesOf } from './places.ts';
import { tested } from './trial.ts';

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: '.' },
    results: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3000' },
    than: { type: 'string' },
  },
});

/** A line of the results. */
interface Result {
  readonly name: string;
  /** what it was then; another fault of this name is tried anew */
  readonly text: string;
  readonly replacement: string;
  readonly file: string;
  /** null where it survived */
  readonly killedBy: { readonly project: string; readonly test: string } | null;
  readonly seconds: number;
}

/** Who uses everything, and is tested last. */
const users = ['packages/experiment', 'apps/cli'];
const isQuick = (project: string) => !users.includes(project);

const checkout = resolve(values.checkout);
const say = (line: string) => process.stdout.write(`${line}\n`);
const wanted = values.only?.split(',');
const chosen = faults.filter(({ name }) => !wanted || wanted.includes(name));
const sources = sourcesOf(checkout);
const isSame = (fault: Fault) => (result: Result) =>
  result.name === fault.name && result.text === fault.text && result.replacement === fault.replacement;
const results = resultsIn(values.results);
const gone: string[] = [];
const quick = chosen.filter((fault) => !results.some(isSame(fault))).flatMap(placed);

function resultsIn(path: string | undefined): Result[] {
  if (path === undefined || !existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
}

interface Trying {
  readonly fault: Fault;
  readonly file: string;
  readonly projects: readonly string[];
  seconds: number;
}

/** Who tests a fault: first its own package if that is quick, in the end those who use it. */
function placed(fault: Fault): Trying[] {
  const place = placeOf(fault, sources);
  if ('gone' in place) {
    gone.push(`${fault.name}: ${place.gone}`);
    return [];
  }
  const own = projectOf(place.file);
  const projects = [own, ...users.slice(users.indexOf(own) + 1)];
  return [{ fault, file: place.file, projects, seconds: 0 }];
}

async function killerOf(
  copy: Copy,
  trying: Trying,
  projects: readonly string[],
): Promise<Result['killedBy']> {
  const since = performance.now();
  try {
    for (const project of projects) {
      const seconds = isQuick(project) ? Number(values.seconds) / 10 : Number(values.seconds);
      const trial = { folder: copy.folder, project, seconds };
      copy.damage(trying.file, trying.fault);
      const shown = await tested(trial);
      copy.mend();
      if (shown.kind === 'passed') continue;
      // a test that fails without the fault as well has not found it
      const again = shown.file === null ? null : await tested({ ...trial, files: [shown.file] });
      if (again?.kind === 'failed')
        throw new Error(`${project} fails without a fault too: ${again.test}; mend that first`);
      return { project, test: shown.test };
    }
    return null;
  } finally {
    trying.seconds += (performance.now() - since) / 1000;
  }
}

function told({ fault, file, ...trying }: Trying, killedBy: Result['killedBy']): void {
  const { name, text, replacement } = fault;
  const seconds = Math.round(trying.seconds);
  const result = { name, text, replacement, file, killedBy, seconds };
  results.push(result);
  if (values.results !== undefined) appendFileSync(values.results, `${JSON.stringify(result)}\n`);
  say(`${name} (${seconds} s): ${killedBy ? `${killedBy.project} ${killedBy.test}` : 'survived'}`);
}

const slow: Trying[] = [];

/** All that quick tests find comes before the first slow one. */
async function job(copy: Copy): Promise<void> {
  for (let trying = quick.shift(); trying; trying = quick.shift()) {
    const killedBy = await killerOf(copy, trying, trying.projects.filter(isQuick));
    if (killedBy) told(trying, killedBy);
    else slow.push(trying);
  }
  for (let trying = slow.shift(); trying; trying = slow.shift())
    told(
      trying,
      await killerOf(
        copy,
        trying,
        trying.projects.filter((project) => !isQuick(project)),
      ),
    );
}

// beside the checkout: links do not go from one disk to another
const folder = mkdtempSync(join(dirname(checkout), `${basename(checkout)}-faults-`));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const jobs = Math.min(Number(values.jobs), quick.length);
await Promise.all(
  Array.from({ length: jobs }, (_, number) => job(copyOf(checkout, join(folder, String(number))))),
);

const known = resultsIn(values.than);
const of = (fault: Fault, list: readonly Result[]) => list.findLast(isSame(fault))?.killedBy;
const survived = chosen.filter((fault) => of(fault, results) === null);
const failures = [
  ...gone,
  ...survived.flatMap((fault) => {
    const before = of(fault, known);
    if (before) return [`${fault.name} (${fault.breaks}): survived, ${before.project} had ${before.test}`];
    return fault.survives === undefined ? [`${fault.name} (${fault.breaks}): survived`] : [];
  }),
];
for (const failure of failures) say(`FAILED ${failure}`);
say(
  `${chosen.length} faults, ${chosen.length - survived.length - gone.length} found, ${survived.length} survived`,
);
process.exitCode = failures.length === 0 ? 0 : 2;
