/** Gives damaged inputs to a parser. Each must give a value, or an `EmacError` that does not blame EMAC. */
import { EmacError, Random } from '@emac/core';
import { mutated } from './mutate.ts';
import { shaped, type Shape } from './shaped.ts';

export interface Parser {
  readonly name: string;
  /** intact inputs */
  readonly seeds: readonly Uint8Array[];
  /** JSON or another text, at least at its beginning */
  readonly isText: boolean;
  /** all intact inputs are JSON: half of the inputs stay so, with other values; default no */
  readonly shape?: Shape;
  /** how many inputs it gets of a thousand: fewer where one takes long */
  readonly share: number;
  read(input: Uint8Array): unknown;
}

export interface Fault {
  readonly parser: string;
  readonly number: number;
  readonly thrown: unknown;
  readonly input: Uint8Array;
}

/** So many inputs; the number of each, with the seed, decides it. Returns the faults, at most one of each message. */
export async function tryInputs(
  parser: Parser,
  { inputs, seed }: { readonly inputs: number; readonly seed: number },
): Promise<Fault[]> {
  const faults = new Map<string, Fault>();
  const stream = Random.fromSeed(seed).stream(parser.name);
  for (let number = 0; number < inputs; number++) {
    const random = stream.stream(number);
    const [input, other] = [random.pick(parser.seeds), random.pick(parser.seeds)];
    const damaged =
      parser.shape && random.integer(2) === 0
        ? shaped(input, { shape: parser.shape, random })
        : mutated(input, { other, random, isText: parser.isText });
    const thrown = await faultOf(parser, damaged);
    if (thrown === null) continue;
    const key = String(thrown).replace(/\d+/g, '0');
    if (!faults.has(key)) faults.set(key, { parser: parser.name, number, thrown, input: damaged });
  }
  return [...faults.values()];
}

/** What a parser throws that is no error of the input; null for a value or a refusal. */
export async function faultOf({ read }: Parser, input: Uint8Array): Promise<unknown> {
  try {
    await read(input);
    return null;
  } catch (thrown) {
    return thrown instanceof EmacError && thrown.code !== 'internal' ? null : thrown;
  }
}
