/** Opens a session by names: an environment, and policies as `--ckpt` and `--policy` take them. */
import { EmacError } from '@emac/core';
import { openedBy, openKind, plainHost, policyNamed, type Host } from '@emac/opening';
import type { GamePlace } from '@emac/pages/data';
import { usualEnvironment } from '@emac/settings';
import { openPlayer } from '../player.ts';
import type { GivenRecords } from './given-records.ts';
import { openSession, type SessionPlayer } from './session.ts';

export interface GameAsked {
  /** null: the environment of the policy's training */
  readonly env: string | null;
  /** any name of `--policy`; null or `human`: the person plays alone */
  readonly policy: string | null;
  /** a second policy to compare with; default none */
  readonly before?: string | null;
  /** names for people; default as typed */
  readonly names?: { readonly policy?: string; readonly before?: string };
  /** null: as in the policy's training, else the environment's own */
  readonly maxSteps?: number | null;
  /** of a speaker or listener of the Lewis game, the other role; null or absent: see `openLewisPair` */
  readonly partner?: string | null;
  /** source of the held-out tasks, such as a folder of ALFWorld's games; null or absent: the environment's own */
  readonly games?: string | null;
  /** called after every label and pair */
  readonly given?: (records: GivenRecords) => void;
}

export interface OpenedGame {
  /** as an environment's id */
  readonly env: string;
  readonly place: GamePlace;
  dispose(): Promise<void>;
}

/** Errors: those of opening policies and environment. */
export async function openGame(asked: GameAsked, host: Host = plainHost()): Promise<OpenedGame> {
  return (await openLewis(asked, host)) ?? openAny(asked, host);
}

/** Null for another game than Lewis. */
async function openLewis(
  { env, policy, before = null, names = {}, partner = null, given }: GameAsked,
  host: Host,
): Promise<OpenedGame | null> {
  const isTrained = policy !== null && policyNamed(policy).kind === 'trained';
  if (!isTrained || (env !== null && env !== 'lewis')) return null;
  const { openLewisPair } = await import('./open-lewis-pair.ts');
  const opened = await openLewisPair({ policy, partner, name: names.policy ?? policy }, host);
  if (opened === null) return null;
  if (before === null && !given) return { env: 'lewis', ...opened };
  await opened.dispose();
  throw new EmacError('usage', 'the Lewis game: has no --before and keeps no --labels; leave them out');
}

function openAny(
  { env, policy, before = null, names = {}, maxSteps = null, games = null, given }: GameAsked,
  host: Host,
): Promise<OpenedGame> {
  return openedBy(async (open) => {
    const opened = async (name: string, at: string | null, shown = name) => {
      const player = await openPlayer(name, { env: at, maxSteps, inWords: true }, host);
      open.add(() => player.dispose());
      return { name: shown, player };
    };
    const acting = policy === null || policy === 'human' ? null : await opened(policy, env, names.policy);
    const place = acting?.player.place ?? { env: usualEnvironment, palette: null, frameSize: undefined };
    const kind = await openKind(
      {
        ...place,
        env: env ?? place.env,
        maxSteps: maxSteps ?? acting?.player.maxSteps ?? null,
        ...(games !== null && { heldOut: games }),
      },
      host.environment ?? null,
    );
    open.add(() => kind.close?.());
    const other: SessionPlayer | null =
      before === null ? null : await opened(before, env ?? place.env, names.before);
    const session = await openSession({ kind, policy: acting, before: other, ...(given && { given }) });
    return { env: kind.id, place: session, dispose: () => open.close() };
  });
}
