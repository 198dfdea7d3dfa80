/** What a service counts, as Prometheus reads it (text exposition format 0.0.4). */

export interface Measures {
  /** A request that was answered, by its route. */
  request(route: string, status: number, seconds: number): void;
  /** A batch that was decided. */
  batch(questions: number): void;
  /** Tokens of an answer. */
  tokens(count: number): void;
  /** everything so far, and what is now */
  text(now: Now): string;
}

export interface Now {
  /** questions that wait for their batch */
  readonly waiting: number;
  /** longest time in seconds for which the event loop heard nothing; null where nobody watches it */
  readonly longestStall: number | null;
}

const secondBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128];

/** Counts from zero. */
export function measures(): Measures {
  const requests = new Map<string, number>();
  const seconds = histogram(secondBounds);
  const sizes = histogram(sizeBounds);
  let tokens = 0;
  return {
    request(route, status, took) {
      const labels = `{route="${route}",status="${status}"}`;
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
      seconds.observe(took);
    },
    batch: (questions) => sizes.observe(questions),
    tokens: (count) => void (tokens += count),
    text: ({ waiting, longestStall }) =>
      [
        ...family('emac_requests_total', 'counter', 'Requests answered.'),
        ...[...requests].map(([labels, count]) => `emac_requests_total${labels} ${count}`),
        ...family('emac_request_seconds', 'histogram', 'Time from a request to its answer.'),
        ...seconds.lines('emac_request_seconds'),
        ...family('emac_batch_questions', 'histogram', 'Questions that were decided together.'),
        ...sizes.lines('emac_batch_questions'),
        ...family('emac_answer_tokens_total', 'counter', 'Tokens in answers.'),
        `emac_answer_tokens_total ${tokens}`,
        ...family('emac_waiting_questions', 'gauge', 'Questions that wait for their batch.'),
        `emac_waiting_questions ${waiting}`,
        ...(longestStall === null
          ? []
          : [
              ...family('emac_longest_stall_seconds', 'gauge', 'Longest time in which nothing was heard.'),
              `emac_longest_stall_seconds ${longestStall}`,
            ]),
        '',
      ].join('\n'),
  };
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** Counts values up to and with each bound. */
function histogram(bounds: readonly number[]) {
  const counts = bounds.map(() => 0);
  let [sum, count] = [0, 0];
  return {
    observe(value: number): void {
      sum += value;
      count++;
      bounds.forEach((bound, place) => {
        if (value <= bound) counts[place]!++;
      });
    },
    lines: (name: string): string[] => [
      ...bounds.map((bound, place) => `${name}_bucket{le="${bound}"} ${counts[place]}`),
      `${name}_bucket{le="+Inf"} ${count}`,
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
    ],
  };
}
