/** Where games are played: here, or by remote clients. */
import { given } from '@emac/algorithms';
import { z } from 'zod';

const seconds = (standard: number) => z.number().positive().max(1_000_000).default(standard);

export const worldSchema = z.strictObject({
  kind: z
    .enum(['own', 'http'])
    .default('own')
    .describe('who plays the games: emac itself, or a program elsewhere that connects to --port')
    .meta(given('world')),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(7860)
    .describe('--world http: the port for clients; 0 for a free one')
    .meta(given('port')),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      '--world http: address of this machine to listen on; one that others can reach needs EMAC_TOKEN_FILE or --allow',
    )
    .meta(given('host')),
  allow: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('--world http: addresses and networks that may connect, with commas between them')
    .meta(given('allow')),
  clients: z
    .number()
    .int()
    .min(1)
    .max(1024)
    .default(1)
    .describe('--world http: clients that have to be there before anything begins')
    .meta(given('clients')),
  stepSeconds: seconds(120)
    .describe('--world http: time for a step, after which its client is taken for gone')
    .meta(given('step-seconds')),
  clientSeconds: seconds(600)
    .describe(
      '--world http: time to wait for a client where none is left; then the run stops, and can be resumed',
    )
    .meta(given('client-seconds')),
  restarts: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(2)
    .describe('--world http: how often an episode may be begun again where its client has gone')
    .meta(given('restarts')),
});

export type WorldConfig = z.infer<typeof worldSchema>;
