/** A worker: does the jobs of any run on the queue; when stopped, it finishes the current job. */
import type { Host, Workers } from '@emac/opening';
import { runWorker, type WorkerIdentity, type WorkerSummary } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { benchOf, type WorkOf } from './plan/bench.ts';
import type { Players } from './plan/players.ts';
import { answerGradientWork } from './working/answer-gradient-work.ts';
import { answerWork } from './working/answer-work.ts';
import { attemptsWork } from './working/attempts-work.ts';
import { episodesWork } from './working/episodes-work.ts';
import { gradientWork } from './working/gradient-work.ts';
import { playWork } from './working/play-work.ts';
import { scoreWork } from './working/score-work.ts';
import { stepGradientWork } from './working/step-gradient-work.ts';
import { stepWork } from './working/step-work.ts';

/** By kind of job. */
const kinds: Readonly<Record<string, WorkOf>> = {
  rollout: playWork,
  steps: stepWork,
  score: scoreWork,
  answers: answerWork,
  attempts: attemptsWork,
  episodes: episodesWork,
  gradient: gradientWork,
  'steps-gradient': stepGradientWork,
  'answers-gradient': answerGradientWork,
};

export interface WorkOptions extends Workers {
  readonly identity: Omit<WorkerIdentity, 'versions'>;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment'>;
  /** path of the model on this machine; default: the run's path */
  readonly model?: string | null | undefined;
  /** called for every finished job, with a description */
  readonly did?: ((job: string) => void) | undefined;
}

/**
 * Works until the signal fires; `players` open the methods' policies. Errors: those of `runWorker`; `config` if this
 * machine cannot meet a run's requirements.
 */
export async function workWith(players: Players, options: WorkOptions): Promise<WorkerSummary> {
  const { queue, folder, identity, host, model = null, did = () => {} } = options;
  const bench = benchOf({ folder, host, model, players, did });
  const handlers = Object.fromEntries(Object.entries(kinds).map(([kind, of]) => [kind, of(bench)]));
  try {
    return await runWorker({
      queue,
      handlers,
      identity: { ...identity, versions: programVersions() },
      signal: host.signal,
    });
  } finally {
    await bench.close();
  }
}
