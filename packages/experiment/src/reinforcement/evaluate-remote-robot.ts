/**
 * Evaluates a vision-language-action model on starts of a robot played by a remote client, such as LIBERO, for
 * programs.
 */
import { basename } from 'node:path';
import { EmacError, Random } from '@emac/core';
import {
  connectedTo,
  drawGames,
  keepingWorlds,
  openPpoPolicy,
  plainHost,
  remoteList,
  timesOf,
  warn,
  withBlankFrames,
  worldsOf,
  type Host,
  type PpoPolicy,
} from '@emac/opening';
import { evaluationResult, type EvaluationResult, type EvaluationSubject } from '@emac/rollout';
import { smallNetworkOf, type WorldConfig } from '@emac/settings';
import {
  configOf,
  subjectOf,
  type EnvironmentEvaluation,
  type EvaluatedEnvironment,
} from './evaluate-environment.ts';
import { evaluatedFormOf } from './evaluated-form.ts';
import { openKeptEvaluation, type Keeping } from './kept-evaluation.ts';
import { samplingOf, type PpoEvaluation } from './ppo-evaluation.ts';
import { scoreRemote, type RemoteScore, type RemoteScores } from './remote-episodes.ts';

export interface RemoteRobotEvaluation extends Omit<EnvironmentEvaluation, 'episodes'> {
  /** null for all starts that clients offer; fewer are taken from the tasks in turn */
  readonly episodes: number | null;
  readonly world: WorldConfig;
}

/**
 * A kept evaluation resumes with the same starts; lost episodes are played again. Errors: `missing`; `data` for another
 * kind of checkpoint; `usage` for a policy of words, and for starts no client has; those of opening a port;
 * `cannot-create`; `unavailable` if every episode was lost; `interrupted`.
 */
export function evaluateRemoteRobot(
  asked: RemoteRobotEvaluation,
  host: Host = plainHost(),
  keeping?: Keeping,
): Promise<EvaluatedEnvironment> {
  return keepingWorlds(host, (kept) => evaluated(asked, kept, keeping ?? null));
}

async function evaluated(
  asked: RemoteRobotEvaluation,
  host: Host,
  keeping: Keeping | null,
): Promise<EvaluatedEnvironment> {
  const times = timesOf(host.now);
  const { world: where, ...robot } = asked;
  const { ckpt, seed, env } = robot;
  const stored = ckpt === 'untouched' ? null : evaluatedFormOf(ckpt, asked.policy ?? null);
  const config = configOf({ ...robot, episodes: robot.episodes ?? 0 }, stored);
  if (smallNetworkOf(config))
    throw new EmacError(
      'usage',
      `--policy ${config.policy}: answers no numbers, but ${env} needs them; give a model`,
    );
  const random = Random.fromSeed(seed);
  const start = { random: random.stream('start'), from: stored && ckpt };
  const policy = await times.part('opening', () => openPpoPolicy(config, start, host));
  const closing: (() => unknown)[] = [() => policy.dispose()];
  try {
    const world = await worldsOf(host).open(where, host);
    const tasks = await times.part('waiting', async () =>
      chosen(asked, await connectedTo(world, host), host),
    );
    const kept =
      keeping &&
      openKeptEvaluation<RemoteScore>(keeping, subjectOf(asked, { config, policy, keeping, tasks }));
    if (kept) closing.unshift(() => kept.close());
    const done = kept?.known.size ?? 0;
    host.listener?.begin?.('evaluation', tasks.length, { done, noun: 'episode' });
    const { signal } = host;
    const scores = await times.part('evaluation', () =>
      scoreRemote({
        environment: world.environment({ tasks, count: 0, pictures: true, ...(signal && { signal }) }),
        tasks,
        policy: policy.actorCritic,
        texts: textsOf(asked, policy),
        sampling: samplingOf(config.evaluation),
        random: random.stream('evaluation'),
        atOnce: Math.min(policy.evaluatedAtOnce, world.seats()),
        ...(kept && { known: kept.known }),
        ended: (number, score) => {
          if ('task' in score) kept?.ended(number, score);
          host.listener?.advance?.();
        },
        ...(signal && { signal }),
      }),
    );
    host.listener?.end?.();
    for (const { id, fault } of scores.lost) warn(host.listener, `${id}: lost: ${fault}`);
    requirePlayed(env, scores);
    const result = resultOf(scores, {
      checkpoint: stored?.name ?? ckpt,
      env,
      policy: basename(config.policy),
      sampling: samplingOf(config.evaluation),
      seed,
    });
    const evaluation = { ...config.evaluation, episodes: tasks.length };
    kept?.finish(result);
    return { result, config: { ...config, evaluation }, folder: kept?.folder ?? null, spent: times.spent };
  } finally {
    for (const close of closing) await close();
  }
}

function textsOf({ blankFrames }: RemoteRobotEvaluation, { texts }: PpoPolicy) {
  return blankFrames ? withBlankFrames(texts) : texts;
}

/** Starts of the environment that clients have. */
function chosen(
  { env, episodes }: RemoteRobotEvaluation,
  connected: Awaited<ReturnType<typeof connectedTo>>,
  { listener }: Host,
) {
  if (connected.wire === 'published')
    throw new EmacError(
      'usage',
      `--env ${env}: needs a client of version 2, this one speaks the published wire`,
    );
  const offered = connected.games.filter(({ id }) => id.startsWith(`${env}/`));
  if (offered.length === 0 || (episodes ?? 0) > offered.length)
    throw new EmacError(
      'usage',
      `--env ${env}: needs ${episodes ?? 'one or more'} initial states, clients offer ${offered.length}; let them offer more, or ask for fewer`,
    );
  listener?.note?.(`${env}: ${episodes ?? offered.length} of ${offered.length} initial states`);
  const drawn = drawGames(remoteList(offered), episodes ?? offered.length, null);
  return drawn.map(({ id }) => offered.find((task) => task.id === id())!);
}

/** Errors: `unavailable` if every episode was lost, which says nothing about the policy. */
function requirePlayed(env: string, { episodes, lost }: RemoteScores): void {
  if (episodes.length > 0) return;
  throw new EmacError(
    'unavailable',
    `${env}: all ${lost.length} episodes failed in the client, the first with: ${lost[0]!.fault}; fix the client and try it with one initial state`,
  );
}

function resultOf(
  { episodes, lost }: RemoteScores,
  subject: EvaluationSubject & Pick<EvaluationResult, 'checkpoint'>,
): PpoEvaluation {
  const games = episodes.map(({ task: { id, type }, won, steps, return: sum }) => {
    return { id, type, won, steps, seen_in_training: false, return: sum, fallbacks: 0 };
  });
  return evaluationResult(games, { ...subject, lost }) as PpoEvaluation;
}
