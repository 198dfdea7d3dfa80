/** Descriptions as a listener is given them: true, vague or wrong, of careless speakers too. */
import type { Random } from '@emac/core';
import { readDescription, type Thing, type Verdict } from '@emac/lewis';
import { speakerPieces, textOf, type Flaw } from './speech.ts';
import { attributes, vague, type Attribute, type Said, type Words } from './words.ts';

export interface Heard {
  /** the text from `readDescription` */
  readonly text: string;
  /** whether all that is named is true of the thing */
  readonly right: Verdict;
}

/** Shares of descriptions: nothing left open, nothing wrong, another shape, another colour in the coarse part, one part alone, form broken. */
const shares = { full: 0.5, true: 0.5, shape: 0.06, coarse: 0.12, part: 0.08, flaw: 0.1 } as const;

/** A description of a thing, half of them wrong. */
export function drawDescription(thing: Thing, words: Words, random: Random): Heard {
  const isFull = random.uniform() < shares.full;
  const namedOnes = attributes.filter(() => isFull || random.uniform() < 0.5);
  const wrong = random.uniform() < shares.true ? [] : drawWrong(namedOnes, random);
  const another = (name: Attribute | 'shape') =>
    random.pick(words[name].filter((word) => word !== thing[name]));
  const wordFor = (name: Attribute): string => {
    if (!namedOnes.includes(name)) return vague[name];
    return wrong.includes(name) ? another(name) : thing[name];
  };
  const said: Said = { colour: wordFor('colour'), pattern: wordFor('pattern'), edge: wordFor('edge') };
  const shape = random.uniform() < shares.shape ? another('shape') : thing.shape;
  const coarseColour =
    random.uniform() < shares.coarse
      ? random.pick([vague.colour, thing.colour, another('colour')])
      : said.colour;
  const { coarse, detailed, text } = readDescription(writtenBy({ shape, said, coarseColour }, random), shape);
  const part = random.uniform();
  const heard =
    part > shares.part
      ? { text, colours: [said.colour, coarseColour], rest: true }
      : partOf(part, { coarse, detailed, said, coarseColour });
  const isTrue = (word: string, name: Attribute) => word === vague[name] || word === thing[name];
  const fits =
    shape === thing.shape &&
    heard.colours.every((colour) => isTrue(colour, 'colour')) &&
    (!heard.rest || (isTrue(said.pattern, 'pattern') && isTrue(said.edge, 'edge')));
  return { text: heard.text, right: fits ? 'yes' : 'no' };
}

interface Parts {
  readonly coarse: string;
  readonly detailed: string;
  readonly said: Said;
  readonly coarseColour: string;
}

/** One part alone; the coarse one has only the colour. */
function partOf(chance: number, { coarse, detailed, said, coarseColour }: Parts) {
  return chance < shares.part / 2
    ? { text: coarse, colours: [coarseColour], rest: false }
    : { text: detailed, colours: [said.colour], rest: true };
}

/** Mostly one of the named attributes; none if none is named. */
function drawWrong(named: readonly Attribute[], random: Random): readonly Attribute[] {
  if (named.length === 0) return [];
  const one = random.pick(named);
  return random.uniform() < 0.6 ? [one] : named.filter((each) => each === one || random.uniform() < 0.5);
}

function writtenBy(
  { shape, said, coarseColour }: { shape: string; said: Said; coarseColour: string },
  random: Random,
): string {
  const flaw: Flaw = random.uniform() < shares.flaw ? random.pick(['thinking', 'coarse', 'detailed']) : null;
  const unused = { word: '', share: 0 };
  const named = { colour: unused, pattern: unused, edge: unused };
  return textOf(speakerPieces({ shape, said, coarseColour, flaw, named }));
}
