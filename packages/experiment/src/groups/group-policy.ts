/** A policy that learns from groups of attempts, and the reference of its penalty. */
import { EmacError, Random, type OpenedKind, type Scorer } from '@emac/core';
import {
  dialogueOf,
  inEpisodes,
  languagePolicy,
  observedBy,
  openedBy,
  openModel,
  openWordedNetwork,
  ownProjection,
  requireEpisodesHere,
  requireFrameAlone,
  requireSight,
  trainedParts,
  trainingStart,
  type AskedForm,
  type EpisodePolicy,
  type Host,
  type OpenModel,
  type PolicyForm,
  type PolicyStart,
} from '@emac/opening';
import {
  adapterOfGrpoPreset,
  lewisGame,
  modelIn,
  smallNetworkOf,
  usualEnvironment,
  type GrpoConfig,
} from '@emac/settings';

export interface GroupPolicy extends EpisodePolicy {
  /** the model's own projection and no adapter; null for a small network */
  readonly reference: Scorer | null;
}

/** Errors: those of opening the policy; `usage` if it cannot read the environment. */
export async function openGroupPolicy(
  config: GrpoConfig,
  opened: OpenedKind,
  { start, host }: { readonly start: PolicyStart; readonly host: Host },
): Promise<GroupPolicy> {
  if (smallNetworkOf(config) === null) return openGroupModel(config, opened, { start, host });
  requireEpisodesHere(config, 'grpo', host);
  const { env, policy, play, model } = config;
  const named = { env, policy, provider: model.provider, maxSteps: play.maxSteps };
  return { ...(await openWordedNetwork(named, opened, start)), reference: null, language: null };
}

function openGroupModel(
  config: GrpoConfig,
  opened: OpenedKind,
  { start: { random, from }, host }: { readonly start: PolicyStart; readonly host: Host },
): Promise<GroupPolicy> {
  return openedBy(async (open) => {
    const model = await openModel(modelIn(config), host);
    const start = trainingStart(config, { model, from, random, fresh: adapterOfGrpoPreset(config.preset) });
    const own = ownProjection(model.files).projection?.parameters ?? new Map<string, never>();
    if (own instanceof Random) throw new EmacError('internal', 'the model folder already holds a projection');
    const form = formOf(config, opened, { stored: start.form, files: model.files });
    const learning = { train: trainedParts(config, model), dropoutSeed: random.stream('dropout').path };
    const policy = await languagePolicy(model, { start, form, ...learning });
    open.add(() => policy.dispose());
    const reference = policy.student.under(own);
    open.add(() => reference.dispose());
    return { ...inEpisodes(policy, opened), reference, dispose: () => open.close() };
  });
}

/** It observes as in its earlier training. Errors: `usage` for a policy trained to think. */
function formOf(
  { env: asked, init, play, speech, losses }: GrpoConfig,
  { id: env, maxSteps, dialogue }: OpenedKind,
  { stored, files }: { readonly stored: PolicyForm | null; readonly files: OpenModel['files'] },
): AskedForm {
  if (stored?.text.thoughts)
    throw new EmacError(
      'usage',
      `--init ${init}: was trained to think before it acts, but attempts have no thoughts; give a policy without thoughts`,
    );
  if (asked === lewisGame) requireSight(asked, files);
  const observe = observedBy(speech.observe, stored, { files, env });
  const admissibleOnly = play.admissibleOnly ?? stored?.admissibleOnly ?? false;
  requireFrameAlone(observe, { admissibleOnly });
  return {
    ...(env !== usualEnvironment && { env }),
    generation: { beams: 1, minLength: speech.minLength, maxLength: losses.maxLength },
    text: {
      maxTokens: speech.maxPromptTokens,
      thoughts: false,
      observe,
      ...dialogueOf(speech.dialogue, stored, { dialogue }),
    },
    maxSteps,
    admissibleOnly,
  };
}
