/** Routes of an OpenEnv server over HTTP, beside its sessions. */
import { answerLimits, cappedAnswer, EmacError, isWithinLevels, messageOf } from '@emac/core';
import type { AskRoute } from './remote-tasks.ts';

/** A route that is absent answers null; one whose answer cannot be read whole is no absent one. */
export function routesOf(
  http: string,
  { token, answerMs }: { readonly token: string | null; readonly answerMs: number },
): AskRoute {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return async (path, body) => {
    const response = await fetch(`${http}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMs),
    }).catch(() => null);
    if (!response?.ok) return null;
    const text = await cappedAnswer(response)
      .text()
      .catch((thrown: unknown) => unread(http + path, messageOf(thrown)));
    const answer = jsonOrNull(text);
    return isWithinLevels(answer)
      ? answer
      : unread(http + path, `the answer has more than ${answerLimits.levels} levels`);
  };
}

function unread(address: string, reason: string): never {
  throw new EmacError('data', `${address}: cannot be read: ${reason}; look at the server`);
}

/** A server may answer pages where it has no route. */
function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
