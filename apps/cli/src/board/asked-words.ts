/**
 * The words of a command that a page asks for. They are flags of the table of settings and nothing else, and name no
 * code: code of one's own is started on the command line.
 */
import { isJudged, phases, type Phase } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { isModulePath } from '@emac/opening';
import type { AskedCommand, AskedRun } from '@emac/pages';
import { trainCommand } from '../commands/training/train.ts';
import { withoutMethod } from '../commands/methods.ts';
import { refuseKeyInWords } from '../options/key-in-words.ts';
import { codeFlags, recordedIn } from '../run-notes/resume-command.ts';
import { fieldFlags, ofRuns, startedEnvironments, subjectWords } from './start-form.ts';
import { namesOtherMachine, refuseOutOfReach } from './within-reach.ts';

export interface AskedPlaces {
  /** the board's folder, in which new runs are */
  readonly out: string;
  /** the folder of a run by its name on the board. Errors: `missing`. */
  readonly folderOf: (name: string) => string;
}

/** After `emac`. Errors: `usage`, `missing`; `config` for a request of another form. */
export function askedWords(asked: AskedCommand, places: AskedPlaces): string[] {
  const words = wordsOf(asked, places);
  refuseKeyInWords(words);
  return words;
}

function wordsOf(asked: AskedCommand, places: AskedPlaces): string[] {
  if (asked.kind === 'resume' && typeof asked.run === 'string')
    return ['train', '--resume', resumable(asked.run, places)];
  if (asked.kind === 'train' && typeof asked.method === 'string' && isTable(asked.flags))
    return trainingWords(asked, places);
  throw new EmacError(
    'config',
    'a command is asked for with kind "train", method and flags, or "resume" and run',
  );
}

function resumable(name: string, { folderOf }: AskedPlaces): string {
  const folder = folderOf(name);
  const code = codeFlags(recordedIn(folder));
  if (code !== '')
    throw new EmacError(
      'usage',
      `${name}: was trained with code of its own (${code.trim()}), which the command line alone starts: emac train --resume ${folder}${code}`,
    );
  refuseServers(name, folder, recordedIn(folder));
  return folder;
}

/** Settings of a run that came from elsewhere may name other machines. Errors: `usage`. */
function refuseServers(name: string, folder: string, settings: unknown): void {
  if (typeof settings === 'string') {
    if (!namesOtherMachine(settings)) return;
    throw new EmacError(
      'usage',
      `${name}: uses ${settings}, and a page reaches servers of this machine alone: emac train --resume ${folder}`,
    );
  }
  if (typeof settings === 'object' && settings !== null)
    for (const each of Object.values(settings)) refuseServers(name, folder, each);
}

function trainingWords(asked: AskedRun, { out, folderOf }: AskedPlaces): string[] {
  const { environment, policy, method, from, flags } = asked;
  if (environment != null && !startedEnvironments().some(({ id }) => id === environment))
    throw new EmacError('usage', `--env ${environment}: a page starts the environments that are listed here`);
  if (policy != null && (typeof policy !== 'string' || policy.startsWith('-')))
    throw new EmacError('config', `policy: must be a name, got ${JSON.stringify(policy)}`);
  const subject = subjectWords({ method, environment: environment ?? null, policy: policy ?? null });
  const command = trainCommand(withoutMethod(subject));
  const known = fieldFlags({ ...command, isListed: () => true });
  const typed = Object.entries(flags).flatMap(([flag, value]) => {
    if (!known.includes(flag))
      throw new EmacError('usage', `--${flag}: is no setting of ${method} that a page may give`);
    // a text behind a switch would be a word of its own, such as SETTING=VALUE
    const isSwitch = command.options[flag]!.form.words === null;
    if (isSwitch ? value !== true : typeof value !== 'string' || value.includes('\0'))
      throw new EmacError('config', `--${flag}: must be ${isSwitch ? 'true, as a switch' : 'a text'}`);
    if (typeof value !== 'string') return [`--${flag}`];
    return value.startsWith('-') ? [`--${flag}=${value}`] : [`--${flag}`, value];
  });
  const code = [policy, ...Object.values(flags)].find(
    (value) => typeof value === 'string' && isModulePath(value),
  );
  if (code !== undefined)
    throw new EmacError('usage', `${String(code)}: is code of your own, which the command line alone starts`);
  for (const [flag, value] of [['policy', policy] as const, ...Object.entries(flags)])
    if (typeof value === 'string' && !ofRuns.includes(flag)) refuseOutOfReach(`--${flag}`, value, ['.', out]);
  const start = from == null ? [] : [isReference(method) ? '--ref' : '--init', folderOf(from)];
  return ['train', ...subject, ...start, ...typed, '--out', out];
}

/** Whether a method starts from the policy that it judges by. */
function isReference(method: string): boolean {
  return phases.some((phase) => phase === method) && isJudged(method as Phase);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
