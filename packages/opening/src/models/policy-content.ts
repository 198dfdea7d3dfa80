/** The content of a trained policy: equal content plays equally, wherever it lies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelIdentity, openModelFiles } from '@emac/backbone';
import { encodeFloats, isFile, manifestName, sha256, whileReading } from '@emac/files';
import { resolveCheckpoint } from '@emac/runs';
import { smallNetworkOf } from '@emac/settings';
import { modelPath } from './model.ts';
import { isModel, isOfOthers, ownProjection } from './projection-start.ts';

/** Reads a model's weights once; an untrained network by name has no content but the name. Errors: `missing`, `data`, `io`. */
export async function policyContent(reference: string): Promise<string> {
  const network = smallNetworkOf({ policy: reference });
  if (network) return network.file === null ? reference : hashOfFile(network.file);
  if (isModel(reference)) return modelContent(reference);
  if (isOfOthers(reference) && isFile(reference)) return hashOfFile(reference);
  if (isOfOthers(reference)) return sha256(hashOfFile(join(reference, 'adapter_model.safetensors')));
  // it names every file of the checkpoint with its hash, and the model beneath
  return hashOfFile(join(resolveCheckpoint(reference).folder, manifestName));
}

async function modelContent(name: string): Promise<string> {
  const files = openModelFiles(modelPath(name));
  const { projection } = ownProjection(files);
  const own =
    projection && 'keys' in projection.parameters ? sha256(encodeFloats(projection.parameters)) : '';
  return sha256(`${await modelIdentity(files)} ${own}`);
}

function hashOfFile(path: string): string {
  return sha256(whileReading(path, () => readFileSync(path)));
}
