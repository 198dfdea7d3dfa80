/**
 * A dry run of an evaluation or of collecting games: the real work, in a temporary folder, of the first games or records
 * and a few steps.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, promptOf } from '@emac/core';
import { collect, collectConfig, openDataset } from '@emac/datasets';
import {
  comparePolicies,
  type ComparisonConfig,
  evaluatedInSteps,
  evaluatePolicy,
  isFolderName,
  requireDistinct,
  type AskedEvaluation,
  type Evaluating,
} from '@emac/experiment';
import { isThere, whileReading } from '@emac/files';
import { exactly, type Expected, type Host, type Listener } from '@emac/opening';
import { evaluationConfig } from '@emac/settings';
import { described, refuseRemote } from './describe.ts';
import { roomFor } from './disk.ts';
import { thisMachine, type DryHost, type DryRun } from './dry-plan.ts';
import { recorder, type Recorded } from './recorder.ts';
import { bytesIn, inTemporary, longer, per, type Measured } from './trials.ts';

/** Errors: as `evaluatePolicy` before anything is played. */
export async function dryEvaluation(
  { env = null, ...given }: AskedEvaluation,
  host: DryHost,
  { films }: Pick<Evaluating, 'films'> = {},
): Promise<DryRun> {
  const config = evaluationConfig(given);
  refuseRemote(config);
  const { data, out } = config;
  // step by step a name is always that of a folder
  const isSteps = evaluatedInSteps({ ...given, env }) !== null;
  const isKept = out !== null && (isSteps || isFolderName(out)) && data === null;
  const dry = await dryPlay({
    name: 'evaluation',
    part: data === null ? 'evaluation' : 'answers',
    config,
    host,
    out: isKept ? out : null,
    play: (place, told) =>
      evaluatePolicy({ ...config, env, out: isKept ? `${place}/` : null }, told, { films }),
  });
  const settings = { ...(env !== null && { env }), ...config };
  return { ...dry, config: { ...settings, model: { ...config.model, path: dry.model.folder } } };
}

/** Every policy of a comparison in turn. A service or a person is not asked. Errors: as `comparePolicies` before anything is played. */
export async function dryComparison(given: ComparisonConfig, host: DryHost): Promise<DryRun[]> {
  const { films: _films, ...compared } = given;
  const { policies, env, evaluation, out } = compared;
  requireDistinct(policies);
  const runs: DryRun[] = [];
  for (const policy of policies)
    runs.push(
      await dryPlay({
        name: `evaluation of ${policy}`,
        part: 'evaluation',
        config: { policy, env, ...evaluation },
        host,
        out,
        play: (place, told) => comparePolicies({ ...compared, policies: [policy], out: place }, told),
      }),
    );
  return runs;
}

/** Errors: as `collect` before anything is played. */
export async function dryCollection(
  given: Parameters<typeof collectConfig>[0],
  host: DryHost,
): Promise<DryRun> {
  const config = collectConfig(given);
  refuseRemote(config);
  const { out } = config;
  if (isThere(join(out, 'train.json')))
    throw new EmacError('cannot-create', `--out ${out}: holds a dataset already; give another folder`);
  return dryPlay({
    name: 'collection',
    part: 'playing',
    config,
    host,
    out,
    play: (place, told) => collect({ ...config, out: place }, told),
  });
}

interface Play extends Pick<DryRun, 'name' | 'config'> {
  readonly part: string;
  readonly host: DryHost;
  /** null if nothing is kept */
  readonly out: string | null;
  play(out: string, host: Host): Promise<unknown>;
}

/** steps or records of the trial */
const size = 16;

async function dryPlay({ name, part, config, host, out, play }: Play): Promise<DryRun> {
  const { machine = thisMachine } = host;
  // a collection is small by itself: its first record is the example
  const isCollection = name === 'collection';
  const resident = () => machine.memory().resident;
  const room = out === null ? null : roomFor(out, { needed: 0, machine });
  const { trial, listener, recorded, expected } = recorder({
    expected: null,
    now: host.now,
    resident,
    size,
    episodes: 0,
  });
  return inTemporary(async (temporary) => {
    const since = host.now();
    let opening = 0;
    let opened = 0;
    const noticed = {
      ...trial,
      opened(told: Expected) {
        [opening, opened] = [host.now() - since, resident()];
        trial.opened(told);
      },
    };
    const place = join(temporary, 'made');
    const budget = isCollection ? { listener } : budgeted(host, listener);
    try {
      await play(place, { ...host, ...budget, trial: noticed });
    } catch (thrown) {
      if (host.signal?.aborted || !(thrown instanceof EmacError) || thrown.code !== 'interrupted')
        throw thrown;
    }
    const all = withRecord(recorded(), { place, expected: expected() });
    const trials = { ...ratesOf(all), recorded: all, bytes: isThere(place) ? bytesIn(place) : noBytes };
    return described(expected(), {
      name,
      part,
      config,
      notes: all.notes,
      room,
      keep: null,
      opening,
      opened,
      trials,
      machine,
    });
  });
}

/** Interrupts the work after so many steps or samples. */
function budgeted({ signal }: Pick<Host, 'signal'>, listener: Listener): Pick<Host, 'signal' | 'listener'> {
  const stop = new AbortController();
  let left = size;
  const used = () => {
    if (--left <= 0) stop.abort();
  };
  const told: Listener = {
    ...listener,
    step: (game) => (listener.step?.(game), used()),
    advance: (id) => (listener.advance?.(id), used()),
  };
  return { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, listener: told };
}

const noBytes = { reference: 0, others: 0 };

/** Of a step or a record. */
function ratesOf(recorded: Recorded): Omit<Measured, 'opening'> {
  const { milliseconds, played } = recorded;
  const step = per(milliseconds('evaluating') + milliseconds('playing'), played);
  return {
    play: { least: step, most: step * longer(recorded) },
    learn: 0,
    measure: 0,
    evaluate: exactly(0),
    how: [`playing: ${played} steps`],
  };
}

/** What was made counts as played; a collection's first record is its example. */
function withRecord(
  recorded: Recorded,
  { place, expected: { labels } }: { readonly place: string; readonly expected: Expected },
): Recorded {
  const played = recorded.evaluated + recorded.stepped;
  const path = join(place, 'train.json');
  if (!labels || !isThere(path)) return { ...recorded, played };
  const [first] = JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as readonly unknown[];
  if (first === undefined) return { ...recorded, played };
  const dataset = openDataset(path, { flag: '--out', images: null });
  const { text_input: text, text_output: target } = dataset.record(0);
  dataset.close();
  const tokens = labels.countAnswerTokens(target);
  return { ...recorded, played, example: { prompt: promptOf([], text), target, tokens } };
}
