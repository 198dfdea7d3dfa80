/**
 * Checks the built site, at the end of `npm run docs`. Prints dead links and faults of pages; status 2 if there are any.
 *
 *   node tools/dist/documents/check-site.js FOLDER
 */
import { readdirSync, readFileSync } from 'node:fs';
import { exitCodes } from '@emac/core';
import { deadLinksOfSite } from './dead-links.ts';
import { pageFaults } from './page-html.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('check-site: needs the folder of the site');
const dead = deadLinksOfSite(folder);
for (const line of dead) process.stderr.write(`leads nowhere: ${line}\n`);
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const faults = pages.flatMap((name) =>
  pageFaults(readFileSync(`${folder}/${name}`, 'utf8')).map((fault) => `${name}: ${fault}`),
);
for (const line of faults) process.stderr.write(`${line}\n`);
process.stdout.write(
  `${folder}/index.html: ${pages.length} pages, ${dead.length} dead links, ${faults.length} faults of pages\n`,
);
process.exitCode = dead.length + faults.length === 0 ? 0 : exitCodes['check-failed'];
