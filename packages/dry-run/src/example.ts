/** What the policy would read and should say: one real observation, and more like it to measure with. */
import {
  Random,
  promptOf,
  type Environment,
  type Expert,
  type LabelRequest,
  type Observation,
  type Policy,
  type Prompt,
  type Speech,
  type Trajectory,
} from '@emac/core';
import { datasetPrompt, givenPicture, outputTexts, type Dataset } from '@emac/datasets';
import { encodePng } from '@emac/images';
import type { PolicyForm } from '@emac/opening';
import { expertActs, historyOf, labelled, promptAt, rollout, textOf } from '@emac/rollout';
import { handcodedExpert } from '@emac/world';

/** A prompt with what it should be answered. */
export interface Sample {
  readonly prompt: Prompt;
  /** with what stands before it in the history */
  readonly target: string;
}

export interface Examples {
  /** where it is from: a game’s id, or a file and the number of the record */
  readonly source: string;
  /** who says what the target is */
  readonly saidBy: string;
  /** as they come in a game or a dataset; the first one is shown */
  readonly samples: readonly Sample[];
  /** the same at the last step that is possible; of a dataset the longest of them */
  readonly last: Sample;
  /** pictures that were encoded for them */
  readonly pictures: number;
  /** bytes of a picture as PNG */
  readonly pictureBytes: number;
  /** what an expert would be asked at the first and at the last possible step; null without a game */
  readonly asked: { readonly first: LabelRequest; readonly last: LabelRequest } | null;
}

export interface Playing {
  readonly policy: Pick<Policy, 'encode' | 'decide'>;
  readonly texts: Speech;
  readonly form: Pick<PolicyForm, 'text' | 'maxSteps'>;
}

/** where nobody knows a command */
const fallback = 'look';

export interface Players {
  /** null where it is paid, or there is none */
  readonly expert: Expert | null;
  /** stands in for it; absent: the hand-coded one of ALFWorld */
  readonly scripted?: Expert | undefined;
}

/** The expert plays the first task; one that is paid, or null, is stood in for by a scripted one. */
export async function examplesOfGame(
  environment: Environment,
  { expert, scripted = handcodedExpert() }: Players,
  { policy, texts, form }: Playing,
): Promise<Examples> {
  const { task, first, steps } = await playedBy(expert ?? scripted, environment, { policy, texts, form });
  const samples = steps.flatMap(({ observation, prompt, label }): Sample[] => {
    const command = labelled(label);
    return prompt && command !== null ? [{ prompt, target: texts.target(command, observation) }] : [];
  });
  if (samples.length === 0) samples.push(await withoutLabel(first, { policy, texts }));
  const history = historyOf(first.text, steps);
  const played = history.turns.length > 0 ? history.turns : [{ command: fallback, observation: first.text }];
  const longest = Array.from({ length: form.maxSteps - 1 }, (_, index) => played[index % played.length]!);
  const long = { initial: history.initial, turns: longest };
  const last = steps.at(-1)?.observation ?? first;
  const seen = samples.at(-1)!.prompt.filter((part) => part.kind === 'image');
  const request = { task, memories: [], admissible: first.admissible };
  const [frame] = first.frames;
  return {
    source: task.id,
    saidBy: expert ? 'the expert' : 'the hand-coded expert',
    samples,
    last: {
      prompt: [
        ...seen,
        { kind: 'text', text: texts.prompt({ history: long, observation: last, memories: [] }) },
      ],
      target: samples.at(-1)!.target,
    },
    pictures: steps.length,
    pictureBytes: frame ? (await encodePng(frame)).byteLength : 0,
    asked: {
      first: { ...request, history: { initial: history.initial, turns: [] } },
      last: { ...request, history: long },
    },
  };
}

/** One attempt, in which only the expert acts. */
async function playedBy(
  expert: Expert,
  environment: Environment,
  { policy, texts, form }: Playing,
): Promise<Trajectory> {
  const [task] = environment.tasks;
  const [trajectory] = await rollout(
    {
      environment,
      policy,
      texts,
      sampling: { kind: 'search', beams: 1 },
      expert,
      asksPolicy: false,
      maxSteps: form.maxSteps,
      stopRepeating: true,
      admissibleOnly: false,
      policyMemory: false,
      parallel: 1,
    },
    [
      {
        task: task!,
        number: 0,
        random: Random.fromSeed('dry run'),
        memories: [],
        expertShare: expertActs.start,
        made: [],
      },
    ],
  );
  return trajectory!;
}

async function withoutLabel(
  first: Observation,
  { policy, texts }: Pick<Playing, 'policy' | 'texts'>,
): Promise<Sample> {
  const history = { initial: first.text, turns: [] };
  const text = texts.prompt({ history, observation: first, memories: [] });
  return { prompt: await promptAt(policy, first, text), target: texts.target(fallback, first) };
}

/** records that are read for it */
const ofDataset = 8;

/** The first records of a dataset. */
export async function examplesOfDataset(
  dataset: Dataset,
  { policy, form }: Pick<Playing, 'form'> & { readonly policy: Pick<Policy, 'encode' | 'countPromptTokens'> },
): Promise<Examples> {
  const count = Math.min(ofDataset, dataset.length);
  const samples: Sample[] = [];
  for (let index = 0; index < count; index++) {
    const record = dataset.record(index);
    const frame = await givenPicture(dataset, index, form.text).frame();
    const text = datasetPrompt(record, form.text.maxTokens, policy);
    const prompt = promptOf([await policy.encode(frame)], text);
    samples.push({ prompt, target: outputTexts(record).target(record.text_output) });
  }
  const lengthOf = ({ prompt }: Sample) => policy.countPromptTokens(textOf(prompt));
  return {
    source: `${dataset.path}, record ${dataset.number(0)}`,
    saidBy: 'the dataset',
    samples,
    last: samples.reduce((longest, each) => (lengthOf(each) > lengthOf(longest) ? each : longest)),
    pictures: count,
    pictureBytes: 0,
    asked: null,
  };
}
