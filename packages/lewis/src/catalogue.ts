/**
 * Concepts to tell apart: each belongs to a category and has several views, some reserved for testing. A view is named
 * by a text, such as the path of a picture; this module reads no pictures. The published layout is `{category:
 * {concept: {train: [], test: []}}}`.
 */
import { EmacError } from '@emac/core';

export interface Concept {
  readonly category: string;
  /** unique within its category */
  readonly name: string;
  readonly train: readonly string[];
  readonly test: readonly string[];
}

/** Sorted by category and name, so that equal contents are equal catalogues. */
export type Catalogue = readonly Concept[];

/** A catalogue in the published layout. Errors: `data`, with the place of the invalid entry. */
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

export interface ListingOptions {
  /**
   * first views of each concept, sorted, for training; two of four or more views, else one, stay for testing; default 5
   */
  readonly trainingViews?: number;
  /** of concepts in folders without a category above them; default `object` */
  readonly category?: string;
}

const picture = /\.(?:png|jpe?g)$/i;

/**
 * A catalogue from a listing of picture folders: paths with slashes, `category/concept/picture.png` or
 * `concept/picture.png`. A concept without a second view is skipped. Other files are ignored. Errors: `data` for
 * pictures at another depth, or if nothing is left.
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
