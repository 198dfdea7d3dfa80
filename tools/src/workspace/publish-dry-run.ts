/**
 * `npm run publish:dry`: the output of `npm publish` for every package, without sending anything. Exit 1 if npm
 * complains.
 */
import { publishComplaints } from './publish-complaints.ts';

const complaints = await publishComplaints();
for (const line of complaints) process.stderr.write(`${line}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
