/** A process that labels given histories and can be killed: input as JSON, results on standard output. */
import { Random } from '@emac/core';
import { labelAll, openaiExpert, openaiLanguageModel, openReplyJournal, realClock } from '../index.ts';
import { givenHistories } from './given-histories.bench.ts';

export interface Told {
  readonly baseUrl: string;
  readonly journal: string;
  readonly games: number;
  readonly steps: number;
  readonly inFlight: number;
}

export interface Done {
  readonly ms: number;
  /** of all requests, in order */
  readonly commands: readonly string[];
}

const { baseUrl, journal: path, games, steps, inFlight } = JSON.parse(process.argv[2]!) as Told;
const journal = openReplyJournal(path);
const languageModel = openaiLanguageModel({
  baseUrl,
  model: 'teacher',
  journal,
  concurrency: inFlight,
  clock: realClock(Date.now),
  random: Random.fromSeed(0),
});
const requests = givenHistories({ games, steps });
const began = performance.now();
const labels = await labelAll(requests, { expert: openaiExpert({ languageModel }), inFlight });
const ms = performance.now() - began;
journal.close();
const commands = labels.map((label) => (label.kind === 'action' ? label.command : ''));
process.stdout.write(JSON.stringify({ ms, commands } satisfies Done));
