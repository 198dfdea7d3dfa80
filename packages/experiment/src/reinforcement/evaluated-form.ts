/** What has to be known of a checkpoint to play episodes with its policy: one of PPO says it all, one of other training its words. */
import { EmacError } from '@emac/core';
import { isOfOthers, isOfPpo, modelOfRun, ppoFormOf, readForm, runOf, type PpoForm } from '@emac/opening';
import { loadCheckpoint, readRecord, resolveCheckpoint } from '@emac/runs';
import { policyFrom, smallNetworkOf, type GivenPpoConfig } from '@emac/settings';

export interface EvaluatedForm {
  /** without an environment where the policy was trained in none */
  readonly form: Partial<GivenPpoConfig>;
  /** environments in which it was trained */
  readonly trainedIn: readonly string[];
  /** the checkpoint's name */
  readonly name: string;
}

/** `model`: where the checkpoint lies in no run, or the model has moved. Errors: `missing`; `data`, `usage` for what no checkpoint of a model is. */
export function evaluatedFormOf(reference: string, model: string | null): EvaluatedForm {
  if (isOfOthers(reference))
    throw new EmacError(
      'usage',
      `--ckpt ${reference}: is no run; give untouched with --policy ${reference}, or a run of emac ppo or emac sft`,
    );
  const { folder, name } = resolveCheckpoint(reference);
  const { state } = loadCheckpoint(folder);
  if (isOfPpo(state))
    return { ...ppoFormOf(reference), form: withModel(ppoFormOf(reference).form, folder, model) };
  const { generation, text } = readForm(state, folder);
  const run = runOf(folder);
  const policy = model ?? (run === null ? 'rl-tiny' : modelOfRun(run));
  const { minLength, maxLength } = generation;
  const speech = { minLength, maxLength, maxTextTokens: text.maxTokens };
  return { form: { policy, speech }, trainedIn: [], name };
}

/** The model that was named, or that of the checkpoint's run, whose path was meant where the run began. */
function withModel(form: PpoForm, folder: string, model: string | null): PpoForm {
  const run = runOf(folder);
  const meant = run === null ? form : { ...form, policy: policyFrom(form, readRecord(run).workingDirectory) };
  const network = smallNetworkOf(form);
  if (network && (model === null || model === form.policy)) return meant;
  if (network && network.file === null)
    throw new EmacError('usage', `--policy ${model}: the checkpoint is of ${form.policy}; leave it out`);
  return model === null ? meant : { ...form, policy: model };
}
