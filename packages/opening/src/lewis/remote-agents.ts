/**
 * A speaker or a listener at an address. Its answers are cached while its identity stays the same, journaled before
 * use, and never requested twice. If it does not answer, the run pauses: nothing is made up.
 */
import { scaledWithin } from '@emac/backbone';
import type { AnswerJournal, ConnectOptions, JournaledReply } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { LewisPlayer, Listener, Speaker } from '@emac/lewis';
import { untrained, type GrpoConfig, type LewisRole } from '@emac/settings';
import type { Host } from '../host.ts';

/** True for a name that is an address. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** The environment variable's address for a role, else the untrained model. Errors: `usage` for an invalid address. */
export function serviceNamed(role: LewisRole, env: Host['env']): string {
  const variable = role === 'speaker' ? 'SPEAKER_URL' : 'LISTENER_URL';
  const address = env[variable] || untrained;
  if (address === untrained || isAddress(address)) return address;
  throw new EmacError(
    'usage',
    `${variable}: must be the address of a service, such as http://127.0.0.1:9000, got ${JSON.stringify(address)}; unset it, or give --${role}`,
  );
}

/** A run's reply journal; it stores nothing until opened. */
export interface LateJournal extends AnswerJournal {
  /** `used`: entries before the run's checkpoint */
  open(journal: AnswerJournal, used: readonly Pick<JournaledReply, 'request' | 'model' | 'text'>[]): void;
}

export function lateJournal(): LateJournal {
  let journal: AnswerJournal | null = null;
  let before: ReadonlyMap<string, Pick<JournaledReply, 'model' | 'text'>> = new Map();
  return {
    open(opened, used) {
      journal = opened;
      before = new Map(used.map((entry) => [entry.request, entry]));
    },
    append: (entry) => journal?.append(entry),
    known: (request) => before.get(request) ?? null,
    take: async (request) => (await journal?.take?.(request)) ?? null,
  };
}

export interface RemoteAgent {
  readonly address: string;
  /** folder of the pictures; null for views of the built-in world, which are sent by name */
  readonly folder: string | null;
  /** pictures of a folder by their content or by their names below it */
  readonly send: GrpoConfig['send'];
  /** pixel limit of the model; null: the model's own */
  readonly maxPixels: number | null;
  readonly journal: AnswerJournal;
}

/** Its other settings are those of the environment (LISTENER_TIMEOUT …). Errors: `usage`. */
export async function remoteListener(
  agent: RemoteAgent,
  host: Pick<Host, 'env' | 'signal'>,
): Promise<Listener> {
  const { cachedPlayer, connectListener, journaledListener } = await import('@emac/bridge');
  const listener = connectListener(agent.address, await connection('LISTENER', agent, host));
  return paused('listener', agent.address, journaledListener(cachedPlayer(listener), agent.journal));
}

/** As `remoteListener`, by SPEAKER_TIMEOUT …. */
export async function remoteSpeaker(
  agent: RemoteAgent,
  host: Pick<Host, 'env' | 'signal'>,
): Promise<Speaker> {
  const { connectSpeaker, journaledSpeaker } = await import('@emac/bridge');
  const speaker = connectSpeaker(agent.address, await connection('SPEAKER', agent, host));
  return paused('speaker', agent.address, journaledSpeaker(speaker, agent.journal));
}

/** default pixel limit of Qwen2-VL, 28 · 28 · 1280; no published vision encoder sees as much */
const usuallySeen = 1_003_520;
/** at 3 bytes a pixel, its PNG fits the 8 MiB a service takes */
const largestSent = 2_700_000;

async function connection(
  prefix: 'LISTENER' | 'SPEAKER',
  { folder, send, maxPixels }: RemoteAgent,
  { env, signal }: Pick<Host, 'env' | 'signal'>,
): Promise<ConnectOptions> {
  const { clientSettings, openPictures } = await import('@emac/bridge');
  const whole = folder === null || send === 'paths' ? null : openPictures({ folder });
  const most = Math.min(maxPixels ?? usuallySeen, largestSent);
  const inline = whole && {
    ...whole,
    frame: async (name: string) => scaledWithin(await whole.frame(name), most),
  };
  return { ...clientSettings(env, prefix), inline, ...(signal && { signal }) };
}

/** The player, with `interrupted` in place of `unavailable`. */
function paused<T>(role: LewisRole, address: string, { identity, ask }: LewisPlayer<T>): LewisPlayer<T> {
  return {
    identity,
    ask: (questions) =>
      ask(questions).catch((thrown: unknown) => {
        if (!(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
        throw new EmacError(
          'interrupted',
          `--${role} ${address}: does not answer (${thrown.message}); start it, then resume`,
          { cause: thrown },
        );
      }),
  };
}
