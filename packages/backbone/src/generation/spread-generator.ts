/**
 * Generators side by side, for models so small that several threads in one run mostly wait for each other: a generator
 * with all cores answers single prompts, generators of one core each answer several. Each batch is split by its own
 * contents alone, not by other load, so equal calls give equal bits.
 */
import type { DrawnText, GeneratedText } from './search/generated-text.ts';
import type { GenerationRequest, Generator, SampleRequest } from './generator.ts';

export interface SpreadOptions {
  /** answers batches of one prompt, in the thread of lane 0 */
  readonly alone: Generator;
  /** how many work side by side on larger batches, each giving the same bits */
  readonly lanes: number;
  /** opens the lane of this number, on first use */
  readonly open: (lane: number) => Promise<Generator>;
}

/** Fewest prompts in a part of a batch: smaller parts cost more per prompt. Smaller batches are split one by one. */
const leastPart = 4;

interface Lane {
  readonly generator: () => Promise<Generator>;
  /** prompts under way in its thread */
  load: number;
}

type Request = GenerationRequest | SampleRequest;

/** A generator over several; it disposes of them. Errors: also those of `open`. */
export function spreadGenerator({ alone, lanes: count, open }: SpreadOptions): Generator {
  const { lanes, dispose } = lanesOf(count, open);
  const answerPart = async <Answer>(
    size: number,
    answer: (generator: Generator) => Promise<Answer>,
    single: boolean,
  ): Promise<Answer> => {
    const taking = single
      ? lanes[0]!
      : lanes.reduce((least, each) => (each.load < least.load ? each : least));
    taking.load += size;
    try {
      return await answer(single ? alone : await taking.generator());
    } finally {
      taking.load -= size;
    }
  };
  const spread = async <Each extends Request, Answer>(
    requests: readonly Each[],
    answer: (generator: Generator, part: readonly Each[]) => Promise<Answer[]>,
  ): Promise<Answer[]> => {
    const answers: Answer[] = [];
    const lengths = requests.map(({ prompt }) => prompt.tokens.length);
    const parts = partsByLength(lengths, partCount(requests.length, count)).map(async (places) => {
      const part = places.map((place) => requests[place]!);
      const found = await answerPart(
        part.length,
        (generator) => answer(generator, part),
        requests.length === 1,
      );
      places.forEach((place, index) => (answers[place] = found[index]!));
    });
    await Promise.allSettled(parts);
    await Promise.all(parts);
    return answers;
  };
  const generateBatch = (requests: readonly GenerationRequest[]): Promise<GeneratedText[]> =>
    spread(requests, (generator, part) => generator.generateBatch(part));
  const sampleBatch = (requests: readonly SampleRequest[]): Promise<DrawnText[][]> =>
    spread(requests, (generator, part) => generator.sampleBatch(part));
  return {
    generateBatch,
    sampleBatch,
    generate: async (prompt, options) => (await generateBatch([{ prompt, options }]))[0]!,
    sample: async (prompt, options) => (await sampleBatch([{ prompt, options }]))[0]!,
    dispose: async () => {
      await dispose();
      await alone.dispose();
    },
  };
}

/** Each lane opens on first use; a failed one is retried. */
function lanesOf(count: number, open: SpreadOptions['open']) {
  const opened = new Map<number, Promise<Generator>>();
  const generatorOf = (number: number): Promise<Generator> => {
    const found = opened.get(number) ?? open(number);
    opened.set(number, found);
    found.catch(() => opened.delete(number));
    return found;
  };
  return {
    lanes: Array.from({ length: count }, (_, number): Lane => ({
      generator: () => generatorOf(number),
      load: 0,
    })),
    async dispose(): Promise<void> {
      const ended = await Promise.allSettled(opened.values());
      await Promise.all(ended.map((each) => each.status === 'fulfilled' && each.value.dispose()));
    },
  };
}

function partCount(requests: number, lanes: number): number {
  return Math.min(lanes, requests < leastPart ? requests : Math.floor(requests / leastPart));
}

/** Indices into `lengths`, in parts of similar lengths with nearly equal sums: less padding, less work. */
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
