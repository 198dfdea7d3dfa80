/**
 * The name of an environment that another program serves: `openenv:ws://host:port`, and after `#` how its fields are read:
 * `action=message&text=observation.text`.
 */
import { EmacError } from '@emac/core';

const prefix = 'openenv:';

/** Given after the `#`; null where the rules of `fields.ts` choose. */
export interface Mapping {
  /** field of an action that holds the policy's text; `.`: the text is the whole action, in JSON */
  readonly action: string | null;
  /** places of the text in an answer's data, such as `observation.text`; several are joined by line breaks */
  readonly text: readonly string[] | null;
  /** place of the picture */
  readonly picture: string | null;
  /** place of the list of actions that are accepted now */
  readonly actions: string | null;
  /** place of true for an episode that has reached its goal */
  readonly won: string | null;
}

export interface OpenEnvAddress {
  /** as typed */
  readonly name: string;
  /** of the WebSocket */
  readonly socket: string;
  /** of the routes over HTTP, without a slash at its end */
  readonly http: string;
  readonly mapping: Mapping;
  /** further fields of every reset, from `reset.NAME=VALUE` */
  readonly reset: Readonly<Record<string, unknown>>;
  /** sessions that are opened at first */
  readonly sessions: number;
}

const keys = ['action', 'text', 'picture', 'actions', 'won', 'sessions'];

/** as many episodes as usually run at once */
const usualSessions = 8;

/** Errors: `usage` for what is no address, or an unknown word after the `#`. */
export function openEnvAddress(name: string): OpenEnvAddress {
  const url = urlIn(name);
  const given = new URLSearchParams(url.hash.slice(1));
  const reset: Record<string, unknown> = {};
  for (const [key, value] of given) {
    const [, field] = /^reset\.(\w+)$/.exec(key) ?? [];
    if (field !== undefined) reset[field] = valueOf(value);
    else if (!keys.includes(key))
      throw refusal(name, `after # it takes ${keys.join(', ')} and reset.NAME, got ${key}`);
  }
  const path = url.pathname.replace(/\/(?:ws)?$/, '');
  const isSafe = /^(wss|https):$/.test(url.protocol);
  const text = given.get('text');
  return {
    name,
    socket: `${isSafe ? 'wss' : 'ws'}://${url.host}${path}/ws`,
    http: `${isSafe ? 'https' : 'http'}://${url.host}${path}`,
    mapping: {
      action: given.get('action'),
      text: text === null ? null : text.split(','),
      picture: given.get('picture'),
      actions: given.get('actions'),
      won: given.get('won'),
    },
    reset,
    sessions: sessionsIn(name, given.get('sessions')),
  };
}

function urlIn(name: string): URL {
  const text = name.slice(prefix.length);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^(wss?|https?):$/.test(url.protocol) || url.host === '')
    throw refusal(name, `must be ${prefix} and an address, such as ${prefix}ws://127.0.0.1:8000`);
  // runs keep the name of their environment
  if (url.username !== '' || url.password !== '')
    throw refusal(
      name.replace(/\/\/[^@]*@/, '//'),
      'must not hold a password; name a file with a token in EMAC_TOKEN_FILE',
    );
  return url;
}

function sessionsIn(name: string, given: string | null): number {
  const count = given === null ? usualSessions : Number(given);
  if (Number.isSafeInteger(count) && count >= 1 && count <= 1024) return count;
  throw refusal(name, `sessions must be a whole number from 1 to 1024, got ${given}`);
}

/** JSON, or the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refusal(name: string, rule: string): EmacError {
  return new EmacError('usage', `--env ${name}: ${rule}`);
}
