/** Gradients in the shared folder, as safetensors. Numbers keep every bit, infinities and NaN included. */
import type { ActorCriticGradient, Gradient } from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';
import { packNumbers, unpackNumbers } from './packed-answers.ts';

/** Of a `Trainable`, or of a policy with its critic. */
export type AnyGradient = Gradient | ActorCriticGradient;

/** Stores a gradient; returns its hash. Errors: those of the folder. */
export function storeGradient(folder: SharedFolder, gradient: AnyGradient): string {
  const { gradients, logProbabilities } = gradient;
  const tensors = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  const numbers =
    'loss' in gradient
      ? { loss: packNumbers([gradient.loss]) }
      : {
          losses: packNumbers([gradient.policyLoss, gradient.valueLoss]),
          values: packNumbers(gradient.values),
        };
  return folder.put(
    encodeFloats(tensors, {
      // a file has its own order, but sums over parameters use theirs
      names: JSON.stringify([...gradients.keys()]),
      counts: JSON.stringify(logProbabilities.map(({ length }) => length)),
      logProbabilities: packNumbers(logProbabilities.flat()),
      ...numbers,
    }),
  );
}

/** Reads a gradient by its hash. Errors: `missing`, `data`. */
export async function readGradient<Found extends AnyGradient>(
  folder: SharedFolder,
  hash: string,
): Promise<Found> {
  const file = openSafetensors(await patiently(() => folder.file(hash)));
  const textOf = (name: string): string => file.metadata[name]!;
  const names = JSON.parse(textOf('names')) as readonly string[];
  const gradients = new Map(names.map((name) => [name, readFloat32(file, name)]));
  const all = [...unpackNumbers(textOf('logProbabilities'))];
  let from = 0;
  const counts = JSON.parse(textOf('counts')) as readonly number[];
  const logProbabilities = counts.map((count) => all.slice(from, (from += count)));
  return { ...lossesIn(file.metadata), gradients, logProbabilities } as unknown as Found;
}

function lossesIn({ loss, losses, values }: Readonly<Record<string, string>>) {
  if (loss !== undefined) return { loss: unpackNumbers(loss)[0]! };
  const [policyLoss, valueLoss] = unpackNumbers(losses!);
  return { policyLoss, valueLoss, values: Float32Array.from(unpackNumbers(values!)) };
}
