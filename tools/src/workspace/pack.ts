/**
 * Packs packages for use outside the repository, each with the siblings it needs, and prints the line that installs them.
 * The folder (`packed` in the repository unless given) then holds these tarballs and none of an earlier call.
 *
 *   npm run pack -- PACKAGE… [--out DIR]
 */
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { createFolder } from '@emac/files';
import { pack, withSiblings } from './packed-set.ts';
import { root } from './root.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
if (positionals.length === 0) throw new EmacError('usage', 'pack: needs package names, got none');
const names = withSiblings(positionals);
// npm runs scripts in the repository's root; paths are relative to where the command was typed
const typedIn = process.env['INIT_CWD'] ?? process.cwd();
const folder = values.out === undefined ? join(root, 'packed') : resolve(typedIn, values.out);
createFolder(folder);
for (const file of readdirSync(folder)) if (/^emac-.*\.tgz$/.test(file)) rmSync(join(folder, file));
const packed = await pack(names, ['--pack-destination', folder]);
const paths = packed.map(({ filename }) => join(folder, filename));
process.stdout.write(`npm install --ignore-scripts ${paths.join(' ')}\n`);
