/** Where games are played: here, or by remote clients. */
import { given, positive, text, textOrNull, whole } from '@emac/algorithms';
import { z } from 'zod';

const seconds = (standard: number) => positive.default(standard);

export const worldSchema = z.strictObject({
  kind: z
    .enum(['own', 'http'])
    .default('own')
    .describe('player of the games: emac itself, or clients that connect to --port')
    .meta(given('world')),
  port: whole(0, 65_535)
    .default(7860)
    .describe('--world http: port for clients; 0 picks a free one')
    .meta(given('port', { when: 'clients' })),
  host: text
    .default('127.0.0.1')
    .describe('--world http: address to listen on; one reachable by others needs EMAC_TOKEN_FILE or --allow')
    .meta(given('host', { when: 'clients' })),
  allow: textOrNull
    .describe('--world http: addresses and networks that may connect, separated by commas')
    .meta(given('allow', { when: 'clients' })),
  clients: whole(1, 1024)
    .default(1)
    .describe('--world http: number of clients to wait for before starting')
    .meta(given('clients', { when: 'clients' })),
  stepSeconds: seconds(120)
    .describe('--world http: longest time for a step; then its client is considered gone')
    .meta(given('step-seconds', { when: 'clients' })),
  clientSeconds: seconds(600)
    .describe('--world http: time to wait for a client; then the run stops and can be resumed')
    .meta(given('client-seconds', { when: 'clients' })),
  restarts: whole(0, 1000)
    .default(2)
    .describe('--world http: restarts of an episode after its client has gone')
    .meta(given('restarts', { when: 'clients' })),
});

export type WorldConfig = z.infer<typeof worldSchema>;
