/**
 * numpy's SeedSequence with a pool of four words: a seed of any length becomes well-mixed 32-bit words (Melissa O'Neill's
 * seed_seq alternative, 2015, with numpy's constants). Spawning and additional keys are not supported.
 */

const poolSize = 4;
const firstHash = { start: 0x43b0d7e5, multiplier: 0x931e8875 };
const secondHash = { start: 0x8b51f9dd, multiplier: 0x58f38ded };

/** `count` unsigned 32-bit words from a non-negative seed. */
export function seedWords(seed: bigint, count: number): number[] {
  const pool = mixedPool(wordsOf(seed));
  const hash = hashing(secondHash);
  return Array.from({ length: count }, (_, place) => hash(pool[place % poolSize]!));
}

/** The seed's 32-bit words, lowest first; 0 is one word. */
function wordsOf(seed: bigint): number[] {
  const words = [Number(BigInt.asUintN(32, seed))];
  for (let rest = seed >> 32n; rest > 0n; rest >>= 32n) words.push(Number(BigInt.asUintN(32, rest)));
  return words;
}

function mixedPool(words: readonly number[]): number[] {
  const hash = hashing(firstHash);
  const pool = Array.from({ length: poolSize }, (_, place) => hash(words[place] ?? 0));
  for (let from = 0; from < poolSize; from++)
    for (let to = 0; to < poolSize; to++) if (from !== to) pool[to] = mixed(pool[to]!, hash(pool[from]!));
  for (const word of words.slice(poolSize))
    for (let to = 0; to < poolSize; to++) pool[to] = mixed(pool[to]!, hash(word));
  return pool;
}

/** A hash with a constant that changes on every call. */
function hashing({ start, multiplier }: typeof firstHash): (value: number) => number {
  let constant = start;
  return (value) => {
    const keyed = value ^ constant;
    constant = Math.imul(constant, multiplier);
    return folded(Math.imul(keyed, constant));
  };
}

function mixed(x: number, y: number): number {
  return folded(Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y));
}

function folded(value: number): number {
  return (value ^ (value >>> 16)) >>> 0;
}
