/** Keeps requests with pictures within a service's size limit. */
import type { AskedItem } from './messages.ts';

/** largest request body: a service of emac takes 16 MiB */
const mostSent = 15 * 1024 * 1024;

/**
 * The items in requests of at most `most` bytes each, in order. Splits an item whose pictures do not fit into one
 * request; this changes no answer. A single picture above the limit gets its own request.
 */
export function withinSize(items: readonly AskedItem[], most: number = mostSent): AskedItem[][] {
  const requests: AskedItem[][] = [];
  let left = 0;
  for (const { candidate_paths: pictures, question } of items) {
    const ofItem = Buffer.byteLength(JSON.stringify(question)) + overhead;
    let item: AskedItem | null = null;
    for (const picture of pictures) {
      const more = picture.length + 3 + (item === null ? ofItem : 0);
      if (requests.length === 0 || more > left) {
        requests.push([]);
        left = most - (item === null ? 0 : ofItem);
        item = null;
      }
      if (item === null) requests.at(-1)!.push((item = { candidate_paths: [], question }));
      item.candidate_paths.push(picture);
      left -= more;
    }
  }
  return requests;
}

/** characters around an item's pictures and its question */
const overhead = 64;
