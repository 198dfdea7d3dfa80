/** The policy that learns from groups of attempts: a vision-language model and the reference of its penalty. */
import { EmacError, Random, type Scorer } from '@emac/core';
import {
  closings,
  languagePolicy,
  openModel,
  ownProjection,
  trainedParts,
  trainingStart,
  type AskedForm,
  type Host,
  type LanguagePolicy,
  type OpenModel,
  type PolicyForm,
  type PolicyStart,
} from '@emac/opening';
import { adapterOfGrpoPreset, modelIn, type GrpoConfig } from '@emac/settings';

export interface GroupPolicy extends LanguagePolicy {
  /** the model's own projection and no adapter */
  readonly reference: Scorer;
  /** seed and names of an adapter's dropout generator */
  readonly dropoutSeed: string;
}

export interface GroupPolicyStart extends PolicyStart {
  /** from the start's form; null if it has none */
  readonly formed: (stored: PolicyForm | null, model: OpenModel) => AskedForm;
}

/** Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openGroupPolicy(
  config: GrpoConfig,
  { random, from, formed }: GroupPolicyStart,
  host: Pick<Host, 'env'>,
): Promise<GroupPolicy> {
  const model = await openModel(modelIn(config), host);
  const start = trainingStart(config, { model, from, random, fresh: adapterOfGrpoPreset(config.preset) });
  const dropoutSeed = random.stream('dropout').path;
  const own = ownProjection(model.files).projection?.parameters ?? new Map<string, never>();
  if (own instanceof Random) throw new EmacError('internal', 'the model folder already holds a projection');
  const form = formed(start.form, model);
  const policy = await languagePolicy(model, {
    start,
    form,
    train: trainedParts(config, model),
    dropoutSeed,
  });
  const open = closings();
  open.add(() => policy.dispose());
  const reference = policy.student.under(own);
  open.add(() => reference.dispose());
  return { ...policy, reference, dropoutSeed, dispose: () => open.close() };
}
