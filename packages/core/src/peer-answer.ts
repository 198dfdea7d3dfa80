/** How much is read of what a server, service or client of others says: one limit for all readers. */

/** `bytes` of one answer, message or line (observations may hold pictures as lists of numbers); `levels` of lists and objects within each other, since reading calls itself for each. */
export const answerLimits = { bytes: 64 * 1024 * 1024, levels: 100 } as const;

/** Whether lists and objects are at most so many levels deep. */
export function isWithinLevels(value: unknown, levels: number = answerLimits.levels): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels > 0 && parts.every((each) => isWithinLevels(each, levels - 1));
}

/** The same answer, whose body fails beyond so many bytes once decoded; in a stream of events each event may have as many. */
export function cappedAnswer(answer: Response, bytes: number = answerLimits.bytes): Response {
  const { body, status, statusText, headers } = answer;
  if (body === null) return answer;
  const isOfEvents = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const within = isOfEvents ? eventLength() : wholeLength();
  const capped = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      if (within(chunk) > bytes) throw new Error(`the answer is larger than ${bytes} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(capped), { status, statusText, headers });
}

type Length = (chunk: Uint8Array) => number;

function wholeLength(): Length {
  let length = 0;
  return (chunk) => (length += chunk.length);
}

/** The longest event so far within a chunk; an empty line ends one. */
function eventLength(): Length {
  const [lineFeed, carriageReturn] = [10, 13];
  let [length, isAtStart] = [0, true];
  return (chunk) => {
    let longest = 0;
    for (const byte of chunk) {
      length++;
      longest = Math.max(longest, length);
      if (byte === carriageReturn) continue;
      if (byte === lineFeed && isAtStart) length = 0;
      isAtStart = byte === lineFeed;
    }
    return longest;
  };
}
