#!/usr/bin/env node
// Runs the compiled command; without it, says how to compile.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('emac: not built yet; run "npm run build" in the repository first\n');
  process.exit(69);
}
await import(main.href);
