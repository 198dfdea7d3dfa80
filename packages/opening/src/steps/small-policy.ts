/** Small networks as PPO trains them: a perceptron over the arrays of an environment, convolutions over its picture, or an `.onnx` file over either. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { EmacError, parametersOf, type ParameterSet } from '@emac/core';
import { sha256 } from '@emac/files';
import { arrayTexts, pixelTexts } from '@emac/rollout';
import { checkpointFiles, loadCheckpoint, networkFiles, resolveCheckpoint } from '@emac/runs';
import { smallNetworkOf, type PpoConfig } from '@emac/settings';
import { cnn, createSmallNetwork, mlp, onnx, type Architecture } from '@emac/small-networks';
import { localWorld } from '../environments/kind-of.ts';
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
    texts: smallNetworkOf(config)?.reads === 'frame' ? pixelTexts : arrayTexts,
    opened: null,
    identity: identityOf(config, architecture),
    model: null,
    computing: null,
    evaluatedAtOnce: 64,
    form: null,
    adapter: null,
    predictor: null,
    note: null,
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
  const { inputs, convolutions } = localWorld(config.env).numbers ?? {};
  const { file = null, reads } = smallNetworkOf(config) ?? {};
  if (file !== null) return onnx(file, { ...(inputs && { inputs }) });
  if (reads === 'arrays') {
    if (inputs) return mlp({ inputs });
    throw new EmacError(
      'usage',
      `--policy ${config.policy}: ${config.env} does not define how its arrays are read; give cnn`,
    );
  }
  const environment = numberedEnvironment(config);
  environment.reset(0);
  const { height, width } = environment.frame();
  return cnn({ array: 'frame', height, width, ...(convolutions && { convolutions }) });
}

/** Of a file its content: two of the same parameters may compute different things. */
function identityOf({ policy }: PpoConfig, { identity }: Architecture): string {
  const file = smallNetworkOf({ policy })?.file ?? null;
  return file === null
    ? `${policy}: ${identity}`
    : `${basename(file)} ${sha256(readFileSync(file)).slice(0, 16)}: ${identity}`;
}
