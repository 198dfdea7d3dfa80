/** Kinds that remote clients play over HTTP. */
import { EmacError, type EnvironmentKind } from '@emac/core';
import { remotePrefix } from '@emac/settings';

/** LIBERO's suites of ten tasks, and the one of ninety: a robot's table. */
export const liberoKind: EnvironmentKind = {
  name: 'libero',
  about: "LIBERO's robot arm over a table, played by a client (--world http)",
  ids: ['libero_spatial', 'libero_object', 'libero_goal', 'libero_10', 'libero_90'],
  policy: 'vla-tiny',
  isElsewhere: true,
  robot: { suiteOf: (id) => id.split('/')[0]! },
  /** A suite, alone or with `/<task>`. */
  idOf: (name) => (/^libero_((spatial|object|goal|10)(\/\d)?|90(\/[1-8]?\d)?)$/.test(name) ? name : null),
  open: (id) => Promise.reject(playedElsewhere(id)),
};

/** Environments that a client describes: `remote/CartPole-v1`. */
export const remoteEnvironments: EnvironmentKind = {
  name: 'remote',
  about: 'any environment that a client describes, such as one of Gymnasium (--world http)',
  ids: [`${remotePrefix}CartPole-v1`],
  policy: 'mlp',
  isElsewhere: true,
  idOf: (name) => (/^remote\/[^\p{C}\p{Z}]{1,500}$/u.test(name) ? name : null),
  open: (id) => Promise.reject(playedElsewhere(id)),
};

/** The error for playing an environment that does not run here. */
export function playedElsewhere(id: string): EmacError {
  const remedy = id.startsWith(remotePrefix)
    ? 'give --world http, to a command that has it'
    : 'use emac eval --world http';
  return new EmacError('usage', `${id}: is played by a client only; ${remedy}`);
}
