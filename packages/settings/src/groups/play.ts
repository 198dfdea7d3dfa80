/** Which games are played, how long, and who acts in them. */
import { given } from '@emac/algorithms';
import { expertActs, policyActs } from '@emac/rollout';
import { z } from 'zod';
import { parallelSchema } from './model.ts';
import { probability, whole } from './numbers.ts';

export const playSchema = z.strictObject({
  rounds: whole(1, 10_000).describe('passes over the games').meta(given('rounds')),
  gamesPerRound: whole(1, 100_000)
    .describe(
      'number of games, the same in every round; dpo prefers those --ref’s run did not solve, then unseen ones',
    )
    .meta(given('games-per-round')),
  episodesPerUpdate: whole(1, 100_000)
    .describe('episodes per policy version (between updates)')
    .meta(given('episodes-per-update')),
  parallelEpisodes: parallelSchema
    .describe('training episodes played in parallel, per policy version; affects speed only')
    .meta(
      given('parallel-episodes', {
        when: 'always',
        also: ['evaluation.parallelEpisodes'],
        otherwise: 'up to 8, or 1 with streamed layers',
      }),
    ),
  maxSteps: whole(1, 10_000)
    .nullable()
    .describe('step limit of an episode; own, the default outside alfworld: the limit of --env')
    .meta(given('max-steps', { when: 'always', none: 'own' })),
  expertShare: z
    .strictObject({
      start: probability
        .describe('--act-with mixture: probability of the expert in the first round')
        .meta(given('expert-probability', { when: 'mixture', otherwise: '1' })),
      decay: probability
        .describe('--act-with mixture: factor on that probability per round')
        .meta(given('expert-decay', { when: 'mixture', otherwise: '0.5' })),
    })
    .describe('acting policy; mixture: the expert with a probability that falls each round, else the student')
    .meta(
      given('act-with', {
        words: { student: policyActs, expert: expertActs, mixture: { start: 1, decay: 0.5 } },
      }),
    ),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('restrict the policy to commands the game accepts (admissible)')
    .meta(given('admissible-only', { when: ['always', 'model'] })),
  sampleTemperature: z
    .number()
    .positive()
    .max(100)
    .nullable()
    .default(null)
    .describe(
      'training episodes: sample answers at this temperature instead of a beam search; dpo rejects the sampled answer',
    )
    .meta(given('sample-temperature', { otherwise: 'a search' })),
  skipSolved: z
    .boolean()
    .describe('skip games the policy has won in later rounds')
    .meta(
      given('', {
        off: { flag: 'no-skip-solved', help: 'replay won games in later rounds' },
      }),
    ),
  stopRepeating: z
    .boolean()
    .describe('end an episode that repeats itself')
    .meta(
      given('stop-repeating', {
        off: {
          flag: 'no-stop-repeating',
          help: 'play repeating episodes to the step limit',
        },
      }),
    ),
  policyMemory: z
    .boolean()
    .default(false)
    .describe('show the policy the reflections on failed attempts')
    .meta(given('student-memory', { when: 'alfworld' })),
});
