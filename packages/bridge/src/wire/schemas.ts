/**
 * Version 2 of the wire between a run and a remote world: every message with its fields and bounds. Requests are
 * checked against these schemas; the TypeScript types and the OpenAPI description derive from them.
 *
 * The run sends orders (begin this game, do this command, wait) and the client reports results. So the run chooses the
 * games, as with local files.
 */
import { z } from 'zod';

export const wireVersion = 2;

/** Bounds of texts, in UTF-16 units, and of lists. */
export const bounds = {
  id: 512,
  text: 100_000,
  command: 1_000,
  admissible: 10_000,
  games: 20_000,
  /** base64 of 6 MiB */
  picture: 8_388_608,
  /** in base64, like a picture */
  array: 8_388_608,
  arrays: 64,
  axes: 8,
  actions: 1_000,
} as const;

// no control characters except line breaks and tabs, no lone surrogates: texts are displayed and tokenized
const shown = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Cs}]*$/u;
const text = (most: number) => z.string().max(most).regex(shown, 'holds a control character');
/** one line */
const name = z
  .string()
  .min(1)
  .max(bounds.id)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'holds a line break or a control character');
const command = z
  .string()
  .max(bounds.command)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'holds a control character');
const count = z.number().int().min(0).max(1_000_000_000);

export const gameSchema = z
  .strictObject({
    id: name.describe('unique; ALFWorld games are called <task folder>/<trial folder>'),
    type: name.nullable().describe('group of the results, such as pick_and_place_simple; null if unknown'),
  })
  .meta({ id: 'Game' });

const shape = z.array(z.number().int().min(1).max(1_000_000)).max(bounds.axes);
const elements = z.enum(['float32', 'int32', 'uint8']);

/** Bytes of an element. */
export const bytesOf = { float32: 4, int32: 4, uint8: 1 } as const satisfies Record<
  z.infer<typeof elements>,
  number
>;

/** Number of elements. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

const arraySchema = z
  .strictObject({
    shape: shape.describe('sizes of the axes; empty for a single number'),
    type: elements,
    data: z
      .base64()
      .max(bounds.array)
      .describe('the elements in base64, row by row, little-endian: float32 of IEEE 754, int32, uint8'),
  })
  .refine(
    ({ shape, type, data }) => Buffer.byteLength(data, 'base64') === sizeOf(shape) * bytesOf[type],
    'data must hold the elements of its shape',
  )
  .meta({ id: 'Array' });

const observationSchema = z
  .strictObject({
    text: text(bounds.text).describe("the world's answer in words"),
    admissible: z
      .array(command)
      .max(bounds.admissible)
      .nullable()
      .describe('every command that the world accepts now, in any order; null if unknown'),
    picture: z
      .base64()
      .max(bounds.picture)
      .nullable()
      .describe('picture of the scene, as PNG or JPEG in base64; null for none'),
    arrays: z
      .record(name, arraySchema)
      .refine((arrays) => Object.keys(arrays).length <= bounds.arrays, `at most ${bounds.arrays} arrays`)
      .optional()
      .describe('numbers by name, for a client that describes its environment'),
  })
  .meta({ id: 'Observation' });

const finite = z.number().min(-1e9).max(1e9);

export const describedSchema = z
  .strictObject({
    actions: z
      .array(command.min(1))
      .min(1)
      .max(bounds.actions)
      .refine((names) => new Set(names).size === names.length, 'actions must have different names')
      .nullable()
      .describe('names of the numbered actions, in order; null: commands are texts, such as numbers'),
    arrays: z
      .record(
        name,
        z.strictObject({
          shape,
          type: elements,
          categories: z
            .array(z.number().int().min(1).max(1_000_000))
            .min(1)
            .max(64)
            .optional()
            .describe(
              'the elements are whole numbers below these, repeated along the array: networks read them one-hot',
            ),
          scale: finite.optional().describe('factor on each element before a network reads it; 1 if absent'),
        }),
      )
      .refine((arrays) => Object.keys(arrays).length <= bounds.arrays, `at most ${bounds.arrays} arrays`)
      .describe('the arrays of every observation, in the order that networks read'),
    picture: z
      .strictObject({ width: z.number().int().min(1).max(8192), height: z.number().int().min(1).max(8192) })
      .nullable()
      .describe('size of every picture in pixels; null for none'),
    steps: z.number().int().min(1).max(1_000_000_000).describe('step limit of an episode'),
    rewards: z
      .tuple([finite, finite])
      .nullable()
      .describe('lowest and highest reward of a step; null if unknown'),
  })
  .meta({ id: 'Described' });

export const helloSchema = z
  .strictObject({
    version: z.literal(wireVersion).describe('version of the wire'),
    name: name.describe('name of the program, for people'),
    games: z
      .array(gameSchema)
      .min(1)
      .max(bounds.games)
      .refine(
        (games) => new Set(games.map(({ id }) => id)).size === games.length,
        'games must have different ids',
      )
      .describe('every game that this client can play, in the order used for draws'),
    pictures: z.boolean().describe('whether the client can send pictures'),
    environment: describedSchema
      .optional()
      .describe(
        'present: each game is an environment with an episode for every seed, as described here; absent: each game is one task',
      ),
  })
  .meta({ id: 'Hello' });

export const welcomeSchema = z
  .strictObject({
    version: z.literal(wireVersion),
    client: name.describe('name of the client in later requests'),
    pollSeconds: z.number().positive().describe('seconds within which a request for an order is answered'),
    stepSeconds: z
      .number()
      .positive()
      .describe('seconds of silence after an answer, after which a client is considered gone'),
  })
  .meta({ id: 'Welcome' });

const from = { client: name.describe('the name from the welcome') };
const of = { episode: name.describe('the name from the order'), step: count };

/** A command's result besides the observation. */
const brought = {
  reward: z.number().min(-1e9).max(1e9),
  won: z.boolean().describe('the goal is reached'),
  done: z.boolean().describe('the game has ended by itself, good or bad'),
  truncated: z.boolean().describe('cut off by a limit of the world'),
};

export const reportSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ kind: z.literal('nothing'), ...from })
      .describe('the first request, the request after `wait`, or a repeat if an answer was lost'),
    z
      .strictObject({
        kind: z.literal('begun'),
        ...from,
        ...of,
        step: z.literal(0),
        observation: observationSchema,
      })
      .describe('the game has started'),
    z
      .strictObject({
        kind: z.literal('stepped'),
        ...from,
        ...of,
        observation: observationSchema,
        ...brought,
      })
      .describe('the command was executed, or refused by the world with a text'),
    z
      .strictObject({ kind: z.literal('failed'), ...from, ...of, reason: text(bounds.command) })
      .describe('the world failed to execute the order'),
  ])
  .meta({ id: 'Report' });

export const orderSchema = z
  .discriminatedUnion('do', [
    z
      .strictObject({
        do: z.literal('begin'),
        episode: name,
        game: name,
        seed: name.describe(
          'equal seeds and commands must give equal observations; a whole number if the client describes its environment',
        ),
        pictures: z.boolean().describe('whether this episode needs pictures; if not, null will do'),
      })
      .describe('leave the current game and start this one; report `begun` with step 0'),
    z
      .strictObject({ do: z.literal('step'), episode: name, step: count, command })
      .describe('execute this command; report `stepped` with this number'),
    z.strictObject({ do: z.literal('wait') }).describe('nothing to do yet; report `nothing`'),
    z.strictObject({ do: z.literal('finished') }).describe('the run needs no more episodes'),
  ])
  .meta({ id: 'Order' });

export const refusalSchema = z
  .strictObject({
    error: z.strictObject({
      message: z.string().describe('a sentence'),
      type: z.string(),
      param: z.string().nullable().describe('name of the wrong field'),
      code: z.string().describe('error code in one word, for programs'),
    }),
  })
  .meta({ id: 'Refusal' });

export type Game = z.infer<typeof gameSchema>;
export type WireObservation = z.infer<typeof observationSchema>;
/** A client's description of its environment. */
export type Described = z.infer<typeof describedSchema>;
export type WireArray = z.infer<typeof arraySchema>;
export type Hello = z.infer<typeof helloSchema>;
export type Welcome = z.infer<typeof welcomeSchema>;
export type Report = z.infer<typeof reportSchema>;
export type Order = z.infer<typeof orderSchema>;
/** An order that requires a report. */
export type Task = Extract<Order, { do: 'begin' | 'step' }>;
