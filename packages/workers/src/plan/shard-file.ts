/**
 * Shards of an update in the shared folder: rows as JSON, losses as programs, each picture's features in their own
 * file, stored once if equal. Weights, constants and a program's numbers are stored as float64 bytes, so −0, NaN and
 * infinity survive.
 */
import type {
  ActorCriticLosses,
  ActorCriticRow,
  Features,
  GradientRow,
  Loss,
  ScoredRow,
  ValueLoss,
} from '@emac/core';
import { lossOf, programmedValueLoss, programOf, type LossProgram } from '@emac/losses';
import type { SharedFolder } from '@emac/queue';
import { exactJson, storedText } from './carried.ts';
import { packNumbers, unpackNumbers } from './packed-answers.ts';
import { promptSender, sentPrompt, type SentPrompt } from './sent-prompt.ts';

/** The data and losses of a gradient. */
export interface Shard {
  readonly rows: readonly GradientRow[];
  readonly loss: Loss;
}

/** The data and losses of an actor-critic gradient. */
export interface ActorShard {
  readonly rows: readonly ActorCriticRow[];
  readonly losses: ActorCriticLosses;
}

interface StoredShard {
  readonly loss: StoredLoss;
  readonly rows: readonly StoredRow[];
}

interface StoredActorShard {
  readonly policy: StoredLoss | null;
  readonly value: StoredLoss;
  readonly rows: readonly StoredRow[];
}

type StoredLoss = Omit<LossProgram, 'constants'> & { readonly constants: string };

interface StoredRow extends Omit<ScoredRow, 'prompt'> {
  readonly prompt: SentPrompt;
  /** weights of the policy's loss and, for an actor-critic, of the critic's */
  readonly weights: string;
  /** one number, or one per answer token */
  readonly constants?: Readonly<Record<string, { readonly one: string } | { readonly each: string }>>;
}

export interface ShardStore {
  /** Stores a shard; returns its hash, equal for equal shards. Errors: those of the folder. */
  put(shard: Shard): string;
  /** The same for an actor-critic. */
  putActor(shard: ActorShard): string;
}

export function shardStore(folder: SharedFolder): ShardStore {
  const send = promptSender(folder);
  const stored = (
    { prompt, answers, temperature, possible, constants }: GradientRow,
    weights: readonly number[],
  ): StoredRow => ({
    prompt: send(prompt),
    answers,
    ...(temperature !== undefined && { temperature }),
    ...(possible && { possible }),
    weights: packNumbers(weights),
    ...(constants && { constants: packed(constants) }),
  });
  const put = (shard: StoredShard | StoredActorShard): string => folder.put(Buffer.from(exactJson(shard)));
  return {
    put: ({ rows, loss }) =>
      put({ loss: storedLoss(loss), rows: rows.map((row) => stored(row, [row.weight])) }),
    putActor: ({ rows, losses: { policy, value } }) =>
      put({
        policy: policy && storedLoss(policy),
        value: storedLoss(value),
        rows: rows.map((row) => stored(row, [row.weight, row.valueWeight])),
      }),
  };
}

function packed(constants: NonNullable<GradientRow['constants']>): NonNullable<StoredRow['constants']> {
  const all = Object.entries(constants).map(
    ([name, given]) =>
      [
        name,
        typeof given === 'number' ? { one: packNumbers([given]) } : { each: packNumbers(given) },
      ] as const,
  );
  return Object.fromEntries(all);
}

function storedLoss(loss: Loss | ValueLoss): StoredLoss {
  const { constants, ...program } = programOf(loss);
  return { ...program, constants: packNumbers(constants) };
}

/** Reads a shard by its hash. Errors: `missing`, `data`. */
export async function readShard(folder: SharedFolder, hash: string): Promise<Shard> {
  const { loss, rows: stored } = JSON.parse(await storedText(folder, hash)) as StoredShard;
  const rows = await readRows(folder, stored);
  return { loss: lossOf(programIn(loss)), rows: rows.map(({ row }) => row) };
}

/** The same for an actor-critic. Errors: `missing`, `data`. */
export async function readActorShard(folder: SharedFolder, hash: string): Promise<ActorShard> {
  const { policy, value, rows: stored } = JSON.parse(await storedText(folder, hash)) as StoredActorShard;
  const rows = await readRows(folder, stored);
  return {
    losses: {
      policy: policy && lossOf(programIn(policy)),
      value: programmedValueLoss(programIn(value)),
    },
    rows: rows.map(({ row, valueWeight }) => ({ ...row, valueWeight: valueWeight! })),
  };
}

function programIn({ constants, ...program }: StoredLoss): LossProgram {
  return { ...program, constants: [...unpackNumbers(constants)] };
}

interface ReadRow {
  readonly row: GradientRow;
  readonly valueWeight: number | undefined;
}

async function readRows(folder: SharedFolder, rows: readonly StoredRow[]): Promise<ReadRow[]> {
  const known = new Map<string, Features>();
  const read: ReadRow[] = [];
  for (const { prompt: sent, weights, constants, ...given } of rows) {
    const prompt = await sentPrompt(folder, sent, known);
    const [weight, valueWeight] = unpackNumbers(weights);
    const row = {
      ...given,
      prompt,
      weight: weight!,
      ...(constants && { constants: unpacked(constants) }),
    };
    read.push({ row, valueWeight });
  }
  return read;
}

function unpacked(constants: NonNullable<StoredRow['constants']>): NonNullable<GradientRow['constants']> {
  const all = Object.entries(constants).map(
    ([name, held]) =>
      [name, 'one' in held ? unpackNumbers(held.one)[0]! : [...unpackNumbers(held.each)]] as const,
  );
  return Object.fromEntries(all);
}
