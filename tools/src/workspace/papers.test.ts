/** `docs/background/papers.md` names flags that undo departures from papers: each must exist in a compiled training command. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from './root.ts';

const isBuilt = existsSync(`${root}apps/cli/dist/main.js`);

describe.skipIf(!isBuilt)('docs/background/papers.md', () => {
  it('names only flags that emac train, ppo, grpo or sft has', () => {
    const helpOf = (command: string) =>
      execFileSync(process.execPath, [`${root}apps/cli/bin/emac.mjs`, command, '--help'], {
        encoding: 'utf8',
      });
    const help = ['train', 'ppo', 'grpo', 'sft'].map(helpOf).join('');
    const flags = [...help.matchAll(/^ {2}--([a-z][a-z0-9-]*)/gm)].map(([, flag]) => flag);
    const text = readFileSync(`${root}docs/background/papers.md`, 'utf8');
    const named = [...text.matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, flag]) => flag);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
  });
});
