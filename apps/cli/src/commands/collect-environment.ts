/** `emac collect --env ID`: scripted play in an environment that is stepped by number becomes a dataset. */
import { EmacError } from '@emac/core';
import {
  collectEnvironment,
  type CollectedEnvironment,
  type EnvironmentCollectionConfig,
} from '@emac/experiment';
import { collectSettings } from '../options/collect-settings.ts';
import { environmentCollectSettings } from '../options/environment-collect-settings.ts';
import { layered } from '../options/layers.ts';
import { counted, durations } from '../terminal/amounts.ts';
import { hostOf } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';

/** Errors: those of `collectEnvironment`; `usage` for flags of games. */
export async function collectInEnvironment(
  values: Readonly<Record<string, unknown>> & { readonly json: boolean; readonly quiet: boolean },
  words: readonly string[],
  io: Io,
): Promise<number> {
  refuseThoseOfGames(values);
  const { json, quiet } = values;
  const { given } = layered<EnvironmentCollectionConfig>(environmentCollectSettings, {
    values,
    words,
    env: io.env,
  });
  const collected = await collectEnvironment(given, hostOf(io, io.catchInterruption(), { json, quiet }));
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) for (const line of linesOf(collected)) say(said, line);
  if (!quiet) say(said, `time: ${durations(collected.spent)}`);
  const { spent: _spent, ...result } = collected;
  if (json) sayEvent(io, 'result', result);
  return 0;
}

function linesOf({ dataset, validation, samples, episodes, noisyLabels }: CollectedEnvironment): string[] {
  const all = samples.training + samples.validation;
  const noise = noisyLabels > 0 ? `, ${counted(noisyLabels, 'label')} not the best action` : '';
  return [
    `dataset: ${dataset}${validation === null ? '' : `, held out: ${validation}`}`,
    `${counted(all, 'sample')} of ${counted(episodes, 'episode')}, ${samples.validation} held out${noise}`,
  ];
}

/** Errors: `usage`. */
function refuseThoseOfGames(values: Readonly<Record<string, unknown>>): void {
  const others = Object.keys(collectSettings).filter(
    (name) => !Object.hasOwn(environmentCollectSettings, name),
  );
  const other =
    others.find((name) => values[name] !== undefined) ?? (values['dry-run'] === true ? 'dry-run' : null);
  if (other !== null)
    throw new EmacError(
      'usage',
      `--${other}: belongs to collecting from games, --env plays none; leave one of them out`,
    );
}
