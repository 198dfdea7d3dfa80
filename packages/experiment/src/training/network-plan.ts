/** The plan of a small network that learns from labels in an environment whose arrays or pictures it reads. */
import { EmacError, type OpenedKind } from '@emac/core';
import { checkpointForm, openWordedNetwork, type WordedNetwork } from '@emac/opening';
import type { TrainConfig } from '@emac/settings';
import type { OpenedReference, PolicyStarted, Starting } from './plan.ts';
import { settingsInUse } from './resolved.ts';

/** Errors: as `planTraining`'s. */
export async function networkStart(
  asked: TrainConfig,
  { continued, open, kind, ref, random }: Starting,
): Promise<PolicyStarted> {
  const { env, policy, init } = asked;
  const { maxSteps } = kind;
  const stored = { environment: { env: kind.id, policy: continued?.policy ?? policy, play: { maxSteps } } };
  const openFrom = async (from: string | null): Promise<WordedNetwork> => {
    const parameters = { random: random.stream('network'), from };
    const network = await openWordedNetwork({ env, policy, maxSteps }, kind, parameters);
    open.add(() => network.dispose());
    return { ...network, stored };
  };
  const from = continued?.point?.folder ?? (init === 'random' ? null : (init ?? ref));
  if (ref !== null) requireTrainedIn(ref, kind);
  const network = await openFrom(from);
  const referee = ref === null ? null : await openFrom(ref);
  const seen = ref === null ? [] : storedGames(ref);
  const { texts, form, together } = network;
  return {
    seen,
    earlier: [...(from === null ? [] : storedGames(from)), ...seen],
    resolved: (play) => ({
      ...settingsInUse(asked, { play, kind }),
      init: init ?? asked.start.ref ?? 'random',
    }),
    open: async () => ({
      policy: network,
      reference: referee && keptReference(referee),
      texts,
      form,
      speech: form,
      versions: { ...kind.versions, model: network.identity },
      computing: null,
      language: null,
      together,
      notes: [],
    }),
  };
}

function storedGames(policy: string): readonly string[] {
  return checkpointForm(policy)?.games ?? [];
}

/** Errors: `usage` if the reference was trained in another environment. */
function requireTrainedIn(ref: string, { id }: OpenedKind): void {
  const before = checkpointForm(ref)?.env;
  if (before != null && before !== id)
    throw new EmacError(
      'usage',
      `--ref ${ref}: was trained in ${before}, got --env ${id}; give --env ${before}`,
    );
}

/** The reference as it is kept. */
function keptReference({ learner, content, identity, stored }: WordedNetwork): OpenedReference {
  const { tensors, files } = content().beside![0]!;
  return { policy: learner, tensors, files: () => files, identity, stored };
}
