/** Opens the configured inference server for a model: address, key, and whether it can serve the trained parts. */
import { EmacError, type Dialogue } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Critic, Student } from '@emac/model';
import type { PpoConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { adapterFiles } from '../models/adapter.ts';
import type { OpenModel } from '../models/model.ts';
import { ownProjection, type ProjectionStart } from '../models/projection-start.ts';
import { answersElsewhere, type OpenElsewhere } from './elsewhere.ts';

export interface ServedPolicy {
  readonly config: PpoConfig;
  readonly model: OpenModel;
  readonly start: ProjectionStart;
  readonly student: Student;
  readonly critic: Critic;
  readonly dialogue?: Dialogue | undefined;
}

/**
 * Null if none is configured; sends nothing yet. Requests end at once when the host's signal fires. Time limits are
 * INFERENCE_TIMEOUT …, the key VLLM_API_KEY, an alternative address INFERENCE_URL. Errors: `usage`.
 */
export async function openElsewhere(
  { config, model, start, student, critic, dialogue }: ServedPolicy,
  { env, signal }: Pick<Host, 'env' | 'signal'>,
): Promise<OpenElsewhere | null> {
  if (config.inference.url === null) return null;
  requireOwnProjection(config, start, model);
  const { clientSettings, connectInference } = await import('@emac/bridge');
  const { url, ...settings } = clientSettings(env, 'INFERENCE');
  const token = env['VLLM_API_KEY'] || null;
  return answersElsewhere({
    config,
    server: connectInference(url ?? config.inference.url, { ...settings, token, ...(signal && { signal }) }),
    student,
    dialogue,
    critic,
    vocabulary: model.files.vocabulary,
    files: () => adapterFiles(student.adapter!, model.files.family).files,
    encodePicture: encodePng,
  });
}

/** The server has the model's folder; no adapter can change its projection and norm. */
function requireOwnProjection(
  { init }: Pick<PpoConfig, 'init'>,
  { projection, visionNorm }: ProjectionStart,
  { files }: OpenModel,
): void {
  if (!projection) return;
  const { parameters } = projection;
  const own = ownProjection(files).projection?.parameters;
  const isOwn =
    parameters instanceof Map &&
    own instanceof Map &&
    visionNorm === null &&
    [...own].every(([name, { data }]) => isEqual(data, parameters.get(name)?.data));
  if (isOwn) return;
  throw new EmacError(
    'usage',
    `--inference: --init ${init} has another projection than the model of --policy, but the server receives an adapter only; merge it first (emac model export) and give the merged folder as --policy, here and to the server`,
  );
}

function isEqual(one: Float32Array, other: Float32Array | undefined): boolean {
  return (
    other !== undefined && one.length === other.length && one.every((value, place) => value === other[place])
  );
}
