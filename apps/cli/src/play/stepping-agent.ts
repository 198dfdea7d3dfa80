/** The agent to watch in an environment: served at an address, or a run, checkpoint or model by name. */
import { connectPolicy } from '@emac/bridge';
import { inNumbers, openPlayer, type Player } from '@emac/experiment';
import { openEnvironment } from '@emac/opening';
import { runNamed } from '../options/run-name.ts';
import { tokenIn } from '../options/server-options.ts';
import { hostOf } from '../terminal/host.ts';
import type { Io } from '../terminal/io.ts';

/** Errors: as `openPlayer`; `usage` for an invalid address. A served agent is first called when it acts. */
export async function steppingAgent(
  name: string,
  { env, ...settings }: Parameters<typeof openPlayer>[1],
  io: Io,
): Promise<Player> {
  if (!isAddress(name))
    return openPlayer(runNamed(name), { env, ...settings }, hostOf(io, undefined, { quiet: true }));
  const environment = openEnvironment(env, settings);
  const policy = connectPolicy(name, { token: tokenIn(io.env) });
  return {
    environment: environment as Player['environment'],
    act: inNumbers(environment, async (situation) => (await policy.act(situation)).command),
    dispose: async () => {},
  };
}

/** True for the address of a service. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//.test(name);
}
