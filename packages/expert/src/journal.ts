/**
 * The journal of a language model's replies. Each is appended before use, so a killed and resumed run reads the replies
 * again instead of paying for new and different ones.
 */
import { createHash } from 'node:crypto';
import type { AskedTool, PicturedMessage } from './request.ts';
import type { ReplyEnd } from './response.ts';

/** One reply; contains no time, key or address. */
export interface JournalEntry {
  readonly v: 1;
  /** SHA-256 (hex) of the request */
  readonly request: string;
  readonly model: string;
  readonly text: string;
  /** how the reply ended; absent for `stop` */
  readonly end?: Exclude<ReplyEnd, 'stop'>;
  /** as counted by the server, else estimated */
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** true if the server did not count */
  readonly estimated?: true;
}

export interface Journal {
  /** stores an entry durably before it returns */
  append(entry: JournalEntry): Promise<void> | void;
  /** the oldest recorded entry for a request that is unused since the resume; each at most once */
  take?(request: string): Promise<JournalEntry | null> | JournalEntry | null;
}

export interface JournaledRequest {
  readonly api: string;
  readonly model: string;
  readonly messages: readonly PicturedMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
  readonly tool?: AskedTool | undefined;
}

/** SHA-256 (hex) of a request in a fixed order of fields. */
export function requestKey(request: JournaledRequest): string {
  const { api, model, messages, maxTokens, temperature, stop, tool } = request;
  const said = messages.map(({ role, content, pictures = [] }) => [role, content, ...pictures]);
  return createHash('sha256')
    .update(JSON.stringify([1, api, model, said, maxTokens, temperature, stop, ...(tool ? [tool] : [])]))
    .digest('hex');
}
