/** Small networks as PPO trains them: a perceptron over the arrays of an environment, or convolutions over its picture. */
import { EmacError, parametersOf, type ParameterSet } from '@emac/core';
import { arrayTexts, pixelTexts } from '@emac/rollout';
import { checkpointFiles, loadCheckpoint, networkFiles, resolveCheckpoint } from '@emac/runs';
import { cnn, createSmallNetwork, environmentInputs, mlp, type Architecture } from '@emac/small-networks';
import type { PpoConfig } from '../config/ppo-config.ts';
import { numberedEnvironment } from './ppo-environments.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';

/** Errors: `data` for parameters of another network, `usage` for an environment that it cannot read. */
export async function openSmallPolicy(config: PpoConfig, { random, from }: PolicyStart): Promise<PpoPolicy> {
  const { actions } = numberedEnvironment(config);
  const architecture = architectureOf(config);
  const network = await createSmallNetwork({
    architecture,
    actions,
    start: from === null ? random : storedNetwork(from),
  });
  const { groups } = network;
  return {
    actorCritic: network,
    texts: config.policy === 'cnn' ? pixelTexts : arrayTexts,
    identity: identityOf(config, architecture),
    computing: null,
    evaluatedAtOnce: 64,
    form: null,
    adapter: null,
    predictor: null,
    elsewhere: null,
    content: () => ({
      projection: null,
      beside: [networkFiles(parametersOf({ groups: [...groups.policy, ...groups.value] }))],
    }),
    dispose: () => network.dispose(),
  };
}

function storedNetwork(from: string): ParameterSet {
  const found = loadCheckpoint(resolveCheckpoint(from).folder).beside.get(checkpointFiles.network);
  if (found) return found;
  throw new EmacError(
    'data',
    `${from}: has no ${checkpointFiles.network}; give a run of emac ppo with a small network`,
  );
}

function architectureOf(config: PpoConfig): Architecture {
  if (config.policy === 'mlp') return mlp({ inputs: environmentInputs(config.env) });
  const environment = numberedEnvironment(config);
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
  const layers = trunk.map(({ gain: _ofTheStart, ...layer }) => Object.values(layer).join(' '));
  return `${policy}: ${[input.join('×'), ...layers].join(', ')}`;
}
