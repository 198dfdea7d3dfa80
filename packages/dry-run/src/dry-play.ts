/**
 * A dry run of an evaluation or of collecting games: the real work, in a temporary folder, of the first games or records
 * and a few steps.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, promptOf } from '@emac/core';
import { collect, collectConfig } from '@emac/datasets';
import { evaluatePolicy, isFolderName, type Evaluating } from '@emac/experiment';
import { isThere, whileReading } from '@emac/files';
import { exactly, type Expected, type Host } from '@emac/opening';
import { evaluationConfig } from '@emac/settings';
import { described, refuseRemote } from './describe.ts';
import { roomFor } from './disk.ts';
import { thisMachine, type DryHost, type DryRun } from './dry-plan.ts';
import { recorder, type Recorded } from './recorder.ts';
import { bytesIn, inTemporary, longer, per, type Measured } from './trials.ts';

/** Errors: as `evaluatePolicy` before anything is played. */
export async function dryEvaluation(
  given: Parameters<typeof evaluationConfig>[0],
  host: DryHost,
  { films }: Pick<Evaluating, 'films'> = {},
): Promise<DryRun> {
  const config = evaluationConfig(given);
  refuseRemote(config);
  const { data, out } = config;
  const isKept = out !== null && isFolderName(out) && data === null;
  const dry = await dryPlay({
    name: 'evaluation',
    part: data === null ? 'evaluation' : 'answers',
    config,
    host,
    out: isKept ? out : null,
    play: (place, told) => evaluatePolicy({ ...config, out: isKept ? `${place}/` : null }, told, { films }),
  });
  return { ...dry, config: { ...config, model: { ...config.model, path: dry.model.folder } } };
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
    await play(place, { ...host, writesNothing: true, listener, trial: noticed });
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
  const [record] = JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as readonly {
    readonly text_input: string;
    readonly text_output: string;
  }[];
  if (!record) return { ...recorded, played };
  const { text_input: text, text_output: target } = record;
  const tokens = labels.countAnswerTokens(target);
  return { ...recorded, played, example: { prompt: promptOf([], text), target, tokens } };
}
