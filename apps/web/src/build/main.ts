/** `npm run web`: builds the site and serves it; `npm run web -- --build` only builds. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildSite } from './build-site.ts';
import { serveSite } from './serve-site.ts';

const { values } = parseArgs({
  options: {
    build: { type: 'boolean', default: false },
    out: { type: 'string', default: fileURLToPath(new URL('../../site', import.meta.url)) },
    port: { type: 'string', default: '8080' },
  },
});

const files = await buildSite(join(values.out));
const megabytes = (isLater: boolean): string => {
  const some = files.filter((file) => file.isLater === isLater);
  return `${(some.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB`;
};
process.stdout.write(
  `${values.out}: ${files.length} files, ${megabytes(false)}, and ${megabytes(true)} that is loaded when chosen\n`,
);
if (!values.build) {
  const { address } = await serveSite(values.out, Number(values.port));
  process.stdout.write(`${address} — Ctrl-C ends it\n`);
}
