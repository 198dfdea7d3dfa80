/**
 * A vision-language model for PPO: a trained adapter or projection, or both, and a critic on its states or on those of
 * a second adapter.
 */
import { EmacError, type OpenedKind } from '@emac/core';
import { actorCritic, type Student } from '@emac/model';
import { speechTexts, type StepTexts } from '@emac/rollout';
import { adapterOfPreset, usualEnvironment, type PpoConfig } from '@emac/settings';
import { openedBy } from '../closings.ts';
import { isDescribedElsewhere, kindOf } from '../environments/kind-of.ts';
import type { Host } from '../host.ts';
import { openElsewhere } from '../inference/open-elsewhere.ts';
import { trainedParts } from '../models/adapter.ts';
import { languagePolicy, trainingStart, type AskedForm } from '../models/language-policy.ts';
import { computingOf, openModel, type OpenModel } from '../models/model.ts';
import { dialogueOf, observedBy, requireSight, type PolicyForm } from '../models/policy-form.ts';
import type { ProjectionStart } from '../models/projection-start.ts';
import { actionTexts, actionWordsOf, seenPicture } from './action-tokens.ts';
import { tasksIn, taskTexts } from './environment-tasks.ts';
import { languageTexts } from './language-texts.ts';
import { numberedEnvironment } from './ppo-environments.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';
import type { StepAction } from './robots.ts';
import { openTemporalPredictor } from './temporal-predictor.ts';
import { openValues, storedBeside } from './values.ts';
import { openNumbered, openWorded } from './worded-environments.ts';

/** Opens the model in the folder that the configuration names as its policy. Errors: `missing`, `data`, `usage`, `unavailable`. */
export function openLanguagePolicy(
  config: PpoConfig,
  { random, from, model: place }: PolicyStart,
  host: Host,
): Promise<PpoPolicy> {
  return openedBy(async (open) => {
    const kind = (await openWorded(config, host)) ?? (await openNumbered(config, host));
    open.add(() => kind?.close?.());
    const opened = kind?.numbered === null ? kind : null;
    // held-out games of ALFWorld are played here
    const seats = kind?.numbered || isDescribedElsewhere(config.env) ? kind?.seats?.() : undefined;
    const model = await openModel({ ...config.model, path: place ?? config.policy }, host);
    if (kindOf(config.env, host.environment).robot) requireSight(config.env, model.files);
    const start = withAdapter(config, model, { random, from });
    const policy = await languagePolicy(model, {
      start,
      form: formOf(config, { start, model, opened }),
      train: trainedParts(config, model),
      dropoutSeed: random.stream('dropout').path,
    });
    open.add(() => policy.dispose());
    const { student, form } = policy;
    const values = await openValues({ config, model, student }, { random, from });
    open.add(() => values.dispose());
    const { critic } = values;
    const elsewhere = await openElsewhere({ config, model, start, student, critic, ...form.text }, host);
    open.add(() => elsewhere?.dispose());
    const actor = actorCritic({ policy: student, critic });
    const answering = elsewhere ? { ...student, encode: student.encode && elsewhere.encode } : student;
    const texts: StepTexts<StepAction> = opened
      ? speechTexts(opened.speech(answering, form.text), answering)
      : textsOf(config, answering, { model, ...form });
    const predictor =
      config.shaping.temporalPredictor > 0
        ? openTemporalPredictor({
            config,
            model,
            student,
            texts,
            parameters: storedBeside(from, 'temporalPredictor') ?? random.stream('temporal predictor'),
          })
        : null;
    return {
      ...policy,
      actorCritic: elsewhere ? { ...actor, act: elsewhere.act } : actor,
      texts,
      kind,
      computing: computingOf(model),
      evaluatedAtOnce: Math.min(8, seats ?? 8),
      content: () => {
        const { projection, beside = [] } = policy.content();
        const added = [...values.files(), ...(predictor ? [predictor.files()] : [])];
        return { projection, beside: [...beside, ...added] };
      },
      predictor: predictor && predictor.predictor,
      elsewhere,
      dispose: () => open.close(),
    };
  });
}

/** The texts of an environment stepped by number. */
function textsOf(
  config: PpoConfig,
  student: Student,
  { model: { files }, text: { dialogue } }: { readonly model: OpenModel } & Pick<PolicyForm, 'text'>,
): StepTexts<StepAction> {
  const { actionOnly, actionScores, malformedPenalty } = config.speech;
  if (kindOf(config.env).robot) {
    const shown = { env: config.env, family: files.family.name };
    return actionTexts({
      words: actionWordsOf(files, config.env),
      endToken: student.endToken,
      penalty: malformedPenalty,
      encode: student.encode && ((frame) => student.encode!(seenPicture(frame, shown))),
    });
  }
  const { id: own, actions } = numberedEnvironment(config);
  const of = (id: string) =>
    languageTexts({
      environment: { id, actions },
      palette: config.play.palette,
      actionOnly,
      actionScores,
      dialogue,
      encode: student.encode,
      tokenTexts: (tokens) => student.tokenTexts(tokens),
    });
  const tasks = tasksIn(config);
  return tasks ? taskTexts(tasks.map(of)) : of(own);
}

/**
 * The model's own projection, or a checkpoint's, with the trained adapter. Without dropout, whatever the starting
 * adapter was trained with: answers are sampled without it, and a ratio must compare two policies, not one with its
 * dropout masks. Errors: `usage`.
 */
function withAdapter(config: PpoConfig, model: OpenModel, { random, from }: PolicyStart): ProjectionStart {
  if (config.trained.dropout)
    throw new EmacError('usage', `--lora-dropout: must be 0 for PPO, got ${config.trained.dropout}`);
  const start = trainingStart(config, { model, from, random, fresh: adapterOfPreset(config.preset) });
  const { adapter } = start;
  return { ...start, adapter: adapter && { ...adapter, settings: { ...adapter.settings, dropout: 0 } } };
}

interface Spoken {
  readonly start: ProjectionStart;
  readonly model: OpenModel;
  readonly opened: OpenedKind | null;
}

/** As checkpoints of other training have it, so that other commands open them too. */
function formOf({ env, speech, play }: PpoConfig, { start: { form }, model, opened }: Spoken): AskedForm {
  const { minLength, maxLength, maxPromptTokens, observe } = speech;
  return {
    ...(opened && opened.id !== usualEnvironment && { env: opened.id }),
    generation: { beams: 1, minLength, maxLength },
    text: {
      maxTokens: maxPromptTokens,
      thoughts: false,
      observe: observedBy(observe, form, { files: model.files, env: opened?.id ?? env }),
      ...dialogueOf(speech.dialogue, form, opened ?? {}),
    },
    maxSteps: opened?.maxSteps ?? play.maxSteps ?? 300,
    admissibleOnly: false,
  };
}
