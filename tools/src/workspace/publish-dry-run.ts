/**
 * `npm run publish:dry`: the files that `npm publish` would send, without sending anything. Exit 1 with npm's lines if
 * it complains.
 */
import { tryPublishing } from './publish-complaints.ts';

const { complaints, packed } = await tryPublishing();
process.stdout.write(
  `${Object.values(packed)
    .map(({ filename }) => filename)
    .join('\n')}\n`,
);
for (const line of complaints) process.stderr.write(`${line}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
