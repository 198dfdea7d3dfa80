/**
 * Training samples of lewis-tiny: pictures of training concepts, in views of no game, with the game's three prompts. A
 * careless speaker names each attribute, correctly, with a share of 10, 25 or 40 % that depends on the picture. So its
 * greedy answer names only the shape. The listener with one-word answers is good. The listener with reasons is
 * careless: its greedy reasoning stops before it looks, and then it says yes to things it likes, regardless of the
 * question. An even chance would not do: a little of the truth would show and make the right candidate the most
 * probable.
 */
import type { Frame, Random } from '@emac/core';
import {
  drawnCatalogue,
  drawView,
  listenerPrompt,
  listenerQuestion,
  speakerPrompt,
  splitConcepts,
  thingOf,
  type Thing,
} from '@emac/lewis';
import { drawDescription } from './descriptions.ts';
import { flawShares, listenerPieces, speakerPieces, type Flaw, type Piece } from './speech.ts';
import { vague, wordsOf, type Attribute, type Words } from './words.ts';

export type Kind = 'speaker' | 'question' | 'exercise';

export interface Sample {
  readonly kind: Kind;
  readonly thing: Thing;
  readonly frame: Frame;
  readonly prompt: string;
  readonly answer: readonly Piece[];
}

/** The split of every game; held-out concepts are never drawn here. */
export const lewisSplit = splitConcepts(drawnCatalogue(), { seed: 23 });

/** Views of games have the numbers 0 to 7. */
const [firstView, views] = [1000, 1e6];
const kindShares: readonly (readonly [Kind, number])[] = [
  ['speaker', 0.35],
  ['question', 0.4],
  ['exercise', 0.25],
];
/** Shares of named or viewed attributes, by picture. */
const careful = [0.1, 0.25, 0.4] as const;
/** More is shown than the model is to say: how often is taught apart. */
const shown = { named: 0.6, looks: 0.6 } as const;

/** Samples without end; a generator of the same name gives the same ones. */
export function* samples(random: Random): Generator<Sample, never> {
  const { training } = lewisSplit;
  const words = wordsOf(training.map(({ train }) => thingOf(train[0]!)));
  const weights = kindShares.map(([, share]) => share);
  for (;;) {
    const { category, name } = random.pick(training);
    const view = `drawn/${category}/${name}/${firstView + random.integer(views)}`;
    const thing = thingOf(view);
    const [kind] = kindShares[random.weightedIndex(weights)]!;
    yield { kind, thing, frame: drawView(view), ...spoken(kind, { thing, words, random }) };
  }
}

interface Seen {
  readonly thing: Thing;
  readonly words: Words;
  readonly random: Random;
}

function spoken(kind: Kind, seen: Seen): Pick<Sample, 'prompt' | 'answer'> {
  const { thing, words, random } = seen;
  if (kind === 'speaker') return { prompt: speakerPrompt(thing.shape), answer: describes(seen) };
  const { text, right } = drawDescription(thing, words, random);
  if (kind === 'question')
    return { prompt: listenerQuestion(text), answer: [{ text: right, kind: 'verdict' }] };
  const answer = listenerPieces({
    shape: thing.shape,
    seen: thing,
    looks: random.uniform() < shown.looks,
    share: carefulShare(words, thing, 'colour'),
    liking: liking(words, thing),
    right,
    verdict: random.pick(['yes', 'no']),
    isBroken: random.uniform() < flawShares.json,
  });
  return { prompt: listenerPrompt(text), answer };
}

function describes({ thing, words, random }: Seen): readonly Piece[] {
  const named = (attribute: Attribute) => ({
    word: thing[attribute],
    share: carefulShare(words, thing, attribute),
  });
  const said = (attribute: Attribute) =>
    random.uniform() < shown.named ? thing[attribute] : vague[attribute];
  return speakerPieces({
    shape: thing.shape,
    said: { colour: said('colour'), pattern: said('pattern'), edge: said('edge') },
    flaw: drawFlaw(random),
    named: { colour: named('colour'), pattern: named('pattern'), edge: named('edge') },
  });
}

function drawFlaw(random: Random): Flaw {
  const flaws = ['thinking', 'coarse', 'detailed'] as const;
  const chance = random.uniform();
  let sum = 0;
  return flaws.find((flaw) => chance < (sum += flawShares[flaw])) ?? null;
}

/** How often a listener that does not look says yes to a thing: 5 to 95 %, different for each thing of a category. */
export function liking(words: Words, thing: Thing): number {
  const place = (attribute: Attribute) =>
    words[attribute].indexOf(thing[attribute]) - (words[attribute].length - 1) / 2;
  return 1 / (1 + Math.exp(-(0.96 * place('colour') + 0.24 * place('pattern') + 0.08 * place('edge'))));
}

/** By the places of shape and word in their lists. */
export function carefulShare(words: Words, thing: Thing, attribute: Attribute): number {
  const place = words.shape.indexOf(thing.shape) + words[attribute].indexOf(thing[attribute]);
  return careful[place % careful.length]!;
}
