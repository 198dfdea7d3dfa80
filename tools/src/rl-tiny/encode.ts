/** rl-tiny's samples as numbers. */
import type { TinyVocabulary } from '../tiny-model/vocabulary.ts';
import { encodeWritten, type EncodedSample, type Taught } from '../tiny-model/encode.ts';
import { factsOf } from './facts.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';

/** Kind of an answer token: form, reading of the frame, continuation of thoughts, conclusion, action. */
export type Kind = 'form' | 'reading' | 'gate' | 'conclusion' | 'action';

/** Where thoughts may continue or end, both are taught, by their shares. */
export function encodeSample(sample: Sample, vocabulary: TinyVocabulary): EncodedSample {
  const { id, frame, prompt, answer, reading, careful } = sample;
  const kindAt = kindsIn(answer);
  const taught = (position: number, piece: string): Taught => {
    const kind = kindAt(position, piece);
    if (kind !== 'gate') return { kind };
    return {
      kind,
      choices: [
        [goingOn, careful!],
        [ending, 1 - careful!],
      ],
    };
  };
  const written = { id, frame, prompt, answer, taught, facts: factsOf(id, reading) };
  return encodeWritten(written, { vocabulary, pattern: piecePattern });
}

/** The pieces that continue or end thoughts. */
const [goingOn, ending] = ['; ', '", '];

/** A piece's kind, by its position. */
function kindsIn(answer: string): (position: number, piece: string) => Kind {
  const action = answer.lastIndexOf('"action": "') + '"action": "'.length;
  const thoughts = /"thoughts": "([^";]*)/.exec(answer);
  const gate = thoughts ? thoughts.index + thoughts[0].length : -1;
  return (position, piece) => {
    if (position === action) return 'action';
    if (position === gate) return 'gate';
    if (/["{}]/.test(piece)) return 'form';
    if (gate >= 0 && position > gate) return 'conclusion';
    return /[a-z\d]/i.test(piece) ? 'reading' : 'form';
  };
}
