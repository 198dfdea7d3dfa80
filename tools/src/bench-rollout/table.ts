/** The results as a table: one column per number of concurrent games, milliseconds per step. */
import type { Played } from './play.ts';
import { median, type DecisionParts, type EyeParts } from './replay.ts';
import type { Phase, Work } from './stopwatch.ts';

export interface Measured {
  readonly parallel: number;
  /** of every turn */
  readonly ms: readonly number[];
  /** the turn in the middle */
  readonly play: Played;
  readonly decision: DecisionParts;
}

interface Agreement {
  readonly isEqual: boolean;
  readonly eye: EyeParts;
}

/** The whole report. */
export function table(measured: readonly Measured[], { isEqual, eye }: Agreement): string {
  const rows = [
    row('games in flight', measured, ({ parallel }) => String(parallel)),
    row('steps', measured, ({ play }) => String(play.steps)),
    row('steps a second', measured, (each) => (1000 / perStep(each)).toFixed(1)),
    row('  over one at a time', measured, (each) => median(ratios(measured[0]!, each)).toFixed(2)),
    row('milliseconds a step', measured, (each) => perStep(each).toFixed(2)),
    ...phaseRows(measured, 'deciding', 'an answer is awaited'),
    row('    reading prompts (replayed)', measured, ({ decision }) => decision.reading.toFixed(2)),
    row('    saying answers (replayed)', measured, ({ decision }) => decision.saying.toFixed(2)),
    workRow(measured, 'question', '    main thread: until it first waits'),
    ...phaseRows(measured, 'encoding', 'pictures are awaited'),
    workRow(measured, 'picture', '    main thread: hashing, processing'),
    ...phaseRows(measured, 'between', 'neither'),
    workRow(measured, 'texts', '  main thread: texts, tokens counted'),
    workRow(measured, 'world', '  main thread: the world'),
    workRow(measured, 'drawing', '  main thread: drawing'),
    row('new pictures a step', measured, ({ play }) =>
      (play.spent.pictures.distinct / play.steps).toFixed(2),
    ),
  ];
  return [
    ...rows,
    `a new picture: ${eye.processing.toFixed(2)} ms processing, ${eye.networks.toFixed(2)} ms networks`,
    `turns, ms: ${measured.map(({ parallel, ms }) => `${parallel}: ${ms.map((each) => each.toFixed(0)).join(' ')}`).join('; ')}`,
    isEqual ? 'commands are equal in all turns' : 'FAILED commands differ',
  ].join('\n');
}

/** Ratios turn by turn, since the machine's other load changes. */
function ratios(one: Measured, each: Measured): number[] {
  return each.ms.map((ms, turn) => one.ms[turn]! / ms);
}

function perStep({ ms, play }: Measured): number {
  return median(ms) / play.steps;
}

function phaseRows(measured: readonly Measured[], phase: Phase, what: string): string[] {
  const part =
    (which: 'phases' | 'busy') =>
    ({ play }: Measured) =>
      (play.spent[which][phase] / play.steps).toFixed(2);
  return [
    row(`  ${phase}: ${what}`, measured, part('phases')),
    row('    main thread busy', measured, part('busy')),
  ];
}

function workRow(measured: readonly Measured[], work: Work, title: string): string {
  return row(title, measured, ({ play }) => (play.spent.work[work] / play.steps).toFixed(2));
}

function row(title: string, measured: readonly Measured[], cell: (each: Measured) => string): string {
  return title.padEnd(44) + measured.map((each) => cell(each).padStart(10)).join('');
}
