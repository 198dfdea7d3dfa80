/**
 * Rows of a gradient in the shared folder: rows as JSON, losses as programs, each picture's features in their own file,
 * stored once if equal. Weights, constants and a program's numbers are stored as float64 bytes, so −0, NaN and infinity
 * survive.
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

/** The rows and losses of a gradient: of a policy, or of a policy with its critic. */
export type Rows =
  | { readonly rows: readonly GradientRow[]; readonly losses: Loss }
  | { readonly rows: readonly ActorCriticRow[]; readonly losses: ActorCriticLosses };

interface StoredRows {
  readonly policy: StoredLoss | null;
  /** of a critic; null without one */
  readonly value: StoredLoss | null;
  readonly rows: readonly StoredRow[];
}

type StoredLoss = Omit<LossProgram, 'constants'> & { readonly constants: string };

interface StoredRow extends Omit<ScoredRow, 'prompt'> {
  readonly prompt: SentPrompt;
  /** weights of the policy's loss and, with a critic, of the critic's */
  readonly weights: string;
  /** one number, or one per answer token */
  readonly constants?: Readonly<Record<string, { readonly one: string } | { readonly each: string }>>;
}

/** Stores rows; returns their hash, equal for equal rows. A picture is hashed once. Errors: those of the folder. */
export function rowStore(folder: SharedFolder): (rows: Rows) => string {
  const send = promptSender(folder);
  const stored = (row: GradientRow | ActorCriticRow): StoredRow => {
    const { prompt, answers, temperature, possible, constants } = row;
    return {
      prompt: send(prompt),
      answers,
      ...(temperature !== undefined && { temperature }),
      ...(possible && { possible }),
      weights: packNumbers('valueWeight' in row ? [row.weight, row.valueWeight] : [row.weight]),
      ...(constants && { constants: packed(constants) }),
    };
  };
  return ({ rows, losses }) => {
    const { policy, value } = 'value' in losses ? losses : { policy: losses, value: null };
    const shard: StoredRows = {
      policy: policy && storedLoss(policy),
      value: value && storedLoss(value),
      rows: rows.map(stored),
    };
    return folder.put(Buffer.from(exactJson(shard)));
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

/** Reads rows by their hash. Errors: `missing`, `data`. */
export async function readRows(folder: SharedFolder, hash: string): Promise<Rows> {
  const { policy, value, rows: stored } = JSON.parse(await storedText(folder, hash)) as StoredRows;
  const known = new Map<string, Features>();
  const rows: GradientRow[] = [];
  for (const { prompt: sent, weights, constants, ...given } of stored) {
    const prompt = await sentPrompt(folder, sent, known);
    const [weight, valueWeight] = unpackNumbers(weights);
    rows.push({
      ...given,
      prompt,
      weight: weight!,
      ...(valueWeight !== undefined && { valueWeight }),
      ...(constants && { constants: unpacked(constants) }),
    });
  }
  const losses = { policy: policy && lossOf(programIn(policy)) };
  if (!value) return { rows, losses: losses.policy! };
  return {
    rows: rows as ActorCriticRow[],
    losses: { ...losses, value: programmedValueLoss(programIn(value)) },
  };
}

function programIn({ constants, ...program }: StoredLoss): LossProgram {
  return { ...program, constants: [...unpackNumbers(constants)] };
}

function unpacked(constants: NonNullable<StoredRow['constants']>): NonNullable<GradientRow['constants']> {
  const all = Object.entries(constants).map(
    ([name, held]) =>
      [name, 'one' in held ? unpackNumbers(held.one)[0]! : [...unpackNumbers(held.each)]] as const,
  );
  return Object.fromEntries(all);
}
