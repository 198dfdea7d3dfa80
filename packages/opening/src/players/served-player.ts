/** An agent that a server answers for (`emac serve`): it gets the episode, and writes its own prompt. */
import type { Host } from '../host.ts';
import type { EnvironmentPlayer } from './environment-player.ts';

/** The token is in the file of EMAC_TOKEN_FILE. Nothing is sent before the first action. Errors: `usage` for an invalid address; those of the file. */
export async function servedPlayer(url: string, { env }: Pick<Host, 'env'>): Promise<EnvironmentPlayer> {
  const { connectPolicy, readToken } = await import('@emac/bridge');
  const file = env['EMAC_TOKEN_FILE'];
  const policy = connectPolicy(url, { token: file ? readToken(file) : null });
  return {
    content: url,
    atOnce: 8,
    notes: [],
    act: async ({ history, observation: { frames, admissible } }) => {
      const { command } = await policy.act({ history, frames, admissible });
      return { action: command, isFallback: false };
    },
    service: null,
    dispose: async () => {},
  };
}
