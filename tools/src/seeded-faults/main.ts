/**
 * Checks that the tests find the faults in `list/`. Each is made in a copy of the checkout; then the tests of its
 * package run, then those of its main users, until one fails; slow tests after all quick ones.
 *
 *   node tools/dist/seeded-faults/main.js [--checkout DIR] [--results FILE] [--only NAME,…] [--jobs N] [--seconds N] [--than FILE]
 *
 * The checkout must be installed and built. `--results` is a file with one JSON line per fault; the next call continues
 * it. Without it nothing is stored. `--than` names the results of another checkout, such as one with more tests: every
 * fault found there must be found here. `--seconds` limits slow tests (3000), quick ones to a tenth of it. Ends with
 * status 2 if an unmarked fault survives, an earlier finding is lost, or a fault's place is gone.
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
  /** the fault's text then; another text under this name is tried anew */
  readonly text: string;
  readonly replacement: string;
  readonly file: string;
  /** null if it survived */
  readonly killedBy: { readonly project: string; readonly test: string } | null;
  readonly seconds: number;
}

/** Packages that use everything, tested last. */
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

/** The packages to test for a fault: its own first if quick, the general users last. */
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

/** All quick tests run before the first slow one. */
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

// beside the checkout, since hard links cannot cross disks
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
