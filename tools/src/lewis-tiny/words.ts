/** Words for visible attributes, and for unnamed ones. */
import type { Thing } from '@emac/lewis';

export type Attribute = 'colour' | 'pattern' | 'edge';

/** A word for each attribute: a true one, a wrong one or the vague one. */
export type Said = Readonly<Record<Attribute, string>>;

export const attributes: readonly Attribute[] = ['colour', 'pattern', 'edge'];

/** Words of a speaker that names nothing. */
export const vague: Said = { colour: 'coloured', pattern: 'patterned', edge: 'some' };

/** The words that name something, by attribute. */
export interface Words extends Readonly<Record<Attribute, readonly string[]>> {
  readonly shape: readonly string[];
}

/** All attribute values of a catalogue's things. */
export function wordsOf(things: readonly Thing[]): Words {
  const values = (name: keyof Thing) => [...new Set(things.map((thing) => thing[name]))];
  return {
    shape: values('shape'),
    colour: values('colour'),
    pattern: values('pattern'),
    edge: values('edge'),
  };
}
