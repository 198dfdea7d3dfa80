/**
 * A policy answered by a server while it learns here. The server gets every adapter version and generates the texts;
 * training uses log-probabilities and values of the local parameters. The server's log-probabilities are compared with
 * the local ones, to detect another adapter, model or prompt under any name.
 */
import type { InferenceAnswer, InferenceServer } from '@emac/bridge';
import {
  invariant,
  readTurns,
  type Acted,
  type Answer,
  type Dialogue,
  type Features,
  type Frame,
  type Prompt,
  type Question,
  type Sampling,
  type ScoredRow,
} from '@emac/core';
import { sightOf } from '@emac/rollout';
import { policyParameters, type Critic, type FixedPolicy, type Student } from '@emac/model';
import type { PpoConfig } from '@emac/settings';
import { adapterVersions, type AdapterVersions } from './adapter-versions.ts';
import { agreement } from './agreement.ts';
import { saidTokens } from './said-tokens.ts';

/** Callbacks around the policy's acting phase. */
export interface Elsewhere {
  /** Has the server answer by the adapter as it is now. Errors: those of the server and of writing. */
  begin(run: string, update: number): Promise<void>;
  /**
   * Metrics of the answers since then. Errors: `unavailable` if the server's numbers do not belong to the local
   * adapter.
   */
  end(): Promise<Readonly<Record<string, number>>>;
}

export interface OpenElsewhere extends Elsewhere {
  /** like the student, but keeps the picture for the server */
  encode(frame: Frame): Promise<Features>;
  act(questions: readonly Question[], sampling: Sampling): Promise<Acted>;
  /** frees stored versions; the networks belong to the student */
  dispose(): void;
}

export interface ElsewhereOptions {
  readonly config: Pick<PpoConfig, 'inference' | 'speech'>;
  readonly server: InferenceServer;
  readonly student: Student;
  /** absent: `message` */
  readonly dialogue?: Dialogue | undefined;
  readonly critic: Pick<Critic, 'values'>;
  /** of the model */
  readonly vocabulary: number;
  /** the adapter's, as they are now */
  readonly files: () => ReadonlyMap<string, Uint8Array>;
  /** PNG */
  readonly encodePicture: (frame: Frame) => Promise<Uint8Array>;
}

export function answersElsewhere(options: ElsewhereOptions): OpenElsewhere {
  const { config, server, student, dialogue, critic, files } = options;
  const pictures = rememberedPictures(options);
  let versions: { readonly run: string; readonly of: AdapterVersions } | null = null;
  let version = '';
  /** parameters of that version, and of the one before it */
  let now: FixedPolicy | null = null;
  let before: FixedPolicy | null = null;
  let agreed = agreement(config.inference);

  const ask = async ({ prompt, random }: Question, temperature: number): Promise<Told> => {
    const { images, text } = partsOf(prompt);
    const said = dialogue === 'turns' ? readTurns(text) : [text];
    const { minLength, maxLength } = config.speech;
    const answer = await server.ask(version, {
      pictures: await Promise.all(images.map(pictures.of)),
      text: said.at(-1)!,
      earlier: said.slice(0, -1),
      temperature,
      minTokens: minLength,
      maxTokens: Math.min(maxLength, student.answerRoom(prompt)),
      endToken: student.endToken,
      seed: random!.integer(2 ** 31),
    });
    return { ...answer, prompt, tokens: saidTokens(answer, options, version) };
  };
  return {
    encode: pictures.encode,
    begin: async (run, update) => {
      if (versions?.run !== run)
        versions = { run, of: adapterVersions({ server, folder: config.inference.adapters!, run }) };
      const name = await versions.of.serve(files(), update);
      agreed = agreement(config.inference);
      if (name === version) return;
      before?.dispose();
      [version, before, now] = [name, now, student.under(policyParameters(student))];
    },
    act: async (questions, sampling) => {
      invariant(sampling.kind === 'sample', 'inference server: answers must be sampled, not searched for');
      const { temperature } = sampling;
      const told = await all(questions.map((question) => ask(question, temperature)));
      const rows = rowsOf(told, temperature);
      const answers = await answersOf(rows, student);
      // raw ones are those before the temperature
      const compared = config.inference.logprobs === 'raw' ? rowsOf(told, 1) : rows;
      const here =
        temperature === compared[0]!.temperature ? answers.map(own) : await scores(compared, student);
      const then = before && (await scores(compared, before));
      told.forEach(({ logProbabilities }, place) =>
        agreed.add(logProbabilities, here[place]!, then && then[place]!),
      );
      return { answers, values: await critic.values(questions.map(({ prompt }) => prompt)) };
    },
    end: async () => ({ inference_logprob_gap: agreed.gap(version) }),
    dispose: () => {
      before?.dispose();
      now?.dispose();
    },
  };
}

/** Pictures as PNG, encoded once each. */
function rememberedPictures({ student, encodePicture }: Pick<ElsewhereOptions, 'student' | 'encodePicture'>) {
  const frames = new WeakMap<Features, Frame>();
  const made = new WeakMap<Features, Promise<Uint8Array>>();
  return {
    encode: async (frame: Frame): Promise<Features> => {
      const features = await sightOf(student, frame);
      frames.set(features, frame);
      return features;
    },
    of: (features: Features): Promise<Uint8Array> => {
      const known = made.get(features);
      if (known) return known;
      const frame = frames.get(features);
      invariant(frame, 'inference server: a picture was not encoded here');
      const picture = encodePicture(frame);
      made.set(features, picture);
      return picture;
    },
  };
}

interface Told extends InferenceAnswer {
  readonly prompt: Prompt;
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

function rowsOf(told: readonly Told[], temperature: number): Tempered[] {
  return told.map(({ prompt, tokens }) => ({ prompt, answers: [tokens], temperature }));
}

interface Tempered extends ScoredRow {
  readonly answers: readonly [readonly number[]];
  readonly temperature: number;
}

/** As the parameters here say them, so that a ratio begins at 1. */
async function answersOf(rows: readonly Tempered[], student: Student): Promise<Answer[]> {
  const found = await student.scoreWithEntropy(rows);
  return rows.map(({ answers: [tokens] }, place) => {
    const { logProbabilities, entropies } = found[place]![0]!;
    return {
      text: student.tokenTexts(tokens).join(''),
      tokens,
      logProbabilities: Array.from(logProbabilities),
      entropies: Array.from(entropies),
    };
  });
}

function own({ logProbabilities }: Answer): ArrayLike<number> {
  return logProbabilities;
}

async function scores(
  rows: readonly Tempered[],
  policy: Pick<FixedPolicy, 'score'>,
): Promise<ArrayLike<number>[]> {
  return (await policy.score(rows)).map(([logProbabilities]) => logProbabilities!);
}
