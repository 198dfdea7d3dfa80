/** What a person gave in games of a run, kept on the tab's disk as datasets; a new run from that one learns from them. */
import { basename, dirname, join } from 'pathe';
import { keptRecords, type GivenRecords, type Learning } from '@emac/experiment';
import { canonicalJson, sha256 } from '@emac/files';
import { trainedIn } from '@emac/opening';
import { tabDisk } from '@emac/platform/tab';
import { readConfig } from '@emac/runs';
import { isSmallNetwork } from '../page/choices.ts';
import type { Asked, GivenKind } from './messages.ts';

const methods = { labels: 'bc', pairs: 'dpo' } as const;

/** held-out episodes before training on them and after it */
const evaluated = 20;

/** Keeps what is given, and tells how much there is. A small network learns from no dataset, so nothing is told of it. */
export function keepGiven(
  folder: string,
  tell: (count: Readonly<Record<GivenKind, number>>) => void,
): (records: GivenRecords) => void {
  const keep = keptRecords(placeOf(folder));
  return (records) => {
    keep(records);
    const { policy } = readConfig(folder) as { readonly policy: string };
    if (!isSmallNetwork(policy)) tell({ labels: countIn(folder, 'labels'), pairs: countIn(folder, 'pairs') });
  };
}

/** The run that learns from what was given. */
export function askedFor(folder: string, what: GivenKind): Asked {
  const records = recordsIn(folder, what);
  const hasPictures = records.every(({ image }) => image !== undefined);
  return {
    environment: trainedIn(folder),
    policy: folder,
    method: methods[what],
    // another label is another run
    folder: `/runs/${basename(dirname(folder))} ${what} ${sha256(canonicalJson(records)).slice(0, 8)}`,
    settings: {
      dataset: { data: fileOf(folder, what) },
      evaluation: { episodes: evaluated },
      ...(!hasPictures && { speech: { observe: 'text' } }),
    },
  } as Learning as Asked;
}

const placeOf = (folder: string) => join('/given', basename(folder));
const fileOf = (folder: string, what: GivenKind) => join(placeOf(folder), `${what}.json`);

function countIn(folder: string, what: GivenKind): number {
  return recordsIn(folder, what).length;
}

function recordsIn(folder: string, what: GivenKind): readonly { readonly image?: string }[] {
  const path = fileOf(folder, what);
  return tabDisk.existsSync(path) ? (JSON.parse(tabDisk.readFileSync(path, 'utf8') as string) as []) : [];
}
