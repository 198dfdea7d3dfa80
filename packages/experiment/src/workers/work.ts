/** A worker: plays the episodes of whatever run puts them, until it is told to stop; then it ends the one at hand. */
import { runWorker, type Handler, type Json, type WorkerIdentity, type WorkerSummary } from '@emac/queue';
import type { Host } from '../host.ts';
import { carried } from './carried.ts';
import type { RolloutInput, SentAttempt } from './elsewhere.ts';
import { storeEpisode } from './episode-file.ts';
import { gradientWork } from './open-gradients.ts';
import { openPlay, type OpenPlay } from './open-play.ts';
import { workerVersions } from './worker-versions.ts';
import type { Workers } from './workers.ts';

export interface WorkOptions extends Workers {
  readonly identity: Omit<WorkerIdentity, 'versions'>;
  readonly host: Pick<Host, 'env' | 'now' | 'signal'>;
  /** where this machine has the model; default where the run says */
  readonly model?: string | null | undefined;
  /** hears of every job that it has done, in words */
  readonly did?: ((job: string) => void) | undefined;
}

/** Works until the signal fires. Errors: those of `runWorker`; `config` where this machine cannot play what a run asks for. */
export async function work(options: WorkOptions): Promise<WorkerSummary> {
  const { queue, folder, identity, host, model = null, did } = options;
  let open: { readonly plan: string; readonly play: OpenPlay } | null = null;
  const playOf = async (plan: string): Promise<OpenPlay> => {
    if (open?.plan === plan) return open.play;
    const before = open;
    open = null;
    await before?.play.dispose();
    const play = await openPlay(plan, { folder, host, model });
    open = { plan, play };
    return play;
  };
  const gradients = gradientWork({ folder, host, model, did });
  const handler: Handler = async ({ name, input }, { signal, report }) => {
    const { plan, rules, attempt } = input as unknown as RolloutInput;
    const { play } = await playOf(plan);
    const sent = await carried<SentAttempt>(folder, attempt);
    const episode = await play(name.policy, sent, {
      rules,
      signal,
      report: (event) => {
        if (event.kind === 'step') report({ step: event.index + 1, of: rules.maxSteps });
      },
    });
    const result: Json = { episode: await storeEpisode(folder, episode) };
    did?.(`played ${name.run} ${name.task}`);
    return result;
  };
  try {
    return await runWorker({
      queue,
      handlers: { rollout: handler, gradient: gradients.handler },
      identity: { ...identity, versions: workerVersions() },
      signal: host.signal,
    });
  } finally {
    await gradients.dispose();
    await (open as { readonly play: OpenPlay } | null)?.play.dispose();
  }
}
