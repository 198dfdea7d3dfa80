/** `emac eval --env ID`: a policy's return and success in an environment, on held-out seeds. */
import { basename, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  defaultPolicyOf,
  evaluateEnvironment,
  publishedFolder,
  publishedLog,
  rolloutPath,
  rolloutRecords,
  withPublishedNames,
  type EvaluatedEnvironment,
  type Keeping,
} from '@emac/experiment';
import { isFolder, isThere, writeFileAtomic } from '@emac/files';
import {
  environmentId,
  isDescribedElsewhere,
  isPlayedElsewhere,
  isWorded,
  type Host,
  type StepAction,
} from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import { evaluationConfig, type EvaluationConfig } from '@emac/settings';
import { namesModule } from '../../options/given-code.ts';
import { layered } from '../../options/layers.ts';
import { ownFolder } from '../../options/own-folder.ts';
import { withWorkers } from '../../options/queue-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { evalSettings } from '../../settings/eval-settings.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { filmingWatcher } from '../../reports/episode-films.ts';
import { evaluationText, successOf } from '../../reports/evaluation-report.ts';
import type { Filmed } from '../../reports/films.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { writeReport } from '../../reports/write-report.ts';

export interface EnvironmentValues extends Readonly<Record<string, unknown>> {
  readonly env: string;
  readonly attempts?: number | undefined;
  readonly temperature?: number | undefined;
  readonly seed?: number | undefined;
  readonly 'max-steps'?: number | undefined;
  readonly gif: Filmed | null;
  /** `out` gets the layout of VLA-RL's code; the folder's name begins with policy and task */
  readonly layout: 'published' | null;
  /** at the end of that name */
  readonly note: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** workers play if it is given */
  readonly queue: string | null;
  readonly shared: string | null;
}

interface Around {
  readonly words: readonly string[];
  readonly io: Io;
  /** the module from the command line */
  readonly code: Pick<Host, 'environment'>;
}

/** Errors: those of `evaluateEnvironment` and `withWorkers`; `usage`, `cannot-create`. */
export async function evaluateInEnvironment(
  values: EnvironmentValues,
  { words, io, code }: Around,
): Promise<number> {
  const { layout, json, quiet } = values;
  // a module's path comes from the command line
  const env = namesModule(values.env) ? values.env : environmentId(values.env);
  const named = String(values['ckpt']);
  const { given } = layered<EvaluationConfig>(evalSettings, { values, words, env: io.env });
  const { world } = evaluationConfig({ ckpt: named, ...(given.world && { world: given.world }) });
  const asked = {
    env,
    ckpt: named === 'untouched' ? named : runNamed(named, { env: values.env }),
    policy: typeof values['model'] === 'string' ? values['model'] : null,
    episodes: given.numGames ?? null,
    attempts: values.attempts ?? 1,
    temperature: values.temperature ?? 0,
    seed: values.seed ?? 0,
    blankFrames: values['observe'] === 'text',
    ...(values['max-steps'] !== undefined && { maxSteps: values['max-steps'] }),
    ...(world.kind !== 'own' && { world }),
  };
  const { world: _world, ...what } = asked;
  const usual = layout === null ? ownFolder(what, io) : 'runs';
  const out = values['out'] === undefined ? usual : (values['out'] as string | null);
  refuse({ ...values, env, out }, world.kind !== 'own' || isPlayedElsewhere(env));
  const gif = values.gif ?? (layout === null ? null : 'all');
  const isWaiting = values.queue !== null || world.kind !== 'own';
  const signal = isWaiting ? io.catchInterruption('and taking back waiting jobs') : undefined;
  const host = { ...hostOf(io, signal, { quiet, verbose: values.verbose }), ...code };
  const kept = { ...asked, layout, note: values.note, gif, out: out! };
  const keeping = out === null ? undefined : keepingOf(kept, io, host.listener?.note);
  const evaluated = await withWorkers({ values, io, settings: { signal } }, (workers) =>
    evaluateEnvironment(asked, { ...host, workers }, keeping),
  );
  const said = json ? io.stderr : io.stdout;
  say(io.stdout, json ? JSON.stringify(withPublishedNames(evaluated.result)) : textOf(evaluated));
  if (!quiet) say(said, `time: ${durations(evaluated.spent)}`);
  const { folder } = evaluated;
  if (folder === null) return 0;
  const isSilent = json && quiet;
  writeReport(folder, { ...io, stdout: said, isQuiet: isSilent });
  if (gif !== null && !isSilent) say(said, `films: ${join(folder, layout === null ? 'gifs' : 'rollouts')}`);
  return 0;
}

/** Before anything opens or is created. Errors: `usage`, `cannot-create`. */
function refuse(
  {
    env,
    gif,
    layout,
    note,
    out,
    queue,
  }: Pick<EnvironmentValues, 'env' | 'gif' | 'layout' | 'note' | 'queue'> & { readonly out: string | null },
  isAtClient: boolean,
): void {
  const shows = layout ? '--layout' : gif !== null ? '--gif' : null;
  const isQueued = queue !== null && queue !== 'local';
  const wrong = [
    [layout === null && note !== null, '--note: belongs to --layout published, which was not given'],
    [
      shows && out === null,
      `${shows}: is written into the folder of an evaluation; give --out FOLDER, or leave it out`,
    ],
    [
      shows && isAtClient,
      `${shows}: is for environments on this machine, but a client plays ${env}; leave it out`,
    ],
    [
      isQueued && isAtClient,
      `--queue: workers play environments on their machines, got --env ${env}, which a client plays; leave it out`,
    ],
    [
      shows && isQueued,
      `--queue: workers show no steps; leave it out, or leave out ${shows}, which keeps steps`,
    ],
    [
      shows && isWorded(env),
      `${shows}: is for environments of numbered actions, but actions of ${env} are words; leave it out`,
    ],
  ] as const;
  for (const [isWrong, sentence] of wrong) if (isWrong) throw new EmacError('usage', sentence);
  if (out !== null && isThere(out) && !isFolder(out))
    throw new EmacError('cannot-create', `--out ${out}: is a file; give the name of a folder`);
}

interface Kept {
  readonly env: string;
  readonly ckpt: string;
  readonly policy: string | null;
  readonly temperature: number;
  readonly seed: number;
  readonly layout: 'published' | null;
  readonly note: string | null;
  readonly gif: Filmed | null;
  readonly out: string;
}

/** Written into an evaluation's folder beside its result. */
function keepingOf(
  { env, ckpt, policy, temperature, seed, note, gif, layout, out }: Kept,
  io: Io,
  tell: ((line: string) => void) | undefined,
): Keeping {
  const kept = { with: JSON.stringify({ layout, gif }) };
  const begun = (folder: string) => noteCommand(folder, io, tell);
  if (layout === null)
    return {
      ...kept,
      out: () => out,
      begin(folder, isFresh) {
        begun(folder);
        return gif === null ? null : filmingWatcher(folder, gif, { goesOn: !isFresh });
      },
    };
  const model = ckpt === 'untouched' ? (policy ?? defaultPolicyOf(env)) : ckpt;
  const naming = { env, model, temperature, seed, note };
  return {
    ...kept,
    out: publishedFolder(out, naming, new Date(io.now())),
    begin(folder, isFresh) {
      begun(folder);
      const placeOf = (episode: number, isWon: boolean) => rolloutPath(env, episode, isWon);
      const records = rolloutRecords(folder, env);
      return gif === null
        ? records
        : together(records, filmingWatcher(folder, gif, { placeOf, goesOn: !isFresh }));
    },
    end: (folder, result) =>
      writeFileAtomic(join(folder, `${basename(folder, '.part')}.txt`), publishedLog(result)),
  };
}

/** Calls `first` before `second`, because `second` may step the environment. */
function together(
  first: EpisodeWatcher<StepAction>,
  second: EpisodeWatcher<StepAction>,
): EpisodeWatcher<StepAction> {
  return {
    begun: (...begun) => [first, second].forEach((each) => each.begun(...begun)),
    stepped: (...stepped) => [first, second].forEach((each) => each.stepped(...stepped)),
    ended: (...ended) => [first, second].forEach((each) => each.ended(...ended)),
  };
}

function textOf({ result, config: { env, evaluation } }: EvaluatedEnvironment): string {
  const at = isPlayedElsewhere(env) && !isDescribedElsewhere(env) ? ' at a client' : '';
  const how = evaluation.temperature === 0 ? 'greedy' : `temperature ${evaluation.temperature}`;
  return `${evaluationText(result)}\n${counted(result.tasks!, 'held-out task')} of ${env}${at}, ${how}; success = ${successOf(env)}`;
}
