/** Answers as JSON, exact to the last bit: JSON has no −0, NaN or infinity, so numbers are stored as float64 bytes. */
import type { Answer, PossibleTokens } from '@emac/core';
import type { SaidSteps } from '@emac/rollout';

interface PackedAnswers {
  readonly texts: readonly string[];
  readonly tokens: readonly (readonly number[])[];
  /** whether each has entropies */
  readonly drawn: readonly boolean[];
  /** for each its possible tokens; absent where none has any */
  readonly possible?: readonly (PossibleTokens | null)[];
  /** per answer its log-probabilities, then its entropies if it has them */
  readonly numbers: string;
}

function packAnswers(answers: readonly Answer[]): PackedAnswers {
  return {
    texts: answers.map(({ text }) => text),
    tokens: answers.map(({ tokens }) => tokens),
    drawn: answers.map(({ entropies }) => entropies !== undefined),
    ...(answers.some(({ possible }) => possible) && {
      possible: answers.map(({ possible = null }) => possible),
    }),
    numbers: packNumbers(
      answers.flatMap(({ logProbabilities, entropies = [] }) => [...logProbabilities, ...entropies]),
    ),
  };
}

function unpackAnswers({ texts, tokens, drawn, possible, numbers }: PackedAnswers): Answer[] {
  const all = [...unpackNumbers(numbers)];
  let start = 0;
  const next = (count: number): number[] => all.slice(start, (start += count));
  return texts.map((text, which): Answer => {
    const own = tokens[which]!;
    const said = { text, tokens: own, logProbabilities: next(own.length) };
    const chosen = possible?.[which];
    return {
      ...said,
      ...(drawn[which] && { entropies: next(own.length) }),
      ...(chosen && { possible: chosen }),
    };
  });
}

export interface PackedSteps extends Pick<SaidSteps, 'draws' | 'after'> {
  readonly answers: PackedAnswers;
  readonly values: string;
  readonly finalValues: string;
  readonly nextValues: string;
}

export function packSteps({ answers, values, finalValues, nextValues, ...said }: SaidSteps): PackedSteps {
  return {
    ...said,
    answers: packAnswers(answers),
    values: packNumbers(values),
    finalValues: packNumbers(finalValues),
    nextValues: packNumbers(nextValues),
  };
}

export function unpackSteps({ answers, values, finalValues, nextValues, ...said }: PackedSteps): SaidSteps {
  return {
    ...said,
    answers: unpackAnswers(answers),
    values: unpackNumbers(values),
    finalValues: unpackNumbers(finalValues),
    nextValues: unpackNumbers(nextValues),
  };
}

/** Base64 of the numbers as float64, little-endian. */
export function packNumbers(numbers: ArrayLike<number>): string {
  const bytes = Buffer.alloc(8 * numbers.length);
  for (let place = 0; place < numbers.length; place++) bytes.writeDoubleLE(numbers[place]!, 8 * place);
  return bytes.toString('base64');
}

export function unpackNumbers(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  return Float64Array.from({ length: bytes.length / 8 }, (_, place) => bytes.readDoubleLE(8 * place));
}
