/** The yardstick of training on disk: collected once, so that a run that goes on is measured by the very same steps. */
import { EmacError, type Features } from '@emac/core';
import {
  float16ToFloat32,
  float32ToFloat16,
  openRecordLog,
  pack,
  readRecords,
  unpack,
  verifyPart,
  type AppendFile,
  type FilePart,
} from '@emac/files';
import type { ProbeStep } from '@emac/trainer';

export type ProbeFile = Pick<AppendFile, 'length' | 'sha256' | 'sync'>;

/** Writes the steps, the features of each picture once; what was in the file is lost. */
export function writeProbe(path: string, steps: readonly ProbeStep[]): ProbeFile {
  const log = openRecordLog(path);
  const written = new Set<string>();
  for (const { features, ...step } of steps) {
    const { key, data } = features;
    if (!written.has(key)) log.append(pack({ features: key, bits: float32ToFloat16(data) }));
    written.add(key);
    log.append(pack({ step, features: key }));
  }
  log.sync();
  const [length, hash] = [log.length, log.sha256()];
  log.close();
  return { length, sha256: () => hash, sync: () => {} };
}

/** The steps in a file, and that file as a checkpoint holds it. Errors: `missing`, `data`. */
export function readProbe(path: string, part: Required<FilePart>): { steps: ProbeStep[]; file: ProbeFile } {
  verifyPart(path, part);
  const known = new Map<string, Features>();
  const steps: ProbeStep[] = [];
  readRecords(path, part.length, (record) => {
    const {
      features: key,
      bits,
      step,
    } = unpack(record) as {
      readonly features: string;
      readonly bits?: Uint16Array;
      readonly step?: Omit<ProbeStep, 'features'>;
    };
    if (bits) known.set(key, { key, data: float16ToFloat32(bits) });
    const features = known.get(key);
    if (!features) throw new EmacError('data', `${path}: uses the features ${key}, which it does not hold`);
    if (step) steps.push({ ...step, features });
  });
  const { length, sha256 } = part;
  return { steps, file: { length, sha256: () => sha256, sync: () => {} } };
}
