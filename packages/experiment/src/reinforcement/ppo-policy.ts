/** The policies that PPO trains, opened: what acts and learns, how it reads its environment, and what of it is stored. */
import { parametersOf, type ActorCritic, type ParameterSet, type Random } from '@emac/core';
import { arrayTexts, pixelTexts, type StepTexts } from '@emac/rollout';
import { checkpointFiles, networkFiles, type CheckpointContent } from '@emac/runs';
import { cnn, createSmallNetwork, environmentInputs, mlp, type Architecture } from '@emac/small-networks';
import type { PpoConfig } from '../config/ppo-config.ts';
import { ppoEnvironment } from './ppo-environments.ts';

export interface PpoPolicy {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts;
  /** of the frozen networks below what learns, or what the network is made of */
  readonly identity: string;
  /** episodes that are evaluated at once: changes the speed alone */
  readonly evaluatedAtOnce: number;
  /** its parameters as they are now */
  content(): Pick<CheckpointContent, 'projection' | 'beside'>;
  dispose(): Promise<void>;
}

/** What a policy starts from: a generator, or parameters by the checkpoint's file that has them. */
export type PolicyStart = Random | ReadonlyMap<string, ParameterSet>;

/** Errors: `data` for parameters of another network, `usage` for an environment that it cannot read. */
export async function openPpoPolicy(config: PpoConfig, start: PolicyStart): Promise<PpoPolicy> {
  const { actions } = ppoEnvironment(config);
  const architecture = architectureOf(config);
  const parameters = start instanceof Map ? (start.get(checkpointFiles.network) ?? new Map()) : start;
  const network = await createSmallNetwork({
    architecture,
    actions,
    start: parameters as Random | ParameterSet,
  });
  const { groups } = network;
  return {
    actorCritic: network,
    texts: config.policy === 'cnn' ? pixelTexts : arrayTexts,
    identity: identityOf(config, architecture),
    evaluatedAtOnce: 64,
    content: () => ({
      projection: null,
      beside: [networkFiles(parametersOf({ groups: [...groups.policy, ...groups.value] }))],
    }),
    dispose: () => network.dispose(),
  };
}

function architectureOf(config: PpoConfig): Architecture {
  if (config.policy === 'mlp') return mlp({ inputs: environmentInputs(config.env) });
  const environment = ppoEnvironment(config);
  environment.reset(0);
  const { height, width } = environment.frame();
  const picture = { array: 'frame', height, width };
  return cnn(config.env.startsWith('MiniGrid-') ? picture : { ...picture, convolutions: ofCards });
}

/** Pictures of 300 × 300 pixels: 25 × 25, then 5 × 5. */
const ofCards = [
  { filters: 16, kernel: 12, stride: 12 },
  { filters: 32, kernel: 5, stride: 5 },
];

function identityOf({ policy }: PpoConfig, { input, trunk }: Architecture): string {
  const layers = trunk.map((layer) => Object.values(layer).join(' '));
  return `${policy}: ${[input.join('×'), ...layers].join(', ')}`;
}
