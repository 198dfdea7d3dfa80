/** What settings are judged for: a method, an environment and a policy, with what is known of the environment by its name. */
import { lewisGame, smallNetworkOf, type Subject } from '@emac/settings';
import { isDescribedElsewhere, isWorded, kindNamed } from './kind-of.ts';

/** Errors: `usage` for an unknown environment. */
export function subjectOf(named: Pick<Subject, 'method' | 'env' | 'policy'>): Subject {
  const { env } = named;
  if (env === null) return { ...named, kind: null, actions: null };
  return { ...named, kind: kindNamed(env)?.name ?? null, actions: actionsOf(env, named.policy) };
}

function actionsOf(env: string, policy: string | null): Subject['actions'] {
  if (env === lewisGame || isWorded(env)) return 'words';
  const isNetwork = policy !== null && smallNetworkOf({ policy }) !== null;
  return isDescribedElsewhere(env) && !isNetwork ? 'words' : 'numbers';
}
