/**
 * A policy whose answers come from a server while it learns here: the server is given every version of the adapter, says texts by it, and what is learned from
 * are the log-probabilities and values of the parameters here. The server's own log-probabilities of its tokens are compared with these: a server that answers by
 * another adapter, another model or another prompt differs, whatever names it says.
 */
import type { InferenceAnswer, InferenceServer } from '@emac/bridge';
import {
  EmacError,
  invariant,
  type Acted,
  type Answer,
  type Features,
  type Frame,
  type Prompt,
  type Question,
  type Sampling,
} from '@emac/core';
import type { Critic, Student } from '@emac/model';
import type { PpoConfig } from '../config/ppo-config.ts';
import { adapterVersions, type AdapterVersions } from './adapter-versions.ts';

/** What trains tells when the policy acts. */
export interface Elsewhere {
  /** Has the server answer by the adapter as it is now. Errors: those of the server and of writing. */
  begin(run: string, update: number): Promise<void>;
  /** What the answers since were. Errors: `unavailable` where the server's numbers are not those of the adapter here. */
  end(): Promise<Readonly<Record<string, number>>>;
}

export interface ElsewhereOptions {
  readonly config: Pick<PpoConfig, 'inference' | 'speech'>;
  readonly server: InferenceServer;
  readonly student: Student;
  readonly critic: Pick<Critic, 'values'>;
  /** of the model's vocabulary */
  readonly vocabulary: number;
  /** the adapter's, as they are now */
  readonly files: () => ReadonlyMap<string, Uint8Array>;
  /** PNG */
  readonly encodePicture: (frame: Frame) => Promise<Uint8Array>;
}

export interface OpenElsewhere extends Elsewhere {
  /** as the student, remembering the picture, which the server is shown */
  encode(frame: Frame): Promise<Features>;
  act(questions: readonly Question[], sampling: Sampling): Promise<Acted>;
}

export function answersElsewhere(options: ElsewhereOptions): OpenElsewhere {
  const { config, server, student, critic, files } = options;
  const frames = new WeakMap<Features, Frame>();
  const pictures = new WeakMap<Features, Promise<Uint8Array>>();
  const gap = { sum: 0, tokens: 0 };
  let versions: { readonly run: string; readonly of: AdapterVersions } | null = null;
  let version = '';

  const pictureOf = (features: Features): Promise<Uint8Array> => {
    const known = pictures.get(features);
    if (known) return known;
    const frame = frames.get(features);
    invariant(frame, 'inference elsewhere: a picture was not seen here');
    const made = options.encodePicture(frame);
    pictures.set(features, made);
    return made;
  };
  const ask = async ({ prompt, random }: Question, temperature: number): Promise<Told> => {
    const { images, text } = partsOf(prompt);
    const { minLength, maxLength } = config.speech;
    const answer = await server.ask(version, {
      pictures: await Promise.all(images.map(pictureOf)),
      text,
      temperature,
      minTokens: minLength,
      maxTokens: Math.min(maxLength, student.answerRoom(prompt)),
      endToken: student.endToken,
      seed: random!.integer(2 ** 31),
    });
    return { ...answer, tokens: tokensOf(answer, version, options) };
  };
  return {
    encode: async (frame) => {
      const features = await student.encode(frame);
      frames.set(features, frame);
      return features;
    },
    begin: async (run, update) => {
      if (versions?.run !== run)
        versions = { run, of: adapterVersions({ server, folder: config.inference.adapters!, run }) };
      version = await versions.of.serve(files(), update);
      [gap.sum, gap.tokens] = [0, 0];
    },
    act: async (questions, sampling) => {
      invariant(sampling.kind === 'sample', 'inference elsewhere: answers are drawn, not searched for');
      const { temperature } = sampling;
      const told = await all(questions.map((question) => ask(question, temperature)));
      const prompts = questions.map(({ prompt }) => prompt);
      const said = { prompts, told, temperature };
      const answers = await scored(said, student);
      const compared = await comparable(said, answers, { student, mode: config.inference.logprobs });
      told.forEach(({ logProbabilities }, place) =>
        logProbabilities.forEach((theirs, token) => {
          gap.sum += Math.abs(theirs - compared[place]![token]!);
          gap.tokens++;
        }),
      );
      return { answers, values: await critic.values(prompts) };
    },
    end: () => Promise.resolve({ inference_logprob_gap: meanGap(gap, version, config.inference) }),
  };
}

interface Told extends InferenceAnswer {
  readonly tokens: readonly number[];
}

function partsOf(prompt: Prompt): { readonly images: readonly Features[]; readonly text: string } {
  return {
    images: prompt.flatMap((part) => (part.kind === 'image' ? [part.features] : [])),
    text: prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(''),
  };
}

/** When nothing is under way any more: a policy must not be closed while it works. */
async function all<T>(under: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(under);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

/** The ids of an answer, by the server or by the tokenizer here. Errors: `unavailable` where they are not those of its text. */
function tokensOf(
  { text, tokens, logProbabilities, isEnded }: InferenceAnswer,
  version: string,
  { student, vocabulary }: Pick<ElsewhereOptions, 'student' | 'vocabulary'>,
): readonly number[] {
  const found = tokens ?? [...student.answerTokens(text), ...(isEnded ? [student.endToken] : [])];
  const read = found.every((id) => id < vocabulary) ? student.tokenTexts(found).join('') : null;
  if (found.length === logProbabilities.length && read !== null && isSame(read, text)) return found;
  const here =
    tokens === null
      ? `has ${found.length} tokens here and ${logProbabilities.length} there`
      : `has tokens that are ${read === null ? 'not in the vocabulary' : `${JSON.stringify(read.slice(0, 100))}`} here`;
  throw new EmacError(
    'unavailable',
    `inference elsewhere: the answer ${JSON.stringify(text.slice(0, 100))} of ${version} ${here}; the server must serve the model of --policy, with its tokenizer`,
  );
}

/** But for blanks around it, and for a character that was cut off. */
function isSame(one: string, other: string): boolean {
  const bare = (text: string) => text.replace(/\ufffd+$/, '').trim();
  return bare(one) === bare(other);
}

interface Said {
  readonly prompts: readonly Prompt[];
  readonly told: readonly Told[];
  readonly temperature: number;
}

/** As the parameters here say it, so that a ratio begins at 1. */
async function scored({ prompts, told, temperature }: Said, student: Student): Promise<Answer[]> {
  const rows = told.map(({ tokens }, place) => ({ prompt: prompts[place]!, answers: [tokens], temperature }));
  const found = await student.scoreWithEntropy(rows);
  return told.map(({ tokens }, place) => {
    const { logProbabilities, entropies } = found[place]![0]!;
    return {
      text: student.tokenTexts(tokens).join(''),
      tokens,
      logProbabilities: Array.from(logProbabilities),
      entropies: Array.from(entropies),
    };
  });
}

/** What the server's numbers are compared with: raw ones are those before the temperature. */
async function comparable(
  { prompts, told, temperature }: Said,
  answers: readonly Answer[],
  { student, mode }: { readonly student: Student; readonly mode: PpoConfig['inference']['logprobs'] },
): Promise<(readonly number[])[]> {
  if (mode === 'processed' || temperature === 1)
    return answers.map(({ logProbabilities }) => logProbabilities);
  const rows = told.map(({ tokens }, place) => ({ prompt: prompts[place]!, answers: [tokens] }));
  return (await student.score(rows)).map(([logProbabilities]) => Array.from(logProbabilities!));
}

function meanGap(
  { sum, tokens }: { readonly sum: number; readonly tokens: number },
  version: string,
  { maxGap }: PpoConfig['inference'],
): number {
  const gap = sum / tokens;
  if (gap <= maxGap) return gap;
  throw new EmacError(
    'unavailable',
    `inference elsewhere: the server's log-probabilities for ${version} differ from those here by ${gap.toPrecision(3)} a token (--inference-max-gap ${maxGap}): it answers by another adapter or model, in another prompt, or tells ${otherMode} (--inference-logprobs); nothing of this update is used`,
  );
}

const otherMode = 'log-probabilities of another kind';
