/**
 * A policy behind a vLLM-like server that replaces its adapter while running. Each version has a name of its own, and
 * every answer must carry it. Written from vLLM's documentation and sources, never run against a vLLM.
 */
import { EmacError } from '@emac/core';
import { checkedReply, openConnection, type ConnectionOptions } from '../wire/connection.ts';
import {
  answerIn,
  chatBody,
  completionSchema,
  modelsSchema,
  type InferenceAnswer,
  type InferenceQuestion,
} from './chat-messages.ts';
import { refusalBy } from './refusals.ts';

/** A version of an adapter. */
export interface ServedVersion {
  /** unique to this content */
  readonly name: string;
  /** whole PEFT folder, by its path on the server */
  readonly folder: string;
}

export interface InferenceServer {
  /** Loads a version unless present, and waits until the server lists it. Errors: `unavailable`, `auth`. */
  load(version: ServedVersion): Promise<void>;
  /** Names of the loaded versions. Errors: as `load`. */
  names(): Promise<readonly string[]>;
  /** Errors: as `load`. */
  unload(name: string): Promise<void>;
  /** An answer of the version with that name. Errors: as `load`; also if another version answered. */
  ask(name: string, question: InferenceQuestion): Promise<InferenceAnswer>;
}

export interface InferenceOptions extends Omit<ConnectionOptions, 'refusal'> {
  /** how often the list is checked for a loaded version, 0.25 s apart; default 40 */
  readonly listings?: number;
}

/** Connects to the server at an address, with or without `/v1` at its end. Errors: `usage` for an invalid address. */
export function connectInference(url: string, options: InferenceOptions): InferenceServer {
  const address = addressIn(url);
  const { listings = 40, ...connecting } = options;
  const connection = openConnection(address, { ...connecting, refusal: refusalBy });
  const models = `${address}/v1/models`;

  const names = async (): Promise<readonly string[]> => {
    const found = await connection.get('/v1/models', (reply) => checkedReply(modelsSchema, reply, models));
    if (found === null)
      throw new EmacError(
        'unavailable',
        `${models}: does not exist; --inference must be the address of a server of vLLM's kind, such as http://127.0.0.1:8000`,
      );
    return found.data.map(({ id }) => id);
  };
  const requireListed = async (name: string): Promise<void> => {
    for (let left = listings; left > 0; left--) {
      if ((await names()).includes(name)) return;
      await connection.pause(250);
    }
    throw new EmacError(
      'unavailable',
      `${models}: does not list the loaded adapter ${name}; look at the log of the server`,
    );
  };
  return {
    names,
    load: async ({ name, folder }) => {
      if ((await names()).includes(name)) return;
      try {
        await connection.tell('/v1/load_lora_adapter', { lora_name: name, lora_path: folder });
      } catch (thrown) {
        // after a lost answer, the server refuses a second load
        if (!(thrown instanceof EmacError) || !(await names()).includes(name)) throw thrown;
      }
      await requireListed(name);
    },
    unload: (name) => connection.tell('/v1/unload_lora_adapter', { lora_name: name }),
    ask: async (name, question) => {
      const place = `${address}/v1/chat/completions`;
      const read = (reply: unknown) => checkedReply(completionSchema, reply, place);
      const { value } = await connection.post('/v1/chat/completions', chatBody(name, question), read);
      if (value.model === name) return answerIn(value);
      throw new EmacError(
        'unavailable',
        `${place}: ${name} was asked, but ${value.model} answered; the answer is discarded`,
      );
    },
  };
}

function addressIn(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isPlain = parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.search === '';
  if (isPlain && parsed.username === '' && parsed.password === '') return url.replace(/(?:\/v1)?\/*$/, '');
  throw new EmacError(
    'usage',
    `--inference: must be an http address without user, password or query, such as http://127.0.0.1:8000, got ${shown(parsed, url)}; give the key in VLLM_API_KEY`,
  );
}

/** The part before the host or after the path may be secret. */
function shown(parsed: URL | null, url: string): string {
  const isSecret = parsed !== null && (parsed.username + parsed.password !== '' || parsed.search !== '');
  return isSecret ? `an address of ${parsed.host} with more in it` : JSON.stringify(url);
}
