/** `--config FILE`: settings in the groups of `config.yaml`; a run's own file repeats the run. */
import { EmacError, messageOf } from '@emac/core';
import { isFile, isThere, readText } from '@emac/files';
import { parseDocument, type Document } from 'yaml';

export interface ConfigFile {
  /** the file's settings, not yet checked */
  readonly settings: Readonly<Record<string, unknown>>;
  /** phases in the file, in the form of `--phase`; null for none */
  readonly phase: string | null;
  /** written by a run: every setting has the value in use */
  readonly isOfRun: boolean;
}

/** Fields of a run's `config.yaml` beside the settings. */
const notes = ['v', 'command', 'drawn'];

/** Errors: `config` for an alias of nothing. */
function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (thrown) {
    throw new EmacError('config', `--config ${path}: ${messageOf(thrown)}`);
  }
}

/** `asked`: phases requested beside the file, null for none. Errors: `missing`; `config` for a file that is no YAML mapping. */
export function readConfigFile(path: string, asked: string | null): ConfigFile {
  if (!isThere(path)) throw new EmacError('missing', `--config ${path}: does not exist`);
  if (!isFile(path))
    throw new EmacError('config', `--config ${path}: is not a file; give a YAML file with settings`);
  const document = parseDocument(readText(path));
  const [fault] = document.errors;
  if (fault)
    throw new EmacError('config', `--config ${path}: ${fault.message.split('\n')[0]!.replace(/:$/, '')}`);
  const content = contentOf(document, path);
  if (typeof content !== 'object' || Array.isArray(content) || content === null)
    throw new EmacError('config', `--config ${path}: must hold settings by their names, such as "seed: 1"`);
  const { phase, phases, given, ...rest } = content as Record<string, unknown>;
  const hasGiven = typeof given === 'object' && given !== null;
  const settings = Object.fromEntries(Object.entries(rest).filter(([name]) => !notes.includes(name)));
  const named = Array.isArray(phases) ? phases.join(',') : phase;
  // resolved values belong to one phase: any other starts from the settings as given
  const isOther = named !== phase || (asked !== null && asked !== phase);
  return {
    settings: hasGiven && isOther ? (given as Record<string, unknown>) : settings,
    phase: typeof named === 'string' ? named : null,
    isOfRun: hasGiven || typeof rest['command'] === 'string',
  };
}
