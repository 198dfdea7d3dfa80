/**
 * Plays games and writes shards of encoded rows; learns the tokenizer first if OUT has none. Existing shards are kept.
 * The first --text-shards (after the held-out one) have text-only rows: reading and acting are learned before seeing.
 * In the others, --text-share of the plays are text-only, --both-share have text and frames, --reading-share have
 * frames to read aloud, and the rest have frames without contents in the text.
 * Usage: node tools/dist/emma-tiny/make-corpus.js OUT [TRAIN_FOLDER] --shards 25 --plays 4000 --from 0
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random, type Turn } from '@emac/core';
import { createFolder } from '@emac/files';
import { observedHistory } from '@emac/prompt';
import { findGames, objectClasses, receptacleClasses, type Game } from '@emac/world';
import { writeTokenizer } from '../tiny-model/tokenizer.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { encodeRow, type Row } from './encoded-row.ts';
import { corpusGames, drawGame } from './game-supply.ts';
import { piecePattern } from './pieces.ts';
import { playGame, type Play } from './plays.ts';
import { rowsOf } from './rows.ts';
import { listShards, writeShard } from './shard.ts';
import { stateWords } from './slots.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shards: { type: 'string', default: '25' },
    plays: { type: 'string', default: '4000' },
    from: { type: 'string', default: '0' },
    'max-tokens': { type: 'string', default: '368' },
    'text-shards': { type: 'string', default: '0' },
    'text-share': { type: 'string', default: '0.45' },
    'both-share': { type: 'string', default: '0.15' },
    'reading-share': { type: 'string', default: '0' },
    'framed-rows': { type: 'string', default: '3' },
  },
});
const [out, trainFolder] = positionals;
if (!out) throw new Error('usage: make-corpus OUT [TRAIN_FOLDER] [--shards N] [--plays N] [--from K]');

/** Words of slots besides numbers. */
const words = [...objectClasses, ...receptacleClasses, ...stateWords].map((name) => name.toLowerCase());
const maxSteps = 40;
const playsPerGame = 3;

function textOf(play: Play): string {
  const bare = observedHistory(play, 'image').turns;
  const told = (turns: readonly Turn[]) =>
    turns.map(({ command, observation }) => `\n> ${command}\n${observation}`).join('');
  return `${play.initial}${told(play.turns)}\n${told(bare)}\n>`;
}

/** Rows of one shard of plays. */
function* drawRows(files: readonly string[], index: number, random: Random): Generator<Row> {
  const isTextAlone = index > 0 && index <= Number(values['text-shards']);
  const shares = isTextAlone
    ? { text: 1, both: 0, reading: 0 }
    : {
        text: Number(values['text-share']),
        both: Number(values['both-share']),
        reading: Number(values['reading-share']),
      };
  const framedRows = Number(values['framed-rows']);
  const earlier: Play[] = [];
  for (const play of drawPlays(files, Number(values.plays), random)) {
    earlier.push(play);
    const elsewhere = random.pick(earlier[Math.max(0, earlier.length - 1 - 2 * playsPerGame)]!.seen);
    yield* rowsOf(play, random, { shares, framedRows, elsewhere });
  }
}

function* drawPlays(files: readonly string[], count: number, random: Random): Generator<Play> {
  let game: Game | undefined;
  for (let index = 0; index < count; index++) {
    if (index % playsPerGame === 0) game = drawGame(files, random);
    yield playGame(game!, random, { maxSteps });
  }
}

function learnTokenizer(folder: string, files: readonly string[]): void {
  const texts = Array.from(drawPlays(files, 3000, Random.fromSeed('emma-tiny tokenizer')), textOf);
  const numbers = Array.from({ length: 60 }, (_, index) => ` ${index + 1}`);
  const always = words.map((word) => ` ${word}`).concat(numbers);
  writeTokenizer(folder, texts, { merges: 256, minPieceCount: 20, always, pattern: piecePattern });
}

createFolder(out);
const files = trainFolder ? corpusGames(findGames(trainFolder).games) : [];
const tokenizerFile = join(out, 'tokenizer.json');
if (!existsSync(tokenizerFile)) learnTokenizer(out, files);
const vocabulary = readVocabulary(tokenizerFile);
for (let index = Number(values.from); index < Number(values.from) + Number(values.shards); index++) {
  const path = join(out, `plays-${String(index).padStart(4, '0')}.safetensors`);
  if (listShards(out).includes(path)) continue;
  const random = Random.fromSeed(`emma-tiny plays ${index}`);
  const maxTokens = Number(values['max-tokens']);
  const rows = Array.from(drawRows(files, index, random), (row) => encodeRow(row, vocabulary, maxTokens));
  writeShard(path, rows);
  const tokens = rows.reduce((sum, row) => sum + row.ids.length, 0);
  process.stdout.write(
    JSON.stringify({ shard: index, rows: rows.length, tokens, vocabulary: vocabulary.size }) + '\n',
  );
}
