/**
 * Writes the scenes for the fixtures of emma-tiny: moments of built-in games with the student's text, the expert's
 * command, another admissible command, and the frame as gzipped RGB bytes. Needs `npm run build`.
 * Usage: node tools/reference/write_scenes.mjs packages/backbone/fixtures/emma-tiny
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadTokenizer } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { studentTarget, studentText } from '@emac/prompt';
import { builtinGame, handcodedCommand, parseGame, renderFrame, World } from '@emac/world';

const moments = [
  { game: 3, step: 0, size: { width: 224, height: 224 } },
  { game: 3, step: 3, size: { width: 300, height: 300 } },
  { game: 8, step: 2, size: { width: 160, height: 120 } },
  { game: 11, step: 5, size: { width: 224, height: 224 } },
];

const folder = process.argv[2];
const tokenizer = loadTokenizer(join(modelFolder, 'tokenizer.json'));
const countTokens = (text) => tokenizer.encode(text).length + 1;

function scene({ game, step, size }, index) {
  const { id, file } = builtinGame('valid_unseen', game);
  const world = new World(parseGame(file, { id }));
  let state = world.reset();
  const history = { initial: state.observation, turns: [] };
  for (let taken = 0; taken < step; taken++) {
    const command = handcodedCommand(history);
    state = world.step(command);
    history.turns.push({ command, observation: state.observation });
  }
  const chosen = handcodedCommand(history);
  const others = state.admissible.filter((command) => command !== chosen);
  const rejected = others[(7 * (index + 1)) % others.length];
  const { data, ...frame } = renderFrame(world.visible(), size);
  writeFileSync(join(folder, `frame-${index}.rgb.gz`), gzipSync(data, { level: 9 }));
  const { text } = studentText(history, { maxTokens: 1024, countTokens });
  return { text, chosen: studentTarget(chosen), rejected: studentTarget(rejected), frame };
}

writeFileSync(join(folder, 'scenes.json'), `${JSON.stringify(moments.map(scene), null, 2)}\n`);
