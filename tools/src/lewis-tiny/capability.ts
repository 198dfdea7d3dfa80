/**
 * Measures lewis-tiny without training, in games of drawn concepts with 3 candidates of a category: the shares of games
 * won by its speaker and its listener.
 * Usage: node tools/dist/lewis-tiny/capability.js MODEL_FOLDER [--concepts heldOut|training] [--views test|train]
 * [--games 450] [--blank] [--show 2]
 */
import { parseArgs } from 'node:util';
import { Random, type Frame } from '@emac/core';
import {
  agreement,
  drawGames,
  formatReward,
  readDescription,
  readListenerAnswer,
  scoreCandidates,
  thingOf,
  trueDescription,
} from '@emac/lewis';
import { openLewisPlayer } from './player.ts';
import { lewisSplit } from './samples.ts';
import { attributes } from './words.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concepts: { type: 'string', default: 'heldOut' },
    views: { type: 'string', default: 'test' },
    games: { type: 'string', default: '450' },
    blank: { type: 'boolean', default: false },
    show: { type: 'string', default: '0' },
  },
});
const [folder] = positionals;
if (!folder)
  throw new Error(
    'usage: capability MODEL_FOLDER [--concepts heldOut|training] [--views test|train] [--games N]',
  );

const blank: Frame = { width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(128) };
const player = values.blank ? openLewisPlayer(folder, () => blank) : openLewisPlayer(folder);
const random = Random.fromSeed('lewis-tiny capability');
const concepts = values.concepts === 'training' ? lewisSplit.training : lewisSplit.heldOut;
const views = values.views === 'train' ? 'train' : 'test';
const games = random
  .stream('order')
  .shuffle(drawGames(concepts, { views, random: random.stream('games') }))
  .slice(0, Number(values.games));
const truths = games.map(({ image }) => trueDescription(thingOf(image)));

const share = (count: number, of: number) => +(count / of).toFixed(4);
const won = (predicted: readonly number[]) =>
  share(predicted.filter((place, at) => place === games[at]!.label).length, games.length);

/** Games won with a perfect listener. */
function heardRight(written: readonly string[]): number {
  return won(
    games.map(({ category, candidates }, at) => {
      const { text } = readDescription(written[at]!, category);
      return scoreCandidates(candidates.map((view) => agreement(text, thingOf(view)))).predicted;
    }),
  );
}

async function heardByModel(written: readonly string[]): Promise<number> {
  return won((await player.judged({ games, written })).map((scores) => scoreCandidates(scores).predicted));
}

/** How often thoughts name attributes, and how often correctly. */
function named(written: readonly string[]) {
  const found = attributes.map((attribute) => {
    const words = new Set(concepts.map(({ train }) => thingOf(train[0]!)[attribute] as string));
    const said = games.flatMap(({ image }, at) => {
      const thinking = /It is (\w+) and (\w+), with (\w+) edge/.exec(written[at]!);
      const word = thinking?.[1 + attributes.indexOf(attribute)] ?? '';
      return words.has(word) ? [word === thingOf(image)[attribute]] : [];
    });
    const right = said.filter(Boolean).length;
    return [attribute, { named: share(said.length, games.length), right: share(right, said.length || 1) }];
  });
  return Object.fromEntries(found) as Record<string, { named: number; right: number }>;
}

async function speaks(written: readonly string[]) {
  show('speaker', written);
  return {
    format: share(
      written.reduce((sum, text) => sum + formatReward(text), 0),
      games.length,
    ),
    won: heardRight(written),
    wonByModel: await heardByModel(written),
    ...named(written),
  };
}

async function reasons(looks: boolean) {
  const answers = await player.reasoned({ games, written: truths }, { looks });
  show(
    'reasons',
    answers.flatMap(({ said, yesProbabilities }) =>
      said.map((text, place) => `${text} ${yesProbabilities[place]!.toFixed(4)}`),
    ),
  );
  return { won: won(answers.map(({ predicted }) => predicted)) };
}

/** Sampled answers: how many parse, look at the picture, and are right when they do. */
async function drawnReasons() {
  const answered = await player.drawnReasons({ games, written: truths }, random.stream('sampled reasons'));
  const drawn = answered.flatMap((answers, at) =>
    answers.map((text, place) => ({
      text,
      read: readListenerAnswer(text),
      right: place === games[at]!.label ? 'yes' : 'no',
    })),
  );
  show(
    'sampled reasons',
    drawn.map(({ text }) => text),
  );
  const looked = drawn.filter(({ text }) => text.includes('I see'));
  const right = looked.filter(({ read, right }) => read?.verdict === right);
  const readable = drawn.filter(({ read }) => read);
  return {
    format: share(readable.length, drawn.length),
    looks: share(looked.length, drawn.length),
    right: share(right.length, looked.filter(({ read }) => read).length || 1),
  };
}

function show(title: string, texts: readonly string[]): void {
  for (const text of texts.slice(0, Number(values.show))) process.stderr.write(`${title}: ${text}\n`);
}

const print = (line: object) => process.stdout.write(JSON.stringify(line) + '\n');
print({ concepts: values.concepts, views, games: games.length });
print({ speaker: 'greedy', ...(await speaks(await player.descriptions(games))) });
print({ speaker: 'sampled', ...(await speaks(await player.descriptions(games, random.stream('drawn')))) });
print({ listener: 'a word', won: await heardByModel(truths) });
print({ listener: 'greedy reasons', ...(await reasons(false)) });
print({ listener: 'sampled reasons', ...(await drawnReasons()) });
print({ listener: 'reasons that look', ...(await reasons(true)) });
await player.dispose();
