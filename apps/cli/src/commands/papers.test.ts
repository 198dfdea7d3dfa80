/** `docs/background/papers.md` names flags that switch a departure back: a command that trains has each of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emac } from '../captured-io.test.fixture.ts';

const document = new URL('../../../../docs/background/papers.md', import.meta.url);

describe('docs/background/papers.md', () => {
  it('names only flags of emac train, ppo, grpo or sft', async () => {
    const helpOf = async (command: string) => (await emac([command, '--help'])).stdout;
    const help = (await Promise.all(['train', 'ppo', 'grpo', 'sft'].map(helpOf))).join('');
    const flags = [...help.matchAll(/^ {2}--([a-z][a-z0-9-]*)/gm)].map(([, flag]) => flag);
    const named = [...readFileSync(document, 'utf8').matchAll(/--([a-z][a-z0-9-]*)/g)].map(
      ([, flag]) => flag,
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
  });
});
