/** What `emac collect` collects from: games, an environment (`--env`), or robot episodes of TensorFlow Datasets (`--rlds`). */
import { EmacError } from '@emac/core';
import {
  collect,
  collectConfig,
  collectEnvironment,
  collectRlds,
  collectSchema,
  environmentCollectionConfig,
  environmentCollectionSchema,
  requireCollectionForWorkers,
  rldsCollectionConfig,
  rldsCollectionSchema,
  type CollectConfig,
  type CollectedEnvironment,
  type CollectedRlds,
  type EnvironmentCollectionConfig,
  type RldsCollectionConfig,
} from '@emac/datasets';
import { dryCollection } from '@emac/dry-run';
import type { Host, Times } from '@emac/opening';
import { agentIn, isAgentName } from '@emac/settings';
import type { z } from 'zod';
import { givenEnvironment, givenExpert } from '../../options/given-code.ts';
import type { OptionTable } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { percent } from '@emac/pages/data';
import {
  collectSettings,
  environmentCollectSettings,
  rldsCollectSettings,
} from '../../settings/collect-settings.ts';
import { counted, dollars, grouped } from '../../terminal/amounts.ts';

/** Flags as typed. */
export type Values = Readonly<Record<string, unknown>>;

/** A place that datasets come from, as the command sees it. */
export interface Source<Config = object> {
  /** after "belongs to" and "for" */
  readonly title: string;
  readonly table: OptionTable;
  /** its flags that are no settings */
  readonly also: readonly string[];
  readonly schema: z.ZodType;
  /** Code in files that flags name. Errors: `missing`, `data`. */
  code(values: Values): Promise<Pick<Host, 'expert' | 'environment'>>;
  /** What holds without the settings that have defaults. Errors: `usage`, `config`. */
  defaults(given: Config, code: Pick<Host, 'environment'>): object;
  /** The result for `--json`, its lines and its times. Errors: as the library's function. */
  collect(given: Config, host: Host): Promise<Collected>;
}

interface Collected {
  readonly result: Values;
  readonly lines: readonly string[];
  readonly spent: Times['spent'];
}

const fromGames: Source<CollectConfig> = {
  title: 'playing games',
  table: collectSettings,
  also: ['queue', 'shared', 'page', 'dry-run'],
  schema: collectSchema,
  code: ({ expert }) => givenExpert(expert),
  defaults: ({ out }) => collectConfig({ out }),
  async collect(given, host) {
    const { dataset, records, games, spent } = await collect(named(given), host);
    const lines = [`dataset: ${dataset}`, `${counted(records, 'sample')} of ${counted(games, 'game')}`];
    return { result: { dataset, samples: records, games }, lines, spent };
  },
};

/** A dry run of games. Errors: as `collect` before anything is played. */
export function dryCollected(given: CollectConfig, host: Host, isForWorkers: boolean) {
  if (isForWorkers) requireCollectionForWorkers(collectConfig(given));
  return dryCollection(named(given), host);
}

const named = (given: CollectConfig) => (given.ckpt ? { ...given, ckpt: runNamed(given.ckpt) } : given);

const fromEnvironment: Source<EnvironmentCollectionConfig> = {
  title: '--env',
  table: environmentCollectSettings,
  also: ['queue', 'shared', 'page'],
  schema: environmentCollectionSchema,
  code: async ({ env, expert }) => ({ ...(await givenExpert(expert)), ...(await givenEnvironment(env)) }),
  defaults: ({ out, env }, { environment }) => environmentCollectionConfig({ out, env }, environment),
  async collect(given, host) {
    const { spent, ...result } = await collectEnvironment(given, host);
    const { noisyLabels, asked } = result;
    const noise = noisyLabels > 0 ? `, ${counted(noisyLabels, 'label')} not the best action` : '';
    return { result, lines: [...samplesLines(result, noise), ...(asked ? [askedLine(asked)] : [])], spent };
  },
};

const fromRlds: Source<RldsCollectionConfig> = {
  title: '--rlds',
  table: rldsCollectSettings,
  also: [],
  schema: rldsCollectionSchema,
  code: async () => ({}),
  defaults: ({ out, rlds }) => rldsCollectionConfig({ out, rlds }),
  async collect(given, host) {
    const { spent, ...result } = await collectRlds(given, host);
    const { datasets, statistics } = result;
    const parts = Object.entries(datasets).map(([name, count]) => `${name} ${count}`);
    const shares = parts.length > 1 ? `: ${parts.join(', ')}` : '';
    const told = `statistics: ${statistics}; put this file into the folder of a model that learns this`;
    return { result, lines: [...samplesLines(result, shares), told], spent };
  },
};

export const sources: readonly Source[] = [fromGames, fromEnvironment, fromRlds];

/** Errors: `usage` for two of them, and for an agent, which has no expert. */
export function sourceOf({ env, rlds }: Values): Source {
  if (env !== undefined && rlds !== undefined)
    throw new EmacError('usage', '--env, --rlds: each names what to collect from; give one of them');
  if (typeof env === 'string' && isAgentName(env))
    throw new EmacError(
      'usage',
      `--agent ${agentIn(env)}: collect writes labels of an expert, and a policy answers an agent; record its attempts with --traces of emac train --agent, and learn the lines with "success":true by emac train --method sft --data`,
    );
  if (rlds !== undefined) return fromRlds;
  return env === undefined ? fromGames : fromEnvironment;
}

function samplesLines(
  {
    dataset,
    validation,
    samples,
    episodes,
  }: Pick<CollectedRlds, 'dataset' | 'validation' | 'samples' | 'episodes'>,
  more: string,
): string[] {
  const all = samples.training + samples.validation;
  return [
    `dataset: ${dataset}${validation === null ? '' : `, held out: ${validation}`}`,
    `${counted(all, 'sample')} of ${counted(episodes, 'episode')}, ${samples.validation} held out${more}`,
  ];
}

function askedLine(asked: NonNullable<CollectedEnvironment['asked']>): string {
  const { steps, unlabelled, requests, promptTokens, answerTokens, cost } = asked;
  const read = steps - unlabelled;
  const sum = cost === null ? 'give --expert-price-in and -out to see the cost' : dollars(cost);
  return [
    `labels: the answers for ${read} of ${counted(steps, 'step')} were readable (${percent(read / steps)})`,
    `${counted(requests, 'request')}, ${grouped(promptTokens)} prompt tokens and ${grouped(answerTokens)} answer tokens`,
    sum,
  ].join('; ');
}
