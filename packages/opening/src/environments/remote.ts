/** Environments that a client describes and plays over HTTP: `remote/CartPole-v1`. */
import type { EnvironmentKind } from '@emac/core';
import { remotePrefix } from '@emac/settings';
import { playedElsewhere } from './libero.ts';

export const remoteEnvironments: EnvironmentKind = {
  name: 'remote',
  about: 'any environment that a client describes, such as one of Gymnasium (--world http)',
  ids: [`${remotePrefix}CartPole-v1`],
  policy: 'mlp',
  isElsewhere: true,
  idOf: (name) => (/^remote\/[^\p{C}\p{Z}]{1,500}$/u.test(name) ? name : null),
  open: (id) => Promise.reject(playedElsewhere(id)),
};
