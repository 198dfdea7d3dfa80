/**
 * Shows what the frozen model can do without training: plays games with perfect visual tokens of each frame, or with
 * the model's own vision encoder (--eye).
 * Usage: node tools/dist/emma-tiny/capability.js MODEL_FOLDER [GAMES_FOLDER] --observe image --games 20 [--eye]
 * From a folder of real games it plays those held out from the corpus.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBackbone } from '@emac/backbone';
import { Random, type Turn } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { observedHistory, observeForms, studentText } from '@emac/prompt';
import {
  builtinGames,
  findGames,
  loadGame,
  parseGame,
  renderFrame,
  World,
  type Game,
  type VisibleState,
} from '@emac/world';
import { projection } from '../tiny-model/open-model.ts';
import { readVocabulary } from '../tiny-model/vocabulary.ts';
import { heldOutGames } from './game-supply.ts';
import { slotVectors } from './slot-vectors.ts';
import { emptySlot, slotCount, slotsOf } from './slots.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string', default: '20' },
    beams: { type: 'string', default: '1' },
    steps: { type: 'string', default: '50' },
    observe: { type: 'string', default: 'image' },
    suite: { type: 'string', default: 'valid_seen' },
    eye: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});
const [folder, gamesFolder] = positionals;
const observe = observeForms.find((form) => form === values.observe);
if (!folder || !observe)
  throw new Error('usage: capability MODEL_FOLDER [GAMES_FOLDER] [--observe text|image|both]');

const backbone = loadBackbone(folder, { threads: 1 });
const vocabulary = readVocabulary(join(folder, 'tokenizer.json'));
const { tokenizer } = vocabulary;
const project = projection(backbone);
const words = {
  data: backbone.files.read('language_model.model.embed_tokens.weight').data,
  width: backbone.files.config.llama.hiddenSize,
};

/** [slots, D]; without --eye the words of the frame's content, for texts alone none */
function visualTokens(visible: VisibleState): Promise<Float32Array> | Float32Array {
  if (values.eye) return seenBy(visible);
  const slots = observe === 'text' ? Array.from({ length: slotCount }, () => emptySlot) : slotsOf(visible);
  return slotVectors(slots, vocabulary, words);
}

/** What the model's own vision encoder makes of the frame [slots, D]. */
async function seenBy(visible: VisibleState): Promise<Float32Array> {
  const blank = { width: 1, height: 1, data: new Uint8Array(3) };
  const frame = observe === 'text' ? blank : renderFrame(visible);
  return project(await backbone.features(backbone.imageProcessor.process(frame)));
}

async function play(game: Game): Promise<{ won: boolean; steps: number; refused: number; turns: Turn[] }> {
  const world = new World(game);
  const start = world.reset();
  const turns: Turn[] = [];
  let refused = 0;
  const limit = Number(values.steps);
  while (turns.length < limit) {
    const history = observedHistory({ initial: start.observation, turns }, observe!);
    const { text } = studentText(history, {
      maxTokens: 1024,
      countTokens: (part) => tokenizer.encode(part).length + 1,
    });
    const { tokens: ids } = await backbone.generate(
      {
        visual: await visualTokens(world.visible()),
        tokens: [tokenizer.beginToken!, ...tokenizer.encode(text)],
      },
      { endTokens: [tokenizer.endToken!], beams: Number(values.beams), maxNewTokens: 32, lengthPenalty: 0 },
    );
    const command = postprocess(tokenizer.decode(ids));
    const state = world.step(command);
    if (state.observation === 'Nothing happens.') refused++;
    turns.push({ command, observation: state.observation });
    if (state.won) return { won: true, steps: turns.length, refused, turns };
  }
  return { won: false, steps: limit, refused, turns };
}

async function main(): Promise<void> {
  const random = Random.fromSeed('capability');
  const suite = builtinGames(values.suite as 'valid_seen');
  const files = gamesFolder ? random.shuffle(heldOutGames(findGames(gamesFolder).games)) : [];
  let won = 0;
  let steps = 0;
  let refused = 0;
  const count = Number(values.games);
  for (let index = 0; index < count; index++) {
    const generated = gamesFolder ? null : suite.game(index);
    const game = generated
      ? parseGame(JSON.stringify(generated.file), { id: generated.id })
      : loadGame(files[index]!);
    const outcome = await play(game);
    if (values.show && !outcome.won) {
      const told = outcome.turns.map(({ command, observation }) => `> ${command}\n${observation}`).join('\n');
      process.stderr.write(`${game.id}\n${new World(game).reset().observation}\n${told}\n\n`);
    }
    won += outcome.won ? 1 : 0;
    steps += outcome.steps;
    refused += outcome.refused;
  }
  process.stdout.write(
    JSON.stringify({
      observe,
      games: count,
      success: won / count,
      meanSteps: steps / count,
      refused: refused / steps,
    }) + '\n',
  );
  await backbone.dispose();
}

await main();
