/** `emac collect` from start to end. */
import { EmacError, Random, type Expert, type Student } from '@emac/core';
import { encodePng } from '@emac/images';
import { collectEpisode, presetSettings, type CollectedSample, type Collecting } from '@emac/trainer';
import type { CollectValues } from './collect-command.ts';
import { openCollection, type CollectionFile } from './collect-file.ts';
import { drawGames, listGames, loadGames, shortage } from './games.ts';
import { gamesWorld } from './games-world.ts';
import { say, type Io } from './io.ts';
import { inUse, openModel, openStudent } from './model.ts';
import { speechOf } from './policy.ts';
import { policyTexts } from './policy-texts.ts';
import { progress, type Progress } from './progress.ts';
import { ownProjection, storedProjection } from './projection-start.ts';
import { counted, stopwatch } from './stopwatch.ts';
import { openTeacher } from './teacher.ts';

/** Carries out `emac collect`; returns 0. */
export async function runCollection(values: CollectValues, io: Io): Promise<number> {
  const watch = stopwatch(io.now);
  const signal = io.catchInterruption();
  const plan = await watch.part('opening', () => planCollection(values, io));
  try {
    const { games, notes, model, teacher, settings } = plan;
    const file = openCollection(values.out, settings);
    const shown = progress(io.stderr, io.now);
    shown.note(inUse(model));
    for (const note of notes) if (note !== null) shown.note(note);
    teacher.listen(shown.expert);
    teacher.keepReplies(`${values.out}/llm.jsonl`, file.replies);
    const counts = await watch.part('playing', () =>
      collect({ ...plan.collecting, signal }, { plan, file, shown }).catch((thrown: unknown) => {
        shown.end();
        throw signal.aborted && isInterruption(thrown) ? stopped(file, games.length) : thrown;
      }),
    );
    shown.end();
    say(io.stdout, `dataset: ${file.finish()}`);
    say(io.stdout, `${counted(counts.records, 'sample')} of ${counted(games.length, 'game')}`);
    say(io.stdout, `time: ${watch.summary()}`);
    return 0;
  } finally {
    await plan.dispose();
  }
}

function isInterruption(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'interrupted';
}

function stopped({ collected }: CollectionFile, games: number): EmacError {
  const done = `after ${collected()} of ${counted(games, 'game')}`;
  return new EmacError(
    'interrupted',
    `collect: stopped on request ${done}; the same command goes on from there`,
  );
}

type Plan = Awaited<ReturnType<typeof planCollection>>;

async function planCollection(values: CollectValues, io: Io) {
  const random = Random.fromSeed(values.seed).stream('collect');
  const list = listGames(values.games);
  const games = loadGames(drawGames(list, values['num-games'] ?? list.games.length, random.stream('games')));
  const teacher = await openTeacher(values, io, { random: random.stream('retries'), games });
  const model = await openModel(values.model, values);
  const start = values.ckpt === null ? ownProjection(model.checkpoint) : storedProjection(values.ckpt, model);
  const speech = speechOf(values, start.policy);
  const student = await openStudent(model, start, speech);
  const text = { ...speech.text, thoughts: values['imitate-thoughts'] };
  const isAsked = values.phase === 'dpo' || values['act-with'] !== 'expert';
  const { out: _place, ...settings } = values;
  return {
    ...{ games, teacher, model, settings },
    policy: { text, maxSteps: values['max-steps'] },
    notes: [
      list.leftOut,
      start.note,
      ...teacher.notes,
      shortage('--num-games', games.length, values['num-games'] ?? 0),
    ],
    collecting: {
      phase: values.phase,
      settings: {
        ...presetSettings('published-code', values.phase),
        ...{ actWith: values['act-with'], expertProbability: values['expert-probability'], expertDecay: 1 },
        maxSteps: values['max-steps'],
      },
      student: isAsked ? student : silent(student),
      expert: teacher.expert as Expert,
      texts: policyTexts(student, text.maxTokens),
      random: random.stream('playing'),
    } satisfies Collecting,
    dispose: async () => {
      teacher.dispose();
      await student.dispose();
    },
  };
}

/** A student that is not asked: the expert acts, and what the student would say is not kept. */
function silent(student: Student): Student {
  const nothing = Promise.resolve({ key: '', data: new Float32Array(0) });
  return { ...student, features: () => nothing, act: () => Promise.resolve('') };
}

interface Collection {
  readonly plan: Plan;
  readonly file: CollectionFile;
  readonly shown: Progress;
}

/** Games that are in the file already are passed over. */
async function collect(
  collecting: Collecting,
  { plan, file, shown }: Collection,
): Promise<{ records: number }> {
  const { games, policy } = plan;
  shown.begin('collecting', games.length, { done: file.episodes });
  const world = gamesWorld(games.slice(file.episodes), policy);
  let [number, records] = [file.episodes, file.records];
  for (let episode = await world.next(); episode; episode = await world.next()) {
    const { gameId: id, taskType: type } = episode;
    const { won, steps, samples } = await collectEpisode(collecting, episode, number++);
    const written: object[] = [];
    for (const sample of samples) written.push(recordOf(sample, file.image(await encodePng(sample.frame))));
    file.episode(written, plan.teacher.position());
    records += written.length;
    shown.game({ id, type, won, steps, seen_in_training: false });
  }
  return { records };
}

function recordOf({ text, output, worse, taskType, gameId }: CollectedSample, image: string): object {
  return {
    ...{ image, text_input: text, text_output: output },
    ...(worse === null ? {} : { text_output_neg: worse }),
    ...(taskType === null ? {} : { task_type: taskType }),
    game_id: gameId,
  };
}
