/**
 * Plays games with chosen words in the visual places: shows what the frozen language model can do before anything is
 * taught. Usage: node tools/dist/emma-tiny/capability.js MODEL_FOLDER WORD|- [GAMES_FOLDER] --games 20 --beams 1
 * `-` fills the places with class words only.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBackbone } from '@emac/backbone';
import { Random, type Turn } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { studentText } from '@emac/prompt';
import { builtinGames, findGames, loadGame, objectClasses, parseGame, World, type Game } from '@emac/world';
import { readVocabulary } from './vocabulary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string', default: '20' },
    beams: { type: 'string', default: '1' },
    steps: { type: 'string', default: '40' },
  },
});
const [folder, word, gamesFolder] = positionals;
if (!folder || !word) throw new Error('usage: capability MODEL_FOLDER WORD|- [GAMES_FOLDER]');

const backbone = loadBackbone(folder, { threads: 1 });
const vocabulary = readVocabulary(join(folder, 'tokenizer.json'));
const { tokenizer } = vocabulary;
const { config } = backbone.files;
const vectors = backbone.files.read('language_model.model.embed_tokens.weight').data;

function visualWords(random: Random): Float32Array {
  const width = config.llama.hiddenSize;
  const visual = new Float32Array(config.queryTokens * width);
  for (let place = 0; place < config.queryTokens; place++) {
    const text = place === 3 && word !== '-' ? word! : random.pick(objectClasses).toLowerCase();
    const id = vocabulary.ids.get(` ${text}`)!;
    visual.set(vectors.subarray(id * width, (id + 1) * width), place * width);
  }
  return visual;
}

async function play(game: Game, random: Random): Promise<{ won: boolean; steps: number; refused: number }> {
  const world = new World(game);
  const start = world.reset();
  const turns: Turn[] = [];
  let refused = 0;
  const limit = Number(values.steps);
  while (turns.length < limit) {
    const { text } = studentText(
      { initial: start.observation, turns },
      { maxTokens: 1024, countTokens: (part) => tokenizer.encode(part).length + 1 },
    );
    const { tokens: ids } = await backbone.generate(
      { visual: visualWords(random), tokens: [tokenizer.beginToken!, ...tokenizer.encode(text)] },
      { endTokens: [tokenizer.endToken!], beams: Number(values.beams), maxNewTokens: 32, lengthPenalty: 0 },
    );
    const command = postprocess(tokenizer.decode(ids));
    const state = world.step(command);
    if (state.observation === 'Nothing happens.') refused++;
    turns.push({ command, observation: state.observation });
    if (state.won) return { won: true, steps: turns.length, refused };
  }
  return { won: false, steps: limit, refused };
}

async function main(): Promise<void> {
  const random = Random.fromSeed('capability');
  const suite = builtinGames('valid_unseen');
  const files = gamesFolder ? random.shuffle(findGames(gamesFolder).games) : [];
  let won = 0;
  let steps = 0;
  let refused = 0;
  const count = Number(values.games);
  for (let index = 0; index < count; index++) {
    const generated = gamesFolder ? null : suite.game(index);
    const game = generated
      ? parseGame(JSON.stringify(generated.file), { id: generated.id })
      : loadGame(files[index]!);
    const outcome = await play(game, random);
    won += outcome.won ? 1 : 0;
    steps += outcome.steps;
    refused += outcome.refused;
  }
  process.stdout.write(
    JSON.stringify({
      word,
      games: count,
      success: won / count,
      meanSteps: steps / count,
      refused: refused / steps,
    }) + '\n',
  );
  await backbone.dispose();
}

await main();
