/** Rows of a gradient in the shared folder, with their losses as programs; each picture's features are stored once. */
import type { ActorCriticLosses, ActorCriticRow, GradientRow, Loss } from '@emac/core';
import { lossOf, programmedValueLoss, programOf, type LossProgram } from '@emac/losses';
import type { SharedFolder } from '@emac/queue';
import { exactJson, fromJson, storedText, type StoredHashes } from './carried.ts';

/** The rows and losses of a gradient: of a policy, or of a policy with its critic. */
export type Rows =
  | { readonly rows: readonly GradientRow[]; readonly losses: Loss }
  | { readonly rows: readonly ActorCriticRow[]; readonly losses: ActorCriticLosses };

interface StoredRows {
  readonly policy: LossProgram | null;
  /** of a critic; null without one */
  readonly value: LossProgram | null;
  readonly rows: readonly GradientRow[];
}

/** Stores rows; returns their hash, equal for equal rows. A picture is hashed once. Errors: those of the folder. */
export function rowStore(folder: SharedFolder): (rows: Rows) => string {
  const hashes: StoredHashes = new WeakMap();
  return ({ rows, losses }) => {
    const { policy, value } = 'value' in losses ? losses : { policy: losses, value: null };
    const shard: StoredRows = {
      policy: policy && programOf(policy),
      value: value && programOf(value),
      rows: rows.map(ofGradient),
    };
    return folder.put(Buffer.from(exactJson(folder, shard, hashes)));
  };
}

/** What a gradient reads of a row. */
function ofGradient(row: GradientRow | ActorCriticRow): GradientRow {
  const { prompt, answers, temperature, possible, scored, weight, constants } = row;
  return {
    prompt,
    answers,
    ...(temperature !== undefined && { temperature }),
    ...(possible && { possible }),
    ...(scored && { scored }),
    weight,
    ...('valueWeight' in row && { valueWeight: row.valueWeight }),
    ...(constants && { constants }),
  };
}

/** Reads rows by their hash. Errors: `missing`, `data`. */
export async function readRows(folder: SharedFolder, hash: string): Promise<Rows> {
  const { policy, value, rows } = await fromJson<StoredRows>(folder, await storedText(folder, hash));
  const loss = policy && lossOf(policy);
  if (!value) return { rows, losses: loss! };
  return { rows: rows as ActorCriticRow[], losses: { policy: loss, value: programmedValueLoss(value) } };
}
