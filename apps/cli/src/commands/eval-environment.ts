/** `emac eval --env ID`: what a policy reaches in an environment that is stepped by number, on seeds that training never has. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  environmentId,
  evaluateEnvironment,
  evaluateRemoteRobot,
  isRemoteRobotId,
  type EvaluatedEnvironment,
  type Host,
  type PpoEvaluation,
  type WorldConfig,
} from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';
import { runNamed } from '../options/run-name.ts';
import { noteCommand } from '../run-notes/write-notes.ts';
import { counted, durations } from '../terminal/amounts.ts';
import { filmingWatcher } from '../terminal/episode-films.ts';
import { stepsText, successText } from '../terminal/evaluation-report.ts';
import type { Filmed } from '../terminal/films.ts';
import { hostOf } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { writeReport } from '../terminal/write-report.ts';

export interface EnvironmentValues {
  readonly env: string;
  readonly ckpt: string;
  readonly policy: string | null;
  readonly episodes: number;
  readonly temperature: number;
  readonly seed: number;
  /** pictures are blank, which tells whether a policy looks at them */
  readonly blankFrames: boolean;
  readonly gif: Filmed | null;
  /** null for none */
  readonly out: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Errors: those of `evaluateEnvironment`; `usage`, `cannot-create`. */
export async function evaluateInEnvironment(values: EnvironmentValues, io: Io): Promise<number> {
  const { gif, out, quiet } = values;
  if (gif !== null && out === null)
    throw new EmacError('usage', '--gif: films are put into the folder of an evaluation; give --out FOLDER');
  const env = environmentId(values.env);
  const ckpt = values.ckpt === 'untouched' ? values.ckpt : runNamed(values.ckpt);
  const watch = gif === null ? undefined : filmingWatcher(out!, gif);
  const host = hostOf(io, undefined, { quiet });
  const evaluated = await evaluateEnvironment({ ...values, env, ckpt }, host, watch);
  return tell(evaluated, { values, host, io });
}

export interface ElsewhereValues extends Omit<EnvironmentValues, 'episodes'> {
  /** null for all that clients offer */
  readonly episodes: number | null;
  readonly world: WorldConfig;
}

/** In a robot's environment that a client plays. Errors: those of `evaluateRemoteRobot`; `usage`, `cannot-create`. */
export async function evaluateElsewhere(values: ElsewhereValues, io: Io): Promise<number> {
  const { env, gif, world, quiet } = values;
  if (world.kind !== 'http')
    throw new EmacError('usage', `--env ${env}: is played by a client elsewhere; give --world http`);
  if (gif !== null)
    throw new EmacError('usage', `--gif: films what runs here, got --env ${env}; leave it out`);
  const ckpt = values.ckpt === 'untouched' ? values.ckpt : runNamed(values.ckpt);
  const host = hostOf(io, io.catchInterruption(), { quiet });
  const evaluated = await evaluateRemoteRobot({ ...values, ckpt }, host);
  return tell(evaluated, { values, host, io });
}

interface Telling {
  readonly values: Pick<EnvironmentValues, 'gif' | 'out' | 'json' | 'quiet'>;
  readonly host: Host;
  readonly io: Io;
}

function tell(evaluated: EvaluatedEnvironment, { values, host, io }: Telling): number {
  const { gif, out, json, quiet } = values;
  if (out !== null) createFolder(out);
  const said = json ? io.stderr : io.stdout;
  say(io.stdout, json ? JSON.stringify(withPublishedNames(evaluated.result)) : textOf(evaluated));
  if (!quiet) say(said, `time: ${durations(evaluated.spent)}`);
  if (out === null) return 0;
  noteCommand(out, io, host.listener?.note);
  writeFileAtomic(
    join(out, layout.evaluation),
    `${JSON.stringify(withPublishedNames(evaluated.result), null, 2)}\n`,
  );
  writeReport(out, { ...io, stdout: said, isQuiet: json && quiet });
  if (gif !== null && !(json && quiet)) say(said, `films: ${join(out, 'gifs')}`);
  return 0;
}

function textOf({ result, config }: EvaluatedEnvironment): string {
  const { env, policy, evaluation } = config;
  const fallbacks = result.games.reduce((sum, each) => sum + each.fallbacks, 0);
  const steps = result.games.reduce((sum, { steps }) => sum + steps, 0);
  const rows = [
    ['success', successText(result)],
    ['mean return', `${result.mean_return.toFixed(4)} ± ${result.standard_error.toFixed(4)}`],
    ['mean steps', stepsText(result)],
    ['fallback actions', `${((100 * fallbacks) / steps).toFixed(1)} %`],
  ];
  const how =
    evaluation.temperature === 0 ? 'the likeliest answers' : `temperature ${evaluation.temperature}`;
  const which = isRemoteRobotId(env) ? ' at a client' : ' whose seeds training never has';
  const lost = result.lost ? `, ${result.lost.length} of them lost and not counted` : '';
  return `${table([env, policy], rows)}\n${counted(evaluation.episodes, 'episode')}${which}${lost}, ${how}; success is a return above 0`;
}

/** Beside ours, the keys under which RL4VLM's code logs the same. */
function withPublishedNames(result: PpoEvaluation): object {
  const returns = result.games.map((game) => game.return).sort((a, b) => a - b);
  const middle = (returns.length - 1) / 2;
  return {
    ...result,
    'episode_reward.mean': result.mean_return,
    'episode_reward.median': (returns[Math.floor(middle)]! + returns[Math.ceil(middle)]!) / 2,
    'episode_reward.min': returns[0],
    'episode_reward.max': returns.at(-1),
    'episode_success_rate.mean': result.success,
  };
}
