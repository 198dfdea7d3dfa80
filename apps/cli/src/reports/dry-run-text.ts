/** A dry run for people. */
import type { DryRun } from '@emac/dry-run';
import type { Range } from '@emac/opening';
import { stringify } from 'yaml';
import { counted, dollars, duration, grouped } from '../terminal/amounts.ts';
import { say, type Io } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';

interface Saying {
  /** one object on standard output, words on standard error */
  readonly json: boolean;
  /** no text beside the result; warnings stay */
  readonly quiet: boolean;
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
}

/** For several phases in a row; as JSON `{"runs": […]}` in one line. */
export function sayDryRuns(runs: readonly DryRun[], { json, quiet, io: { stdout, stderr } }: Saying): void {
  const words = json ? stderr : stdout;
  for (const run of runs)
    if (!json || !quiet) say(words, dryRunText(run));
    else for (const each of run.warnings) say(stderr, `warning: ${each}`);
  if (json) say(stdout, JSON.stringify({ runs }));
}

/** Puts the sentence before the first run's notes; null for none. */
export function withNote(runs: readonly DryRun[], note: string | null): readonly DryRun[] {
  return runs.map((run, place) =>
    note === null || place > 0 ? run : { ...run, notes: [note, ...run.notes] },
  );
}

/** Everything it found, the most important first. */
export function dryRunText(run: DryRun): string {
  return [
    `dry run: ${run.name}; nothing is kept, no paid service is called`,
    ...run.notes,
    ...run.warnings.map((each) => `warning: ${each}`),
    '',
    'settings in use:',
    indented(stringify(run.config)),
    ...modelText(run),
    '',
    ...exampleText(run),
    ...expertText(run),
    ...memoryText(run),
    ...diskText(run),
    ...timeText(run),
  ].join('\n');
}

function modelText({ model, of }: DryRun): string[] {
  const { trained, frozen } = model.parameters;
  return [
    `to do: ${of}`,
    model.layers === null
      ? `policy: ${model.identity}`
      : `model: ${model.folder}, ${model.identity.slice(0, 12)}, layers ${model.layers}`,
    `parameters: ${grouped(trained)} trained, ${grouped(frozen)} frozen`,
  ];
}

function exampleText({ example }: DryRun): string[] {
  if (example === null) return [];
  const { source, saidBy, prompt, target, tokens } = example;
  const { visual, longest } = tokens;
  const seen = visual === null ? '' : `${counted(visual, 'visual token')}, then `;
  const answer = saidBy === 'the policy itself' ? 'its answer' : `the expected answer, from ${saidBy}`;
  return [
    `what the model reads, of ${source}: ${seen}${counted(tokens.prompt, 'token')} of text:`,
    indented(prompt),
    `${answer}: ${counted(tokens.target, 'token')}, end token included:`,
    indented(JSON.stringify(target)),
    ...(longest === null ? [] : [`longest possible text: ${counted(longest, 'token')}`]),
    '',
  ];
}

function memoryText({ memory }: DryRun): string[] {
  const { opened, acting, peak, run, training, available } = memory;
  const adds = training === 0 ? '' : `; training adds ${bytes(training)}`;
  return [
    `memory of this process: ${bytes(opened)} after opening, ${bytes(acting)} after acting, ${bytes(peak)} at most${adds}; ${bytes(available)} are free`,
    `memory of the run at most: ${between(run, bytes)}`,
  ];
}

function diskText({ disk }: DryRun): string[] {
  if (disk === null) return ['disk: only a file of results'];
  const parts = disk.parts.map((part) => [part.name, between(part.bytes, bytes)]);
  return [
    `disk: ${between(disk.total, bytes)}; ${bytes(disk.free)} are free in ${disk.folder}`,
    table(['on disk', 'size'], parts),
  ];
}

function timeText({ time, of }: DryRun): string[] {
  const rows = time.parts.map((part) => [part.name, between(part.milliseconds, duration)]);
  const isExact = time.parts.every(({ milliseconds: { least, most } }) => least === most);
  const isOfGames = /^\d+ games/.test(of) && !isExact;
  const { play, learn } = time.measured;
  const each = [
    ...(play.most > 0 ? [`playing ${between(play, brief)}`] : []),
    ...(learn > 0 ? [`learning ${brief(learn)}`] : []),
  ].join(' and ');
  return [
    `time: ${between(time.total, duration)}`,
    table(['part', 'time'], rows),
    `measured on this machine: ${each} for each (${time.how.join('; ')})`,
    ...(isOfGames
      ? [
          'least: every game is won at the first attempt by a shortest plan; most: every game is played to --max-steps in every round',
        ]
      : []),
  ];
}

function expertText({ expert }: DryRun): string[] {
  if (expert === null) return [];
  const { calls, promptTokens, tokens, cost, budget } = expert;
  const limits = [
    budget.tokens !== null && `${grouped(budget.tokens)} tokens`,
    budget.dollars !== null && dollars(budget.dollars),
  ].filter((each) => typeof each === 'string');
  return [
    `expert: ${between(calls, grouped)} calls, each with a prompt of ${between(promptTokens, grouped)} tokens, plus retries and thoughts`,
    `expert: ${between(tokens.prompt, grouped)} prompt tokens and ${between(tokens.answer, grouped)} answer tokens${cost ? `, ${between(cost, dollars)}` : '; give --expert-price-in and --expert-price-out to see the cost'}`,
    limits.length > 0
      ? `expert: the run stops, and can be resumed, when ${limits.join(' or ')} are used`
      : 'expert: no limit is set; --expert-budget or --expert-max-tokens-total set one',
    'expert: the time below does not include its answers',
    '',
  ];
}

const between = ({ least, most }: Range, shown: (amount: number) => string): string =>
  shown(least) === shown(most) ? shown(least) : `${shown(least)} to ${shown(most)}`;

/** Time per item. */
const brief = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms` : duration(milliseconds);

/** Bytes for people: `12.3 MiB`. */
function bytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  return power === 0 ? `${Math.round(count)} bytes` : `${(count / 1024 ** power).toFixed(1)} ${units[power]}`;
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
