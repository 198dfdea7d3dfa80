/** A vision-language model as PPO trains it: adapter or projection, or both, and a value head on its states. */
import { EmacError, type ParameterSet } from '@emac/core';
import {
  checkpointFiles,
  loadCheckpoint,
  resolveCheckpoint,
  valueHeadFiles,
  type TrainedFiles,
} from '@emac/runs';
import { actorCritic, createValueHead, critic, type Student, type ValueHead } from '@emac/model';
import type { StepTexts } from '@emac/rollout';
import { adapterFiles } from '../checkpoint/checkpoint-content.ts';
import { closings } from '../closings.ts';
import type { PpoConfig } from '../config/ppo-config.ts';
import type { Host } from '../host.ts';
import { openElsewhere } from '../inference/open-elsewhere.ts';
import { openModel, type OpenModel } from '../opening/model.ts';
import type { PolicyForm } from '../opening/policy-form.ts';
import {
  isOfOthers,
  ownProjection,
  requireNoOtherModel,
  storedProjection,
  type ProjectionStart,
} from '../opening/projection-start.ts';
import { openStudent } from '../opening/student.ts';
import { visionNormTensors } from '../opening/vision-norm.ts';
import { adapterStart, trainedParts } from '../training/start.ts';
import { languageTexts } from './language-texts.ts';
import { actionTexts, actionWordsOf } from './action-tokens.ts';
import { numberedEnvironment } from './ppo-environments.ts';
import { isRobotId, type StepAction } from './robots.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';
import { adapterOfPreset } from './preset-adapter.ts';
import { openTemporalPredictor } from './temporal-predictor.ts';

/** Opens the model in the folder that the configuration names as its policy. Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openLanguagePolicy(
  config: PpoConfig,
  { random, from }: PolicyStart,
  host: Pick<Host, 'env'>,
): Promise<PpoPolicy> {
  const open = closings();
  try {
    const model = await openModel({ ...config.model, path: config.policy }, host);
    const start = withAdapter(config, model, { random, from });
    const speech = speechOf(config);
    const student = await openStudent(model, start, {
      ...speech,
      train: trainedParts(config),
      dropoutSeed: random.stream('dropout').path,
    });
    open.add(() => student.dispose());
    const head = await valueHeadOf(config, model, { random, from });
    open.add(() => head.dispose());
    const values = critic({ policy: student, head, learns: config.value.learns });
    const elsewhere = await openElsewhere({ config, model, start, student, critic: values }, host);
    open.add(() => elsewhere?.dispose());
    const actor = actorCritic({ policy: student, critic: values });
    const texts = textsOf(config, elsewhere ? { ...student, encode: elsewhere.encode } : student, model);
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
      actorCritic: elsewhere ? { ...actor, act: elsewhere.act } : actor,
      texts,
      identity: model.identity,
      evaluatedAtOnce: 8,
      content: () => ({
        projection: new Map([...student.projection, ...visionNormTensors(start.visionNorm)]),
        beside: [
          ...adapterOf(student, model),
          valueHeadFiles(head.group.parameters),
          ...(predictor ? [predictor.files()] : []),
        ],
      }),
      predictor: predictor && predictor.predictor,
      elsewhere,
      form: formOf(config, start, speech),
      dispose: () => open.close(),
    };
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}

/** That of its start, or a fresh one. */
function valueHeadOf(
  { value: { hiddenWidths, learningRateScale } }: PpoConfig,
  { files }: OpenModel,
  { random, from }: PolicyStart,
): Promise<ValueHead> {
  return createValueHead({
    inputWidth: files.config.llama.hiddenSize,
    hiddenWidths,
    parameters: storedBeside(from, 'valueHead') ?? random.stream('value head'),
    learningRateScale,
  });
}

function adapterOf({ adapter }: Student, { files }: OpenModel): TrainedFiles[] {
  return adapter ? [adapterFiles(adapter, files.family)] : [];
}

/** What it reads of the environment, and what it says. */
function textsOf(config: PpoConfig, student: Student, { files }: OpenModel): StepTexts<StepAction> {
  const { actionOnly, actionScores, malformedPenalty } = config.speech;
  if (isRobotId(config.env))
    return actionTexts({
      words: actionWordsOf(files, config.env),
      endToken: student.endToken,
      penalty: malformedPenalty,
      encode: (frame) => student.encode(frame),
    });
  return languageTexts({
    environment: numberedEnvironment(config),
    palette: config.play.palette,
    actionOnly,
    actionScores,
    encode: (frame) => student.encode(frame),
    tokenTexts: (tokens) => student.tokenTexts(tokens),
  });
}

/**
 * The model's own projection, or that of a checkpoint, with the adapter that learns. Nothing is dropped, whatever the adapter it goes on from was
 * trained with: answers are drawn without dropping, and a ratio compares two policies, not one with its halves. Errors: `usage`.
 */
function withAdapter(config: PpoConfig, model: OpenModel, { random, from }: PolicyStart): ProjectionStart {
  if (config.trained.dropout)
    throw new EmacError('usage', `--lora-dropout: must be 0 for PPO, got ${config.trained.dropout}`);
  if (from !== null) requireNoOtherModel(from, model);
  const start = from === null ? ownProjection(model.files) : storedProjection(from, model);
  const fresh = adapterOfPreset(config.preset);
  const adapter = adapterStart(config, { start, model, random, fresh });
  return { ...start, adapter: adapter && { ...adapter, settings: { ...adapter.settings, dropout: 0 } } };
}

/** Null where nothing has one. */
function storedBeside(from: string | null, part: 'valueHead' | 'temporalPredictor'): ParameterSet | null {
  if (from === null || isOfOthers(from)) return null;
  return loadCheckpoint(resolveCheckpoint(from).folder).beside.get(checkpointFiles[part]) ?? null;
}

function speechOf({ speech }: PpoConfig): Pick<PolicyForm, 'generation' | 'text'> {
  const { minLength, maxLength, maxTextTokens } = speech;
  return {
    generation: { beams: 1, minLength, maxLength },
    text: { maxTokens: maxTextTokens, thoughts: false, observe: 'both' },
  };
}

/** As checkpoints of other training have it, so that other commands open them too. */
function formOf(
  { play }: PpoConfig,
  { kind, hidden, visionNorm }: ProjectionStart,
  speech: Pick<PolicyForm, 'generation' | 'text'>,
): PolicyForm {
  return {
    projection: { kind, hidden },
    ...speech,
    maxSteps: play.maxSteps ?? 300,
    admissibleOnly: false,
    visionNorm: visionNorm && { epsilon: visionNorm.epsilon },
  };
}
