/** The tokens of a server's answer, which must decode to its text here: this reveals another model's tokenizer. */
import type { InferenceAnswer } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { Student } from '@emac/model';

export interface Reader {
  readonly student: Pick<Student, 'answerTokens' | 'tokenTexts' | 'endToken'>;
  /** ids of the model are below it */
  readonly vocabulary: number;
}

/** Uses the server's ids, or the local tokenizer if there are none. Errors: `unavailable`, naming the version. */
export function saidTokens(
  { text, tokens, logProbabilities, isEnded }: InferenceAnswer,
  { student, vocabulary }: Reader,
  version: string,
): readonly number[] {
  const found = tokens ?? [...student.answerTokens(text), ...(isEnded ? [student.endToken] : [])];
  const fault = (here: string) =>
    new EmacError(
      'unavailable',
      `inference server: the answer ${JSON.stringify(text.slice(0, 100))} of ${version} ${here}; the server must serve the model of --policy, with its tokenizer, and give token ids (return_tokens_as_token_ids)`,
    );
  if (found.length !== logProbabilities.length)
    throw fault(`has ${found.length} tokens here and ${logProbabilities.length} on the server`);
  const unknown = found.find((id) => id >= vocabulary);
  if (unknown !== undefined) throw fault(`has the token ${unknown}, of a vocabulary of ${vocabulary} here`);
  const read = student.tokenTexts(found).join('');
  if (!isSame(read, text)) throw fault(`has tokens that read ${JSON.stringify(read.slice(0, 100))} here`);
  return found;
}

/** But for blanks around it, and for a character that was cut off. */
function isSame(one: string, other: string): boolean {
  const bare = (text: string) => text.replace(/\ufffd+$/, '').trim();
  return bare(one) === bare(other);
}
