/** Flags of every command that listens on a port, and their meaning for a server. */
import { addressesIn, readToken } from '@emac/bridge';
import type { Io } from '../terminal/io.ts';
import { memoryOption } from './memory-option.ts';
import { integer, text, type Values } from './option.ts';

/** `port`: the default. */
export function serverOptions(port: number) {
  return {
    port: integer([0, 65_535], { help: 'port to listen on; 0 picks a free one', default: port }),
    host: text({
      help: 'address to listen on; one reachable by others needs a token (EMAC_TOKEN_FILE) or --allow',
      default: '127.0.0.1',
    }),
    allow: text({
      help: 'addresses and networks allowed without a token, separated by commas, such as 10.0.0.5,10.0.1.0/24',
      default: null,
    }),
    ...memoryOption,
  };
}

type Listening = Pick<Values<ReturnType<typeof serverOptions>>, 'port' | 'host' | 'allow'>;

/** The server's address, token and allowed clients. Errors: as the token's file. */
export function listeningAs(values: Listening, env: Io['env']) {
  return { ...addressesGiven(values), token: tokenIn(env) };
}

/** The same without a token. */
export function addressesGiven({ port, host, allow }: Listening) {
  return { port, host, allow: allow === null ? [] : addressesIn(allow) };
}

/** The token from the file in EMAC_TOKEN_FILE; null without one. Errors: as the file. */
export function tokenIn(env: Io['env']): string | null {
  const path = env['EMAC_TOKEN_FILE'];
  return path ? readToken(path) : null;
}
