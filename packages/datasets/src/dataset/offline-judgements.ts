/**
 * The reference policy's log-probabilities of each pair of a dataset, in a file for resumed runs: 12 bytes each, the
 * pair's number and the mean token log-probabilities of both outputs (little endian).
 */
import { openAppendFile, withReader, type AppendFile, type FilePart } from '@emac/files';
import type { Judgements } from '@emac/algorithms';

const recordBytes = 12;

/** Opens or creates the file; all values are also in memory, 8 bytes per pair. Errors: `io`, `data`. */
export function openJudgements(
  path: string,
  count: number,
  keep: FilePart | undefined,
): { readonly judgements: Judgements; readonly file: AppendFile } {
  const file = openAppendFile(path, keep ?? { length: 0 });
  const values = new Float32Array(2 * count).fill(NaN);
  if (file.length > 0)
    withReader(path, ({ read }) => {
      const view = new DataView(read({ offset: 0, length: file.length }).buffer);
      for (let place = 0; place + recordBytes <= file.length; place += recordBytes) {
        const index = view.getUint32(place, true);
        values[2 * index] = view.getFloat32(place + 4, true);
        values[2 * index + 1] = view.getFloat32(place + 8, true);
      }
    });
  const judgements: Judgements = {
    get(index) {
      const [chosen, rejected] = values.subarray(2 * index, 2 * index + 2) as unknown as [number, number];
      return Number.isNaN(chosen) ? undefined : { chosen, rejected };
    },
    add(index, { chosen, rejected }) {
      const view = new DataView(new ArrayBuffer(recordBytes));
      view.setUint32(0, index, true);
      view.setFloat32(4, chosen, true);
      view.setFloat32(8, rejected, true);
      file.append(new Uint8Array(view.buffer));
      values.set([chosen, rejected], 2 * index);
    },
  };
  return { judgements, file };
}
