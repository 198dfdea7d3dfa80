/**
 * Checks the built site, at the end of `npm run docs`. Prints dead links; status 2 if there are any.
 *
 *   node tools/dist/documents/check-site.js FOLDER
 */
import { readdirSync } from 'node:fs';
import { exitCodes } from '@emac/core';
import { deadLinksOfSite } from './dead-links.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('check-site: needs the folder of the site');
const dead = deadLinksOfSite(folder);
for (const line of dead) process.stderr.write(`leads nowhere: ${line}\n`);
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
process.stdout.write(`${folder}/index.html: ${pages.length} pages, ${dead.length} dead links\n`);
process.exitCode = dead.length === 0 ? 0 : exitCodes['check-failed'];
