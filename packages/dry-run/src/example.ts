/** An example of the policy's prompt and target: one real observation, and more like it for measuring. */
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
import { expertActs, historyOf, labelled, promptAt, rollout, seenBy, textOf } from '@emac/rollout';
import { handcodedExpert } from '@emac/world';

/** A prompt with its target. */
export interface Sample {
  readonly prompt: Prompt;
  /** with its prefix in the history */
  readonly target: string;
}

export interface Examples {
  /** its origin: a game's id, or a file and the record's number */
  readonly source: string;
  /** source of the target */
  readonly saidBy: string;
  /** in the order of a game or dataset; the first one is shown */
  readonly samples: readonly Sample[];
  /** the same at the last step that is possible; of a dataset the longest of them */
  readonly last: Sample;
  /** pictures that were encoded for them */
  readonly pictures: number;
  /** bytes of a picture as PNG */
  readonly pictureBytes: number;
  /** the expert's requests at the first and the last possible step; null without a game */
  readonly asked: { readonly first: LabelRequest; readonly last: LabelRequest } | null;
}

export interface Playing {
  readonly policy: Pick<Policy, 'encode' | 'decide' | 'promptOf'>;
  readonly texts: Speech;
  readonly form: Pick<PolicyForm, 'text' | 'maxSteps'>;
}

/** if no command is known */
const fallback = 'look';

export interface Players {
  /** null if it is paid, or there is none */
  readonly expert: Expert | null;
  /** stands in for it */
  readonly scripted?: Expert | undefined;
}

/** The expert plays the first task; a scripted one replaces a paid or missing expert. */
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
    // numbers do not grow with the history
    last: policy.promptOf
      ? samples.at(-1)!
      : {
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

/** One attempt by the expert alone. */
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
    const text = datasetPrompt(record, form.text, policy);
    const prompt = promptOf(await seenBy(policy, [frame]), text);
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
