/**
 * Counts the files of code that name a method or an environment: its own, whose path has the name, and all others, which adding it touched. Tests, benchmarks,
 * fixtures and lists of exports are left out.
 *
 *   node tools/dist/count-named-places.js [--files NAME]
 *
 * `--files kto` lists them instead.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { groupMethodNames, phases } from '@emac/algorithms';
import { optimizerNames } from '@emac/optim';
import { placesOf, wordsOf } from './workspace/named-places.ts';
import { packageNames, root } from './workspace/root.ts';

const environments = ['alfworld', 'gym-cards', 'minigrid', 'frozen-lake', 'sokoban', 'tabletop', 'lewis'];
const elsewhere = ['openenv', 'mcp'];
const rows = {
  method: [...phases, 'sft', 'ppo', ...groupMethodNames],
  optimizer: optimizerNames,
  environment: [...environments, ...elsewhere],
};

const { values } = parseArgs({ options: { files: { type: 'string' } } });
const folders = [...packageNames().map((name) => `packages/${name}/src`), 'apps/cli/src'];
const paths = folders.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.(test|bench)\.|(^|\/)index\.ts$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const files = new Map(paths.sort().map((path) => [path, wordsOf(readFileSync(root + path, 'utf8'))]));
if (values.files === undefined) {
  process.stdout.write(
    '| | name | own files | others | packages of the others |\n| --- | --- | --- | --- | --- |\n',
  );
  for (const [kind, names] of Object.entries(rows))
    for (const name of names) {
      const { own, others } = placesOf(files, name);
      const packages = new Set(others.map((path) => path.split('/')[1]));
      process.stdout.write(`| ${kind} | ${name} | ${own.length} | ${others.length} | ${packages.size} |\n`);
    }
} else {
  const { own, others } = placesOf(files, values.files);
  process.stdout.write([...own, '', ...others, ''].join('\n'));
}
