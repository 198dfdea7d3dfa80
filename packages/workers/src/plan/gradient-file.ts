/** Gradients in the shared folder, as safetensors. Numbers keep every bit, infinities and NaN included. */
import type { ActorCriticGradient, Gradient } from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';
import { packNumbers, unpackNumbers } from './packed-answers.ts';

/** Stores a gradient; returns its hash. Errors: those of the folder. */
export function storeGradient(folder: SharedFolder, { loss, ...found }: Gradient): string {
  return store(folder, { ...found, numbers: [loss] });
}

/** Reads a gradient by its hash. Errors: `missing`, `data`. */
export async function readGradient(folder: SharedFolder, hash: string): Promise<Gradient> {
  const { numbers, ...found } = await read(folder, hash);
  return { ...found, loss: numbers[0]! };
}

/** Stores a gradient of policy and critic; returns its hash. Errors: those of the folder. */
export function storeActorGradient(
  folder: SharedFolder,
  { policyLoss, valueLoss, values, ...found }: ActorCriticGradient,
): string {
  return store(folder, { ...found, numbers: [policyLoss, valueLoss, ...values] });
}

/** Reads a gradient of policy and critic by its hash. Errors: `missing`, `data`. */
export async function readActorGradient(folder: SharedFolder, hash: string): Promise<ActorCriticGradient> {
  const { numbers, ...found } = await read(folder, hash);
  const [policyLoss, valueLoss, ...values] = numbers;
  return { ...found, policyLoss: policyLoss!, valueLoss: valueLoss!, values: Float32Array.from(values) };
}

interface Stored extends Pick<Gradient, 'gradients' | 'logProbabilities'> {
  /** losses, and other numbers per gradient or per row */
  readonly numbers: readonly number[];
}

function store(folder: SharedFolder, { gradients, logProbabilities, numbers }: Stored): string {
  const tensors = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  return folder.put(
    encodeFloats(tensors, {
      // a file has its own order, but sums over parameters use theirs
      names: JSON.stringify([...gradients.keys()]),
      counts: JSON.stringify(logProbabilities.map(({ length }) => length)),
      logProbabilities: packNumbers(logProbabilities.flat()),
      numbers: packNumbers(numbers),
    }),
  );
}

async function read(folder: SharedFolder, hash: string): Promise<Stored> {
  const file = openSafetensors(await patiently(() => folder.file(hash)));
  const said = (name: string): string => file.metadata[name]!;
  const names = JSON.parse(said('names')) as readonly string[];
  const all = [...unpackNumbers(said('logProbabilities'))];
  let from = 0;
  const logProbabilities = (JSON.parse(said('counts')) as readonly number[]).map((count) =>
    all.slice(from, (from += count)),
  );
  return {
    gradients: new Map(names.map((name) => [name, readFloat32(file, name)])),
    logProbabilities,
    numbers: [...unpackNumbers(said('numbers'))],
  };
}
