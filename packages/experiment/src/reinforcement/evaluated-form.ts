/**
 * The settings needed to play episodes with a checkpoint's policy: a PPO checkpoint has them all, one of other training
 * only its speech.
 */
import { EmacError } from '@emac/core';
import { isOfOthers, modelOfRun, ppoFormOf, readForm, runOf, type PpoForm } from '@emac/opening';
import { loadCheckpoint, readRecord, resolveCheckpoint } from '@emac/runs';
import { policyFrom, smallNetworkOf, type GivenPpoConfig } from '@emac/settings';

export interface EvaluatedForm {
  /** without an environment if the policy was trained in none */
  readonly form: Partial<GivenPpoConfig>;
  /** its training environments */
  readonly trainedIn: readonly string[];
  /** the checkpoint's name */
  readonly name: string;
  /** a small network, which acts in those environments alone */
  readonly readsNumbers: boolean;
}

/**
 * `model`: for a checkpoint outside a run, or a moved model. Errors: `missing`; `data`, `usage` unless it is a
 * checkpoint of a model.
 */
export function evaluatedFormOf(reference: string, model: string | null): EvaluatedForm {
  if (isOfOthers(reference))
    throw new EmacError(
      'usage',
      `--ckpt ${reference}: must be a run of emac train --method ppo or emac train --method sft; give one, or untouched with --policy ${reference}`,
    );
  const { folder, name } = resolveCheckpoint(reference);
  const stepped = ppoFormOf(reference);
  if (stepped) {
    const form = withModel(stepped.form, folder, model);
    return { ...stepped, form, readsNumbers: smallNetworkOf(form) !== null };
  }
  const { generation, text } = readForm(loadCheckpoint(folder).state, folder);
  const run = runOf(folder);
  const policy = model ?? (run === null ? 'rl-tiny' : modelOfRun(run));
  const { minLength, maxLength } = generation;
  const speech = { minLength, maxLength, maxTextTokens: text.maxTokens };
  return { form: { policy, speech }, trainedIn: [], name, readsNumbers: false };
}

/** The named model, or that of the checkpoint's run, with its path resolved from where the run began. */
function withModel(form: PpoForm, folder: string, model: string | null): PpoForm {
  const run = runOf(folder);
  const meant = run === null ? form : { ...form, policy: policyFrom(form, readRecord(run).workingDirectory) };
  const network = smallNetworkOf(form);
  if (network && (model === null || model === form.policy)) return meant;
  if (network && network.file === null)
    throw new EmacError('usage', `--policy ${model}: the checkpoint has ${form.policy}; leave it out`);
  return model === null ? meant : { ...form, policy: model };
}
