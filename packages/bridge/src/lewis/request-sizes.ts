/** Requests that carry pictures, no larger than a service takes. */
import type { AskedItem } from './messages.ts';

/** of a request's body: a service of emac takes 16 MiB */
export const mostSent = 15 * 1024 * 1024;

/**
 * The items in requests of at most `most` bytes each, in order. Pictures of one item are asked about apart where they do not fit into one request, which changes no answer;
 * a picture that alone is larger has a request of its own.
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
