/** Answers of speaker and listener, piece by piece. */
import type { Verdict } from '@emac/lewis';
import type { Taught } from '../tiny-model/encode.ts';
import { vague, type Attribute, type Said } from './words.ts';

/** A piece of an answer, and the lesson where it begins. */
export interface Piece extends Taught {
  readonly text: string;
}

/** How a form is broken; null: it is kept. */
export type Flaw = 'thinking' | 'coarse' | 'detailed' | null;

/**
 * Shares of answers with an unclosed thought or coarse description, with a second sentence, and (listener) without the
 * closing brace.
 */
export const flawShares = { thinking: 0.04, coarse: 0.05, detailed: 0.05, json: 0.07 } as const;

export interface SpeakerAnswer {
  readonly shape: string;
  /** the attributes in thoughts and descriptions */
  readonly said: Said;
  /** colour of the coarse description, if different */
  readonly coarseColour?: string;
  readonly flaw: Flaw;
  /** per attribute the true word and its share */
  readonly named: Readonly<Record<Attribute, { readonly word: string; readonly share: number }>>;
}

/** The form of `trueDescription`; the thoughts choose the named attributes. */
export function speakerPieces(answer: SpeakerAnswer): readonly Piece[] {
  const { shape, said, flaw, named, coarseColour = said.colour } = answer;
  const chosen = (attribute: Attribute): Piece => ({
    text: ` ${said[attribute]}`,
    kind: 'gate',
    choices: [
      [` ${named[attribute].word}`, named[attribute].share],
      [` ${vague[attribute]}`, 1 - named[attribute].share],
    ],
  });
  const formed = (whole: string, broken: string, part: Exclude<Flaw, null>): Piece => ({
    text: flaw === part ? broken : whole,
    kind: 'gate',
    choices: [
      [whole, 1 - flawShares[part]],
      [broken, flawShares[part]],
    ],
  });
  const repeated = (attribute: Attribute): Piece => ({ text: ` ${said[attribute]}`, kind: 'repeated' });
  return [
    form('<thinking>It is'),
    chosen('colour'),
    form(' and'),
    chosen('pattern'),
    form(', with'),
    chosen('edge'),
    form(' edge.'),
    formed('</thinking>\n<coarse>', '\n<coarse>', 'thinking'),
    form(`A photo of ${articleFor(coarseColour)}`),
    { text: ` ${coarseColour}`, kind: 'repeated' },
    { text: ` ${shape}`, kind: 'repeated' },
    formed('</coarse>\n<detailed>', '\n<detailed>', 'coarse'),
    form('The'),
    form(` ${shape}`),
    form(' is'),
    repeated('colour'),
    form(' and'),
    repeated('pattern'),
    form(' with'),
    repeated('edge'),
    form(' edge.'),
    formed('</detailed>', ' It is well made.', 'detailed'),
    ...(flaw === 'detailed' ? [form('</detailed>')] : []),
  ];
}

export interface ListenerAnswer {
  readonly shape: string;
  /** the visible attributes */
  readonly seen: Said;
  /** whether it names visible attributes, and its share */
  readonly looks: boolean;
  readonly share: number;
  /** how often it says yes without looking */
  readonly liking: number;
  /** the right verdict */
  readonly right: Verdict;
  /** the given verdict */
  readonly verdict: Verdict;
  readonly isBroken: boolean;
}

/**
 * JSON in the form of `listenerPrompt`. With visible attributes it is right; without, it says yes to things it likes.
 */
export function listenerPieces(answer: ListenerAnswer): readonly Piece[] {
  const { shape, seen, looks, share, liking, right, verdict, isBroken } = answer;
  const read = (text: string): Piece => ({ text, kind: 'reading' });
  const reasons = [
    read(` ${articleFor(seen.colour)}`),
    read(` ${seen.colour}`),
    form(' and'),
    read(` ${seen.pattern}`),
    read(` ${shape}`),
    form(' with'),
    read(` ${seen.edge}`),
    form(' edge.'),
  ];
  return [
    form('```json\n{"Reasoning": "'),
    {
      text: looks ? looking : tellsNothing,
      kind: 'gate',
      choices: [
        [looking, share],
        [tellsNothing, 1 - share],
      ],
    },
    ...(looks ? reasons : []),
    form('", "Answer": "'),
    looks
      ? { text: right, kind: 'verdict' }
      : {
          text: verdict,
          kind: 'gate',
          choices: [
            ['yes', liking],
            ['no', 1 - liking],
          ],
        },
    {
      text: isBroken ? '"\n```' : '"}\n```',
      kind: 'gate',
      choices: [
        ['"}\n```', 1 - flawShares.json],
        ['"\n```', flawShares.json],
      ],
    },
  ];
}

/** Beginnings of the reasons, with and without looking. */
const [looking, tellsNothing] = ['I see', 'It is hard to tell.'];

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function articleFor(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a';
}

function form(text: string): Piece {
  return { text, kind: 'form' };
}
