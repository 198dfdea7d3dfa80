/** What has to be known of a checkpoint to play episodes with its policy: one of PPO says it all, one of other training its words. */
import { EmacError } from '@emac/core';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { isOfOthers } from '../opening/projection-start.ts';
import { readForm } from '../opening/policy-form.ts';
import { modelOfRun, runOf } from '../export/model-folder.ts';
import type { GivenPpoConfig } from '../config/ppo-config.ts';
import { isOfPpo, ppoFormOf } from './ppo-checkpoint.ts';

export interface EvaluatedForm {
  /** without an environment where the policy was trained in none */
  readonly form: Partial<GivenPpoConfig>;
  /** the checkpoint's name */
  readonly name: string;
}

/** `model`: of a checkpoint that lies in no run. Errors: `missing`; `data`, `usage` for what no checkpoint of a model is. */
export function evaluatedFormOf(reference: string, model: string | null): EvaluatedForm {
  if (isOfOthers(reference))
    throw new EmacError(
      'usage',
      `--ckpt ${reference}: is no run; give untouched with --policy ${reference}, or a run of emac ppo or emac sft`,
    );
  const { folder, name } = resolveCheckpoint(reference);
  const { state } = loadCheckpoint(folder);
  if (isOfPpo(state)) return ppoFormOf(reference);
  const { generation, text } = readForm(state, folder);
  const run = runOf(folder);
  const policy = model ?? (run === null ? 'rl-tiny' : modelOfRun(run));
  const { minLength, maxLength } = generation;
  return { form: { policy, speech: { minLength, maxLength, maxTextTokens: text.maxTokens } }, name };
}
