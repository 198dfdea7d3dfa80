/** Whole episodes on workers: attempts that are answered together form a job, and each comes back recorded. */
import type { Asking } from '@emac/algorithms';
import type { Observation, OpenedKind, Task } from '@emac/core';
import { groupsOf, type Attempt, type Elsewhere, type Rollout } from '@emac/rollout';
import { episodesIn } from '../jobs/result-forms.ts';
import type { WorkedRun } from '../jobs/worked-run.ts';
import { carried } from '../plan/carried.ts';
import { storeVersion, type PolicyVersion } from '../plan/policy-version.ts';
import { rulesOf, type PlayRules } from '../plan/rollout-plan.ts';
import { shareGame, type GameFile, type SharedGame } from '../plan/shared-game.ts';

/** What a player of attempts is asked; the result is their `RecordedEpisode`s. */
export interface SentAttempts {
  readonly rules: PlayRules;
  /** attempts per batch; affects the last bits */
  readonly parallel: number;
  readonly attempts: readonly SentAttempt[];
}

/** An attempt in the form sent to workers. */
export interface SentAttempt extends Omit<Attempt, 'random'> {
  /** seed and names of its generator */
  readonly random: string;
  /** null outside ALFWorld: the plan names the environment, and the task id is enough */
  readonly game: SharedGame | null;
  /** of a question that the trainer asks and rewards; absent: workers have the environment */
  readonly first?: Observation;
}

export interface PlayedAttempts {
  /** of the run: training, an evaluation */
  readonly part: string;
  /** of reinforcement learning, from 0 */
  readonly update?: number;
  /** further attempts of the same update number from 1; default 0 */
  readonly draw?: number;
  /** called when attempts begin */
  readonly version: () => PolicyVersion;
  /** the game of a task; null for tasks outside ALFWorld */
  readonly gameOf: (task: Task) => GameFile | null;
  /** attempts per job; null: all; default 1 */
  readonly together?: number | null;
  /** workers label what they play; default true. False: the trainer asks for labels */
  readonly labels?: boolean;
  /** episodes come in the order of the attempts; default: as they are played */
  readonly inTurn?: boolean;
  /** episodes are questions answered once, which are asked and rewarded here; default false */
  readonly isAskedHere?: boolean;
  readonly asking?: Asking;
}

/** Lets workers play attempts of a run. Errors while playing: those of `WorkedRun.results` and of the folder. */
export function attemptsElsewhere({ folder, results }: WorkedRun, of: PlayedAttempts): Elsewhere {
  const { part, update, draw = 0, version, gameOf, together = 1, labels = true, asking } = of;
  return {
    labels,
    async *play(setup, attempts) {
      const { signal, parallel } = setup;
      const shared = new Map<string, SharedGame | null>();
      const sharedOf = (task: Task): SharedGame | null => {
        const game = gameOf(task);
        if (!shared.has(task.id)) shared.set(task.id, game && shareGame(folder, game));
        return shared.get(task.id)!;
      };
      const questions = of.isAskedHere ? await questionsOf(setup, attempts) : new Map<string, never>();
      const groups = groupsOf(attempts.length, together);
      const jobs = groups.map(({ first, end }) => {
        const some = attempts.slice(first, end).map((attempt) => {
          const question = questions.get(attempt.task.id);
          return { ...sentOf(attempt, labels, sharedOf), ...(question && { first: question }) };
        });
        const input: SentAttempts = {
          rules: rulesOf(setup, labels),
          parallel: Math.min(parallel, some.length),
          attempts: some,
        };
        return { task: some[0]!.task.id, seed: some[0]!.number, shard: draw, input };
      });
      const asTheyCome = of.inTurn !== true && update === undefined;
      const asked = { part, update, version: storeVersion(folder, version()), jobs, asTheyCome };
      const { maxSteps } = setup;
      const played = results({ verb: 'play', ...asked, signal, asking }, async (result, place) => {
        const { first, end } = groups[place]!;
        return episodesIn(await carried<unknown>(folder, result), { count: end - first, maxSteps });
      });
      for await (const [place, episodes] of played)
        for (const [within, episode] of episodes.entries())
          yield [groups[place]!.first + within, episode] as const;
    },
  };
}

/** The first observation of every task, by its id. */
async function questionsOf(
  { environment }: Pick<Rollout, 'environment'>,
  attempts: readonly Attempt[],
): Promise<ReadonlyMap<string, Observation>> {
  const firsts = new Map(attempts.map((attempt) => [attempt.task.id, attempt]));
  const sent = [...firsts.values()].map(async ({ task, seed = '' }) => {
    return [task.id, (await environment.begin(task, seed)).first] as const;
  });
  return new Map(await Promise.all(sent));
}

/** Without labels made here if workers do not label: no episode depends on them. */
function sentOf(
  { random, made, ...attempt }: Attempt,
  labels: boolean,
  gameOf: (task: Task) => SharedGame | null,
): SentAttempt {
  const sent = labels ? made : made.map((step) => ({ ...step, label: null }));
  return { ...attempt, made: sent, random: random.path, game: gameOf(attempt.task) };
}

/** The games of an environment by task; null for tasks that are no games of files. */
export function gamesOf({ fileOf }: Pick<OpenedKind, 'fileOf'>): (task: Task) => GameFile | null {
  return (task) => {
    const path = fileOf?.(task);
    return fileOf ? { id: task.id, ...(path !== undefined && { path }) } : null;
  };
}
