/**
 * Plays games and writes shards of encoded plays; learns the tokenizer first if OUT has none.
 * Usage: node tools/dist/emma-tiny/make-corpus.js OUT [TRAIN_FOLDER] --shards 25 --plays 4000 --from 0
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { findGames, objectClasses, receptacleClasses, type Game } from '@emac/world';
import { encodePlay, type Play } from './encoded-play.ts';
import { drawGame } from './game-supply.ts';
import { playGame } from './plays.ts';
import { listShards, writeShard } from './shard.ts';
import { trainTokenizer } from './tokenizer.ts';
import { readVocabulary } from './vocabulary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shards: { type: 'string', default: '25' },
    plays: { type: 'string', default: '4000' },
    from: { type: 'string', default: '0' },
    'max-tokens': { type: 'string', default: '512' },
  },
});
const [out, trainFolder] = positionals;
if (!out) throw new Error('usage: make-corpus OUT [TRAIN_FOLDER] [--shards N] [--plays N] [--from K]');

/** Words that may stand in slots: classes of things and places, and states. */
const words = [...objectClasses, ...receptacleClasses].map((name) => name.toLowerCase());
const qualityWords = ['good', 'poor', 'open', 'closed', 'hot', 'cool', 'clean', 'sliced', 'lit'];
const playOptions = { maxSteps: 40, maxSlots: 16, words };
const playsPerGame = 3;

function textOf(play: Play): string {
  return play.initial + play.turns.map((turn) => `\n> ${turn.command}\n${turn.observation}`).join('') + '\n>';
}

function* drawPlays(files: readonly string[], count: number, random: Random): Generator<Play> {
  let game: Game | undefined;
  for (let index = 0; index < count; index++) {
    if (index % playsPerGame === 0) game = drawGame(files, random);
    yield playGame(game!, random, playOptions);
  }
}

function learnTokenizer(file: string, files: readonly string[]): void {
  const texts = Array.from(drawPlays(files, 3000, Random.fromSeed('emma-tiny tokenizer')), textOf);
  const numbers = Array.from({ length: 60 }, (_, index) => ` ${index + 1}`);
  const always = [...words, ...qualityWords].map((word) => ` ${word}`).concat(numbers);
  const tokenizer = trainTokenizer(texts, { merges: 256, minPieceCount: 20, always });
  writeFileSync(file, JSON.stringify(tokenizer, null, 1) + '\n');
}

createFolder(out);
const files = trainFolder ? findGames(trainFolder).games : [];
const tokenizerFile = join(out, 'tokenizer.json');
if (!existsSync(tokenizerFile)) learnTokenizer(tokenizerFile, files);
const vocabulary = readVocabulary(tokenizerFile);
for (let index = Number(values.from); index < Number(values.from) + Number(values.shards); index++) {
  const path = join(out, `plays-${String(index).padStart(4, '0')}.safetensors`);
  if (listShards(out).includes(path)) continue;
  const random = Random.fromSeed(`emma-tiny plays ${index}`);
  const plays = Array.from(drawPlays(files, Number(values.plays), random), (play) =>
    encodePlay(play, vocabulary, Number(values['max-tokens'])),
  );
  writeShard(path, plays);
  const tokens = plays.reduce((sum, play) => sum + play.ids.length, 0);
  process.stdout.write(
    JSON.stringify({ shard: index, plays: plays.length, tokens, vocabulary: vocabulary.size }) + '\n',
  );
}
