/** Counters of a service in Prometheus' text exposition format 0.0.4. */

export interface Measures {
  /** A request answered by the service. */
  answered(path: string, status: number, seconds: number): void;
  /** A request refused before it reached the service; null for an unknown path. */
  refused(path: string | null, status: number): void;
  /** A finished batch. */
  batch(questions: number): void;
  /** Tokens of an answer. */
  tokens(count: number): void;
  /** all counts so far, and current values */
  text(now: Now): string;
}

export interface Now {
  /** questions waiting for their batch */
  readonly waiting: number;
  /** longest stall of the event loop since the last report, in seconds; null if not measured */
  readonly longestStall: number | null;
}

/** of an agent's service */
export const routes = [
  '/healthz',
  '/metrics',
  '/v1/models',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/act',
];

/** Unknown paths share one label. */
function routeOf(path: string | null): string {
  return routes.find((route) => path === route || path?.startsWith(`${route}/`)) ?? 'other';
}

const secondBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128];

/** Counts from zero. */
export function measures(): Measures {
  const requests = new Map<string, number>();
  const seconds = new Map<string, Histogram>();
  const sizes = histogram(sizeBounds);
  let tokens = 0;
  const refused: Measures['refused'] = (path, status) => {
    const labels = `{route="${routeOf(path)}",status="${status}"}`;
    requests.set(labels, (requests.get(labels) ?? 0) + 1);
  };
  return {
    refused,
    answered(path, status, took) {
      refused(path, status);
      const route = routeOf(path);
      const ofRoute = seconds.get(route) ?? histogram(secondBounds);
      seconds.set(route, ofRoute);
      ofRoute.observe(took);
    },
    batch: (questions) => sizes.observe(questions),
    tokens: (count) => void (tokens += count),
    text: ({ waiting, longestStall }) =>
      [
        ...family('emac_requests_total', 'counter', 'Requests answered, including rejected ones.'),
        ...[...requests].map(([labels, count]) => `emac_requests_total${labels} ${count}`),
        ...family(
          'emac_request_seconds',
          'histogram',
          'Time from a whole request to its answer, without requests that were rejected unread.',
        ),
        ...[...seconds].flatMap(([route, each]) => each.lines('emac_request_seconds', `route="${route}"`)),
        ...family('emac_batch_questions', 'histogram', 'Questions answered in one batch.'),
        ...sizes.lines('emac_batch_questions'),
        ...family('emac_answer_tokens_total', 'counter', 'Tokens in answers.'),
        `emac_answer_tokens_total ${tokens}`,
        ...family('emac_waiting_questions', 'gauge', 'Questions that wait for their batch.'),
        `emac_waiting_questions ${waiting}`,
        ...(longestStall === null
          ? []
          : [
              ...family(
                'emac_longest_stall_seconds',
                'gauge',
                'Longest time without any sign from the loop, since the last read.',
              ),
              `emac_longest_stall_seconds ${longestStall}`,
            ]),
        '',
      ].join('\n'),
  };
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

type Histogram = ReturnType<typeof histogram>;

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
    /** `label`: such as `route="/v1/act"`; nothing without it */
    lines: (name: string, label = ''): string[] => {
      const bucket = (bound: number | string) => `{${label === '' ? '' : `${label},`}le="${bound}"}`;
      const labels = label === '' ? '' : `{${label}}`;
      return [
        ...bounds.map((bound, place) => `${name}_bucket${bucket(bound)} ${counts[place]}`),
        `${name}_bucket${bucket('+Inf')} ${count}`,
        `${name}_sum${labels} ${sum}`,
        `${name}_count${labels} ${count}`,
      ];
    },
  };
}
