/** What reads files and messages of others: a row for each parser, with intact inputs of this repository. */
import { dataRows } from './rows/data.ts';
import { modelRows } from './rows/models.ts';
import { peerRows } from './rows/peers.ts';
import { newPlace } from './rows/place.ts';
import { workRows } from './rows/work.ts';
import type { Parser } from './try-inputs.ts';

export interface Parsers {
  readonly parsers: readonly Parser[];
  dispose(): Promise<void>;
}

/** Every parser; files are written into a temporary folder, which `dispose` removes. */
export async function openParsers(): Promise<Parsers> {
  const place = newPlace();
  const [peers, work] = [await peerRows(), await workRows(place)];
  return {
    parsers: [...modelRows(place), ...(await dataRows(place)), ...peers.rows, ...work.rows],
    async dispose() {
      await Promise.all([peers.close(), work.close()]);
      place.dispose();
    },
  };
}
