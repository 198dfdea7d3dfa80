/**
 * The journal of a language model's replies. Each is appended before it is used, so that a run that is killed and
 * resumed sees the replies again instead of asking (and paying) anew and getting others.
 */
import { createHash } from 'node:crypto';
import type { PicturedMessage } from './request.ts';
import type { ReplyEnd } from './response.ts';

/** One reply; holds no clock, key or address. */
export interface JournalEntry {
  readonly v: 1;
  /** SHA-256 (hex) of what was asked */
  readonly request: string;
  readonly model: string;
  readonly text: string;
  /** how the reply ended; absent for `stop` */
  readonly end?: Exclude<ReplyEnd, 'stop'>;
  /** as the server counted them, else estimated */
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** true where the server did not count */
  readonly estimated?: true;
}

export interface Journal {
  /** stores an entry durably before it returns */
  append(entry: JournalEntry): Promise<void> | void;
  /** the oldest entry for a request that is recorded and not used since the run was resumed; each at most once */
  take?(request: string): Promise<JournalEntry | null> | JournalEntry | null;
}

export interface JournaledRequest {
  readonly api: string;
  readonly model: string;
  readonly messages: readonly PicturedMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
}

/** SHA-256 (hex) of a request in a fixed order of fields. */
export function requestKey(request: JournaledRequest): string {
  const { api, model, messages, maxTokens, temperature, stop } = request;
  const said = messages.map(({ role, content, pictures = [] }) => [role, content, ...pictures]);
  return createHash('sha256')
    .update(JSON.stringify([1, api, model, said, maxTokens, temperature, stop]))
    .digest('hex');
}
