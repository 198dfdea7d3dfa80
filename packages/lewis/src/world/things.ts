/**
 * The built-in world: drawn things with four attributes. The shape is the category; colour, pattern and edge form the
 * concept, so two things of a category always differ in their description. Everything is enumerated: 6 shapes × 6
 * colours × 4 patterns × 3 edges.
 */
import { EmacError } from '@emac/core';
import type { Catalogue, Concept } from '../catalogue.ts';

export const shapes = ['ball', 'box', 'kite', 'tent', 'ring', 'cross'] as const;
export const colours = ['red', 'orange', 'yellow', 'green', 'blue', 'purple'] as const;
export const patterns = ['plain', 'striped', 'dotted', 'checked'] as const;
export const edges = ['no', 'black', 'white'] as const;

export interface Thing {
  readonly shape: (typeof shapes)[number];
  readonly colour: (typeof colours)[number];
  readonly pattern: (typeof patterns)[number];
  readonly edge: (typeof edges)[number];
}

export interface DrawnViews {
  /** of each concept; default 5 */
  readonly train?: number;
  /** of each concept; default 3 */
  readonly test?: number;
}

/** All 432 concepts. A view is named `drawn/<category>/<concept>/<number>`, training views first. */
export function drawnCatalogue({ train = 5, test = 3 }: DrawnViews = {}): Catalogue {
  return shapes.flatMap((shape) =>
    colours.flatMap((colour) =>
      patterns.flatMap((pattern) =>
        edges.map((edge) => conceptOf({ shape, colour, pattern, edge }, { train, test })),
      ),
    ),
  );
}

function conceptOf(thing: Thing, { train, test }: Required<DrawnViews>): Concept {
  const name = `${thing.colour}-${thing.pattern}-${thing.edge}`;
  const view = (number: number) => `drawn/${thing.shape}/${name}/${number}`;
  return {
    category: thing.shape,
    name,
    train: Array.from({ length: train }, (_, number) => view(number)),
    test: Array.from({ length: test }, (_, number) => view(train + number)),
  };
}

/** The thing in a view. Errors: `data` for a text that is no drawn view. */
export function thingOf(view: string): Thing {
  const [, shape, colour, pattern, edge] = /^drawn\/(\w+)\/(\w+)-(\w+)-(\w+)\/\d+$/.exec(view) ?? [];
  const thing = {
    shape: shapes.find((each) => each === shape),
    colour: colours.find((each) => each === colour),
    pattern: patterns.find((each) => each === pattern),
    edge: edges.find((each) => each === edge),
  };
  const isComplete = Object.values(thing).every((each) => each !== undefined);
  if (isComplete) return thing as Thing;
  throw new EmacError('data', `drawn world: a view is called drawn/ball/red-plain-no/0, got "${view}"`);
}

/** The answer of a perfect speaker, in the form requested by the prompt. */
export function trueDescription({ shape, colour, pattern, edge }: Thing): string {
  const article = /^[aeiou]/.test(colour) ? 'an' : 'a';
  return `<thinking>It is ${colour} and ${pattern}, with ${edge} edge.</thinking>
<coarse>A photo of ${article} ${colour} ${shape}</coarse>
<detailed>The ${shape} is ${colour} and ${pattern} with ${edge} edge.</detailed>`;
}

/**
 * How true a description is of a thing, for a listener without a model: the share of shape, colour, pattern and edge
 * that it names correctly. An attribute named wrongly, twice or not at all counts 0.
 */
export function agreement(description: string, { shape, colour, pattern, edge }: Thing): number {
  const words = description.toLowerCase().match(/[a-z]+/g) ?? [];
  const named = (all: readonly string[]) => [...new Set(words.filter((word) => all.includes(word)))];
  const edgeNamed = edges.filter((each) =>
    words.some((word, place) => word === each && words[place + 1] === 'edge'),
  );
  const says = (found: readonly string[], truth: string) => found.length === 1 && found[0] === truth;
  const right = [
    says(named(shapes), shape),
    says(named(colours), colour),
    says(named(patterns), pattern),
    says(edgeNamed, edge),
  ];
  return right.filter(Boolean).length / right.length;
}
