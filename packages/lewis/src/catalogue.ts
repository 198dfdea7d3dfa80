/**
 * Things that are to be told apart: each is a concept of a category and has several views, some of them kept for testing. A view is named by a
 * text, such as the path of a picture; nothing is read here. The published layout is `{category: {concept: {train: [], test: []}}}`.
 */
import { EmacError } from '@emac/core';

export interface Concept {
  readonly category: string;
  /** no other of its category has it */
  readonly name: string;
  readonly train: readonly string[];
  readonly test: readonly string[];
}

/** Sorted by category and name, so that equal contents are equal catalogues. */
export type Catalogue = readonly Concept[];

/** A catalogue in the published layout. Errors: `data` with the place of what is something else. */
export function readCatalogue(json: unknown): Catalogue {
  const concepts = entriesOf(json, 'catalogue').flatMap(([category, ofCategory]) =>
    entriesOf(ofCategory, category).map(([name, views]) => {
      const place = `${category}/${name}`;
      const parts = new Map(entriesOf(views, place));
      return {
        category,
        name,
        train: viewsOf(parts.get('train'), `${place}/train`),
        test: viewsOf(parts.get('test'), `${place}/test`),
      };
    }),
  );
  return sorted(concepts);
}

/** A catalogue in the published layout, for `JSON.stringify`. */
export function catalogueJson(catalogue: Catalogue): Readonly<Record<string, unknown>> {
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  return Object.fromEntries(
    categories.map((category) => [
      category,
      Object.fromEntries(
        catalogue
          .filter((concept) => concept.category === category)
          .map(({ name, train, test }) => [name, { train, test }]),
      ),
    ]),
  );
}

export interface ListingOptions {
  /** of each concept the first views, sorted, are for training: so many, but two views are left for testing where there are four, else one; default 5 */
  readonly trainingViews?: number;
  /** of things in folders without a category above them; default `object` */
  readonly category?: string;
}

const picture = /\.(?:png|jpe?g)$/i;

/**
 * A catalogue of folders with pictures, from their listing: paths with slashes below the folder that was named, `category/concept/picture.png` or
 * `concept/picture.png`; a concept without a second view is left out. Other files are passed over. Errors: `data` for pictures that lie deeper or higher, or where nothing is left.
 */
export function catalogueOfListing(paths: readonly string[], options: ListingOptions = {}): Catalogue {
  const { trainingViews = 5, category: single = 'object' } = options;
  const concepts = new Map<string, { category: string; name: string; views: string[] }>();
  for (const path of [...paths].sort(byCode)) {
    if (!picture.test(path)) continue;
    const folders = path.split('/').slice(0, -1);
    if (folders.length < 1 || folders.length > 2)
      throw new EmacError(
        'data',
        `pictures: must lie in category/concept/ or concept/, got "${path}"; move it or name another folder`,
      );
    const [category, name] = folders.length === 2 ? folders : [single, folders[0]];
    const key = JSON.stringify([category, name]);
    const concept = concepts.get(key) ?? { category: category!, name: name!, views: [] };
    concept.views.push(path);
    concepts.set(key, concept);
  }
  const usable = [...concepts.values()].filter(({ views }) => views.length >= 2);
  if (usable.length === 0)
    throw new EmacError(
      'data',
      `pictures: needs a concept with two views, got ${concepts.size} concepts with at most one`,
    );
  return sorted(
    usable.map(({ category, name, views }) => {
      const left = views.length >= 4 ? 2 : 1;
      const count = Math.max(1, Math.min(trainingViews, views.length - left));
      return { category, name, train: views.slice(0, count), test: views.slice(count) };
    }),
  );
}

function sorted(concepts: readonly Concept[]): Catalogue {
  return [...concepts].sort((a, b) => byCode(a.category, b.category) || byCode(a.name, b.name));
}

/** By code point, the same on every machine. */
function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function entriesOf(value: unknown, place: string): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw new EmacError('data', `catalogue: ${place} must be an object, got ${JSON.stringify(value)}`);
}

function viewsOf(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value as string[];
  throw new EmacError('data', `catalogue: ${place} must be a list of paths, got ${JSON.stringify(value)}`);
}
