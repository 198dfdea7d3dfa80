/** `emac eval --policy P,P…`: several policies, or one that is no trained one, on the same held-out tasks. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { comparePolicies, type Comparison, type FilmedTask } from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import { environmentOfPolicy, policyNamed, steppedIn, type Host } from '@emac/opening';
import { tablesPage, type PagePicture } from '@emac/report';
import { usualEnvironment, type EvaluationConfig } from '@emac/settings';
import { evalSettings } from '../../settings/eval-settings.ts';
import { strangeFlag } from '../../settings/evaluation-flags.ts';
import { namesModule } from '../../options/given-code.ts';
import { layered } from '../../options/layers.ts';
import { isPlayer, serviceIn, serviceOptions } from '../../settings/policy-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { personAt } from '../../play/person.ts';
import { comparisonLines, differenceTable, policyTable } from '../../reports/comparison-report.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import type { Filmed } from '../../reports/films.ts';
import { sideBySideFilm } from '../../reports/side-by-side.ts';
import { writeReport } from '../../reports/write-report.ts';

export interface PoliciesAsked extends Readonly<Record<string, unknown>> {
  readonly env: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly gif: Filmed | null;
}

interface Around {
  readonly words: readonly string[];
  readonly io: Io;
  /** the module from the command line */
  readonly code: Pick<Host, 'environment'>;
  /** a folder for the results; null keeps none */
  readonly out: string | null;
}

/** Errors: `usage` for flags without meaning here; those of `comparePolicies`. */
export async function evaluatePolicies(
  given: readonly string[],
  values: PoliciesAsked,
  { words, io, code, out }: Around,
): Promise<number> {
  const policies = given.map((name) =>
    isPlayer(name) || name === 'untouched' ? name : runNamed(name, { env: values.env }),
  );
  const env = values.env ?? (values['games'] === undefined ? trainedIn(policies) : null);
  refuseOthers(values, env);
  const service = serviceIn(policies, values);
  const asked = { ...values, ckpt: undefined, model: values['model'] ?? undefined };
  const { given: settings } = layered<EvaluationConfig>(evalSettings, { values: asked, words, env: io.env });
  const { out: _out, ckpt: _ckpt, ...evaluation } = settings;
  const { json, quiet, gif } = values;
  if (gif !== null && out === null)
    throw new EmacError(
      'usage',
      '--gif: films are written into a folder; give --out FOLDER, or leave it out',
    );
  const host = {
    ...hostOf(io, io.catchInterruption(), { quiet, verbose: values.verbose }),
    ...code,
    person: personAt(io),
  };
  const pictures: PagePicture[] = [];
  const films = gif !== null && out !== null && { which: gif, film: filming(out, pictures) };
  const asking = { policies, env, evaluation, ...service, out, ...(films && { films }) };
  const comparison = await comparePolicies(asking, host);
  say(io.stdout, json ? JSON.stringify(comparison) : comparisonText(comparison));
  if (out === null) return 0;
  noteCommand(out, io, host.listener?.note);
  writeComparisonPage(out, { comparison, pictures }, io);
  if (gif !== null && !quiet) say(json ? io.stderr : io.stdout, filmLine(out, pictures));
  if (!quiet) say(json ? io.stderr : io.stdout, `report: ${join(out, 'report.html')}`);
  return 0;
}

/** Tables and sentences. */
export function comparisonText(comparison: Comparison): string {
  const tables = [policyTable(comparison), differenceTable(comparison)];
  const drawn = tables.flatMap((each) => (each ? [table(each.head, each.rows)] : []));
  return [...drawn, ...comparisonLines(comparison)].join('\n');
}

/** Writes `films/NUMBER.gif` of a task, and notes it. Earlier films are deleted at the first. */
function filming(out: string, pictures: PagePicture[]) {
  return (film: FilmedTask): void => {
    const src = `films/${String(film.number).padStart(6, '0')}.gif`;
    if (pictures.length === 0) rmSync(join(out, 'films'), { recursive: true, force: true });
    createFolder(join(out, 'films'));
    writeFileAtomic(join(out, src), sideBySideFilm(film));
    pictures.push({ title: film.task.id, src });
  };
}

function filmLine(out: string, pictures: readonly PagePicture[]): string {
  if (pictures.length > 0) return `films: ${join(out, 'films')}`;
  return 'films: none; the environment shows no pictures, no task was chosen, or an older version played them';
}

export interface ComparisonPage {
  readonly comparison: Comparison;
  readonly pictures?: readonly PagePicture[];
}

/** The page of a comparison, with a link to each policy's own report. */
export function writeComparisonPage(
  out: string,
  { comparison, pictures = [] }: ComparisonPage,
  io: Io,
): void {
  const { head, rows } = policyTable(comparison);
  const linked = rows.map(([name, ...others], place) => {
    const { folder } = comparison.policies[place]!;
    if (folder === null) return [name!, ...others];
    writeReport(join(out, folder), { ...io, isQuiet: true });
    return [{ text: name!, href: `${folder}/report.html` }, ...others];
  });
  const differences = differenceTable(comparison);
  const tables = [
    { name: 'Policies', head, rows: linked },
    ...(differences ? [{ name: 'Paired differences', ...differences }] : []),
  ];
  const title = `policies in ${comparison.env ?? 'ALFWorld'}`;
  const notes = comparisonLines(comparison);
  writeFileAtomic(join(out, 'report.html'), tablesPage({ title, tables, notes, pictures }));
}

/** The environment of the first policy trained elsewhere than in games; null if there is none. */
function trainedIn(policies: readonly string[]): string | null {
  for (const name of policies) {
    if (policyNamed(name).kind !== 'trained' || name === 'untouched') continue;
    const env = steppedIn(name) ?? environmentOfPolicy(name);
    if (env === usualEnvironment) continue;
    if (!namesModule(env)) return env;
    throw new EmacError('usage', `--policy ${name}: was trained in ${env}; name this code with --env ${env}`);
  }
  return null;
}

function refuseOthers(values: PoliciesAsked, env: string | null): void {
  const kind = env === null ? 'compared games' : 'compared episodes';
  const flag = strangeFlag(values, kind, Object.keys(serviceOptions));
  if (flag === undefined) return;
  // with games too
  if (strangeFlag({ [flag]: true }, 'compared games') !== undefined)
    throw new EmacError(
      'usage',
      `--${flag}: is for one trained policy; leave it out, or give one with --ckpt`,
    );
  throw new EmacError('usage', `--${flag}: is for games; leave it out with --env ${env!}`);
}
