/** Opens a session by names: an environment, and policies as `--ckpt` and `--policy` take them. */
import { openedBy, openKind, plainHost, type Host } from '@emac/opening';
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
export function openGame(
  { env, policy, before = null, names = {}, maxSteps = null, given }: GameAsked,
  host: Host = plainHost(),
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
      { ...place, env: env ?? place.env, maxSteps: maxSteps ?? acting?.player.maxSteps ?? null },
      host.environment ?? null,
    );
    open.add(() => kind.close?.());
    const other: SessionPlayer | null =
      before === null ? null : await opened(before, env ?? place.env, names.before);
    const session = await openSession({ kind, policy: acting, before: other, ...(given && { given }) });
    return { env: kind.id, place: session, dispose: () => open.close() };
  });
}
