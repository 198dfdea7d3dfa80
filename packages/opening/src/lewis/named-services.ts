/** Default players: the services at SPEAKER_URL and LISTENER_URL. */
import { EmacError } from '@emac/core';
import { untrained, type LewisRole } from '@emac/settings';
import type { Host } from '../host.ts';
import { isAddress } from './remote-agents.ts';

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
