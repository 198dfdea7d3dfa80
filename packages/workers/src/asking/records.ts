/**
 * Episodes of a collection on workers. A few consecutive episodes are a job; steps are taken in episode order until
 * there are enough. The number of episodes is not known beforehand. So jobs come in turns, sized by the episode lengths
 * so far; surplus episodes are dropped.
 */
import { recordsIn } from '../jobs/result-forms.ts';
import type { WorkedRun } from '../jobs/worked-run.ts';
import { carried } from '../plan/carried.ts';
import type { EpisodeForm } from '../plan/player.ts';

/**
 * What a player of records is asked: `count` episodes from number `first` on. The result is packed steps, by episode.
 */
export interface SentEpisodes {
  readonly first: number;
  readonly count: number;
}

interface Collected<Step> {
  readonly form: EpisodeForm<Step>;
  /** steps to collect */
  readonly samples: number;
  /** episodes per job */
  readonly together: number;
  /** jobs of the first turn, before episode lengths are known */
  readonly firstTurn: number;
}

/**
 * Steps of episode after episode, played by workers, as many as are read; each is read before the next is requested. Errors while playing: `usage` for impossible settings; those of
 * `WorkedRun.results` and, at the end, of its `agreed`.
 */
export async function* recordsElsewhere<Step>(
  run: WorkedRun,
  { form: { play, unpack }, samples, together, firstTurn }: Collected<Step>,
): AsyncGenerator<Step> {
  // plays one step here, to refuse invalid settings before every worker does
  for await (const _step of play(0)) break;
  let [given, jobs] = [0, 0];
  while (given < samples) {
    const turn = given === 0 ? firstTurn : Math.ceil((samples - given) / (given / jobs));
    // waits for the whole turn, so no result arrives after the collection
    for await (const [, episodes] of playedTurn(run, unpack, { from: jobs, turn, together }))
      for (const steps of episodes)
        for (const step of steps.slice(0, samples - given)) {
          given++;
          yield step;
        }
    jobs += turn;
  }
  await run.agreed();
}

interface Turn {
  /** its first job */
  readonly from: number;
  /** number of jobs */
  readonly turn: number;
  readonly together: number;
}

function playedTurn<Step>(
  { folder, results }: WorkedRun,
  unpack: EpisodeForm<Step>['unpack'],
  { from, turn, together: count }: Turn,
) {
  const jobs = Array.from({ length: turn }, (_, place) => {
    const seed = from + place;
    return { seed, input: { first: seed * count, count } satisfies SentEpisodes };
  });
  const asked = { verb: 'play', part: 'episodes', version: 'scripted', jobs } as const;
  return results(asked, async (result) =>
    recordsIn(await carried<unknown>(folder, result), count).map((steps) => steps.map(unpack)),
  );
}
