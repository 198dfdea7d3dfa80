/** The bodies of `POST /v1/act`, request and reply, for both sides of the wire. */
import { z } from 'zod';
import { mostCharacters } from './chat-request.ts';
import { samplingFields } from './sampled.ts';

const text = z.string().max(mostCharacters);
/** one line, as in commands of the wire's version 2 */
const command = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'holds a control character');

export const actRequestSchema = z
  .strictObject({
    /** the first observation, then commands with their observations */
    history: z
      .strictObject({
        initial: text,
        turns: z
          .array(z.strictObject({ command: text, observation: text }))
          .max(1000)
          .readonly(),
      })
      .optional(),
    /** the same as one text in the agent's prompt form, up to an open `>` */
    prompt: text.optional(),
    /** the current view: data URLs of PNG or JPEG pictures */
    images: z.array(z.string()).readonly().default([]),
    /** the commands the environment accepts now */
    admissible: z.array(command).max(2000).readonly().nullish(),
    /** restrict the action to `admissible`; default: as the agent was trained */
    admissible_only: z.boolean().optional(),
    ...samplingFields,
  })
  .refine(({ history, prompt }) => (history === undefined) !== (prompt === undefined), {
    error: 'needs one of history and prompt',
  })
  .refine(({ history }) => JSON.stringify(history ?? '').length <= 2 * mostCharacters, {
    error: `history: may have about ${mostCharacters} characters`,
  });

export type ActRequest = z.input<typeof actRequestSchema>;

export const actReplySchema = z.object({
  model: z.string(),
  /** the command in the answer */
  action: z.string(),
  /** the generated answer */
  text: z.string(),
  /** natural logarithm of the answer's probability, end token included */
  log_probability: z.number(),
  tokens: z.array(z.object({ id: z.number().int(), text: z.string(), log_probability: z.number() })),
});

export type ActReply = z.infer<typeof actReplySchema>;
