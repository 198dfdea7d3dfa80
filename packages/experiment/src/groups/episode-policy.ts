/** A policy that learns from whole episodes of an environment: how it is asked there, and what it is made of. */
import type { ModelFiles } from '@emac/backbone';
import { EmacError, type EpisodeMoment, type OpenedKind, type Speech } from '@emac/core';
import { sha256 } from '@emac/files';
import {
  dialogueOf,
  observedBy,
  openWordedNetwork,
  parallelOf,
  requireFrameAlone,
  requireSight,
  type AskedForm,
  type Host,
  type PolicyForm,
  type OpenedPolicy,
  type OpenModel,
  type PolicyStart,
  type WordedNetwork,
} from '@emac/opening';
import { lewisGame, smallNetworkOf, usualEnvironment, type GrpoConfig } from '@emac/settings';
import { refuseNetworkWorkers } from '../networks/fitting-network.ts';
import type { PlayedForm } from '../training/plan.ts';
import type { TrainedPolicy } from './group-play.ts';
import { openGroupPolicy, type GroupPolicy } from './group-policy.ts';
import { trainedPolicy } from './trained-policy.ts';

export interface EpisodePolicy {
  readonly trained: TrainedPolicy;
  readonly learner: OpenedPolicy['learner'];
  readonly texts: Speech;
  readonly form: PlayedForm;
  /** episodes under way at once, unless asked otherwise */
  readonly together: number;
  /** display name */
  readonly name: string;
  /** names a state for comparing steps, where the environment does not */
  readonly anchor?: (moment: EpisodeMoment) => string;
  /** null for a small network */
  readonly language: GroupPolicy | null;
  dispose(): Promise<void>;
}

/** Errors: those of opening the policy; `usage` if it cannot read the environment. */
export async function openEpisodePolicy(
  config: GrpoConfig,
  opened: OpenedKind,
  { start, host }: { readonly start: PolicyStart; readonly host: Host },
): Promise<EpisodePolicy> {
  if (smallNetworkOf(config) === null) return openModel(config, opened, { start, host });
  refuseNetworkWorkers(host);
  return openNetwork(config, opened, start);
}

async function openModel(
  config: GrpoConfig,
  opened: OpenedKind,
  { start, host }: { readonly start: PolicyStart; readonly host: Host },
): Promise<EpisodePolicy> {
  const formed = (stored: PolicyForm | null, { files }: OpenModel) =>
    formOf(config, opened, { stored, files });
  const language = await openGroupPolicy(config, { ...start, formed }, host);
  const { student: learner, form, reference } = language;
  const { policy: path } = config;
  return {
    trained: trainedPolicy(language, { name: path, reference, beside: () => ({}) }),
    learner,
    texts: opened.speech(learner, form.text),
    form,
    together: parallelOf(learner),
    name: `${path} in ${config.env}`,
    language,
    dispose: () => language.dispose(),
  };
}

async function openNetwork(
  { env, policy, play: { maxSteps } }: GrpoConfig,
  opened: OpenedKind,
  start: PolicyStart,
): Promise<EpisodePolicy> {
  const network = await openWordedNetwork({ env, policy, maxSteps }, opened, start);
  const { environment } = network.stored;
  return {
    trained: trainedPolicy(network, {
      name: policy,
      reference: null,
      beside: ({ config: typed }) => ({ environment: { ...environment, policy: typed.policy } }),
    }),
    learner: network.learner,
    texts: network.texts,
    form: network.form,
    together: network.together,
    name: `${network.identity} in ${env}`,
    anchor: seenBy(network.learner),
    language: null,
    dispose: () => network.dispose(),
  };
}

/** Names a state by what the network reads of it and the text: a hash, as a picture's numbers would be kept for every step. */
function seenBy({ promptOf }: WordedNetwork['learner']) {
  return ({ observation }: EpisodeMoment): string => {
    const read = promptOf!(observation).map((part) => {
      if (part.kind !== 'array') return '';
      const { buffer, byteOffset, byteLength } = part.values.data;
      return sha256(new Uint8Array(buffer, byteOffset, byteLength));
    });
    return JSON.stringify([observation.text, ...read]);
  };
}

/** It observes as in its earlier training. Errors: `usage` for a policy trained to think. */
function formOf(
  { env: asked, init, play, speech, losses }: GrpoConfig,
  { id: env, maxSteps }: OpenedKind,
  { stored, files }: { readonly stored: PolicyForm | null; readonly files: ModelFiles },
): AskedForm {
  if (stored?.text.thoughts)
    throw new EmacError(
      'usage',
      `--init ${init}: was trained to think before it acts, but attempts have no thoughts; give a policy without thoughts`,
    );
  if (asked === lewisGame) requireSight(asked, files);
  const observe = observedBy(speech.observe, stored, files);
  const admissibleOnly = play.admissibleOnly ?? stored?.admissibleOnly ?? false;
  requireFrameAlone(observe, { admissibleOnly });
  return {
    ...(env !== usualEnvironment && { env }),
    generation: { beams: 1, minLength: speech.minLength, maxLength: losses.maxLength },
    text: {
      maxTokens: speech.maxPromptTokens,
      thoughts: false,
      observe,
      ...dialogueOf(speech.dialogue, stored),
    },
    maxSteps,
    admissibleOnly,
  };
}
