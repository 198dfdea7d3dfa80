/**
 * Generators side by side, for models so small that several threads in one run mostly wait for each other: one prompt
 * is answered by a generator that uses all cores, several by generators of one core each, every one a part of them.
 */
import type { GeneratedText } from './generated-text.ts';
import type { GenerationRequest, Generator, SampleRequest } from './generator.ts';

export interface SpreadOptions {
  /** answers one prompt where nothing else is under way */
  readonly alone: Generator;
  /** how many work side by side otherwise */
  readonly lanes: number;
  /** opens the lane of that number, when it is first needed */
  readonly open: (lane: number) => Promise<Generator>;
}

interface Lane {
  readonly generator: () => Promise<Generator>;
  /** requests under way */
  load: number;
}

/** What of a batch one lane answers: places in the batch. */
interface Share {
  readonly lane: Lane;
  readonly places: readonly number[];
}

type Request = GenerationRequest | SampleRequest;

/** A generator over several, which it disposes of. Errors: also those of `open`. */
export function spreadGenerator({ alone, lanes: count, open }: SpreadOptions): Generator {
  const opened = new Map<number, Promise<Generator>>();
  const lane = (number: number): Lane => {
    const generator = () => {
      const found = opened.get(number) ?? open(number);
      opened.set(number, found);
      found.catch(() => opened.delete(number));
      return found;
    };
    return { generator, load: 0 };
  };
  const whole: Lane = { generator: () => Promise.resolve(alone), load: 0 };
  const lanes = Array.from({ length: count }, (_, number) => lane(number));
  const spread = async <Each extends Request, Answer>(
    requests: readonly Each[],
    answer: (generator: Generator, part: readonly Each[]) => Promise<Answer[]>,
  ): Promise<Answer[]> => {
    const answers: Answer[] = [];
    const parts = sharesOf(requests, whole, lanes).map(async ({ lane: each, places }) => {
      each.load += places.length;
      try {
        const found = await answer(
          await each.generator(),
          places.map((place) => requests[place]!),
        );
        places.forEach((place, index) => (answers[place] = found[index]!));
      } finally {
        each.load -= places.length;
      }
    });
    await Promise.allSettled(parts);
    await Promise.all(parts);
    return answers;
  };
  const generateBatch = (requests: readonly GenerationRequest[]): Promise<GeneratedText[]> =>
    spread(requests, (generator, part) => generator.generateBatch(part));
  const sampleBatch = (requests: readonly SampleRequest[]): Promise<GeneratedText[][]> =>
    spread(requests, (generator, part) => generator.sampleBatch(part));
  return {
    generateBatch,
    sampleBatch,
    generate: async (prompt, options) => (await generateBatch([{ prompt, options }]))[0]!,
    sample: async (prompt, options) => (await sampleBatch([{ prompt, options }]))[0]!,
    dispose: async () => {
      const open = await Promise.allSettled(opened.values());
      await Promise.all(open.map((each) => each.status === 'fulfilled' && each.value.dispose()));
      await alone.dispose();
    },
  };
}

/** Idle lanes take equal parts of a batch; where none is idle, the one with the fewest requests takes all of it. */
function sharesOf(requests: readonly Request[], whole: Lane, lanes: readonly Lane[]): Share[] {
  const isQuiet = [whole, ...lanes].every(({ load }) => load === 0);
  if (requests.length <= 1 && isQuiet) return requests.map((_, place) => ({ lane: whole, places: [place] }));
  const idle = lanes.filter(({ load }) => load === 0);
  const least = lanes.reduce((a, b) => (b.load < a.load ? b : a));
  const taking = (idle.length > 0 ? idle : [least]).slice(0, requests.length);
  const parts = partsByLength(
    requests.map(({ prompt }) => prompt.tokens.length),
    taking.length,
  );
  return parts.map((places, part) => ({ lane: taking[part]!, places }));
}

/** Places of `lengths` in parts of like lengths with nearly equal sums: the less padding, the less work. */
function partsByLength(lengths: readonly number[], count: number): number[][] {
  const order = lengths.map((_, place) => place).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const parts: number[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const place of order) {
    const middle = before + lengths[place]! / 2;
    parts[Math.min(count - 1, Math.floor((middle / total) * count))]!.push(place);
    before += lengths[place]!;
  }
  return parts.filter((places) => places.length > 0);
}
