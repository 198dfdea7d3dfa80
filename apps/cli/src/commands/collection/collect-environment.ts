/** `emac collect --env ID`: makes a dataset from play in an environment, labelled by its scripted player or a language model. */
import { EmacError } from '@emac/core';
import {
  collectEnvironment,
  environmentCollectionConfig,
  type CollectedEnvironment,
  type EnvironmentCollectionConfig,
} from '@emac/datasets';
import { environmentCollectBelonging, requireMeant } from '../../settings/belonging.ts';
import {
  collectSettings,
  environmentCollectSettings,
  rldsAloneSettings,
} from '../../settings/collect-settings.ts';
import { givenEnvironment } from '../../options/given-code.ts';
import { layered } from '../../options/layers.ts';
import { openWorkers, type QueueValues } from '../../options/queue-options.ts';
import { counted, dollars, durations, grouped } from '../../terminal/amounts.ts';
import { percent } from '../../reports/evaluation-report.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { sayEvent } from '../../terminal/json-events.ts';

/** Errors: as `collectEnvironment`; `usage` for flags of games, and for flags without the flag they depend on. */
export async function collectInEnvironment(
  values: Readonly<Record<string, unknown>> &
    QueueValues & { readonly json: boolean; readonly quiet: boolean; readonly verbose: boolean },
  words: readonly string[],
  io: Io,
): Promise<number> {
  refuseThoseOfGames(values);
  const { json, quiet } = values;
  const table = environmentCollectSettings;
  const { given, layers } = layered<EnvironmentCollectionConfig>(table, { values, words, env: io.env });
  const code = await givenEnvironment(values['env']);
  const { out, env } = given;
  const defaults = environmentCollectionConfig({ out, env }, code.environment);
  requireMeant(environmentCollectBelonging, { table, values, layers, defaults });
  const signal = io.catchInterruption();
  const { workers, close } = await openWorkers(values, io, { signal });
  const host = { ...hostOf(io, signal, { json, quiet, verbose: values.verbose }), ...code, workers };
  const collected = await collectEnvironment(given, host).finally(close);
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) for (const line of linesOf(collected)) say(said, line);
  if (!quiet) say(said, `time: ${durations(collected.spent)}`);
  const { spent: _spent, ...result } = collected;
  if (json) sayEvent(io, 'result', result);
  return 0;
}

function linesOf(collected: CollectedEnvironment): string[] {
  const { dataset, validation, samples, episodes, noisyLabels, asked } = collected;
  const all = samples.training + samples.validation;
  const noise = noisyLabels > 0 ? `, ${counted(noisyLabels, 'label')} not the best action` : '';
  return [
    `dataset: ${dataset}${validation === null ? '' : `, held out: ${validation}`}`,
    `${counted(all, 'sample')} of ${counted(episodes, 'episode')}, ${samples.validation} held out${noise}`,
    ...(asked ? [askedLine(asked)] : []),
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

/** Errors: `usage`. */
function refuseThoseOfGames(values: Readonly<Record<string, unknown>>): void {
  const others = Object.keys(collectSettings).filter(
    (name) => !Object.hasOwn(environmentCollectSettings, name),
  );
  const { expert } = values;
  const { form } = environmentCollectSettings['expert']!;
  if (expert !== undefined && form.parse(String(expert)) === undefined)
    throw new EmacError('usage', `--expert ${String(expert)}: labels games; with --env give ${form.words}`);
  const ofRlds = Object.keys(rldsAloneSettings).find((name) => values[name] !== undefined);
  if (ofRlds !== undefined)
    throw new EmacError('usage', `--${ofRlds}: belongs to --rlds, but --env plays; leave one of them out`);
  const other =
    others.find((name) => values[name] !== undefined) ?? (values['dry-run'] === true ? 'dry-run' : null);
  if (other !== null)
    throw new EmacError(
      'usage',
      `--${other}: belongs to collecting from games, but --env plays none; leave one of them out`,
    );
}
