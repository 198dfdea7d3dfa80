/**
 * A speaker or a listener at an address. What it answers is kept while it is the same, written into the run's journal before it is used, and asked again by
 * nobody once it is there. Where it does not answer the run is paused: nothing is made up.
 */
import {
  cachedListener,
  connectListener,
  connectSpeaker,
  journaledListener,
  journaledSpeaker,
  listenerSettings,
  openPictures,
  speakerSettings,
  type AnswerJournal,
} from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { Listener, Speaker } from '@emac/lewis';
import type { Host } from '../host.ts';

/** True for a name that is an address. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Where a run's replies are written; nothing is until it is opened. */
export interface LateJournal extends AnswerJournal {
  open(journal: AnswerJournal): void;
}

export function lateJournal(): LateJournal {
  let journal: AnswerJournal | null = null;
  return {
    open: (opened) => void (journal = opened),
    append: (entry) => journal?.append(entry),
    take: async (request) => (await journal?.take?.(request)) ?? null,
  };
}

export interface RemoteAgent {
  readonly address: string;
  /** the folder of pictures that are sent along; null sends their names */
  readonly folder: string | null;
  readonly journal: AnswerJournal;
}

/** Its other settings are those of the environment (LISTENER_TIMEOUT …). Errors: `usage`. */
export function remoteListener(
  { address, folder, journal }: RemoteAgent,
  host: Pick<Host, 'env' | 'signal'>,
): Listener {
  const listener = connectListener(address, connection(listenerSettings(host.env), folder, host));
  const { identity, score } = journaledListener(cachedListener(listener), journal);
  return { identity, score: (items) => orPaused('listener', address, () => score(items)) };
}

/** As `remoteListener`, by SPEAKER_TIMEOUT …. */
export function remoteSpeaker(
  { address, folder, journal }: RemoteAgent,
  host: Pick<Host, 'env' | 'signal'>,
): Speaker {
  const speaker = connectSpeaker(address, connection(speakerSettings(host.env), folder, host));
  const { identity, describe } = journaledSpeaker(speaker, journal);
  return { identity, describe: (items) => orPaused('speaker', address, () => describe(items)) };
}

function connection<Settings extends object>(
  settings: Settings,
  folder: string | null,
  { signal }: Pick<Host, 'signal'>,
) {
  const inline = folder === null ? null : openPictures({ folder });
  return { ...settings, inline, ...(signal && { signal }) };
}

async function orPaused<T>(role: string, address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
    throw new EmacError(
      'interrupted',
      `--${role} ${address}: does not answer (${thrown.message}); start it and go on`,
      {
        cause: thrown,
      },
    );
  }
}
