/** Where the code may ask what kind of policy a name is: where policies are opened. Everywhere else they are all alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageNames, root } from './root.ts';

/** Where a name becomes a policy, which of two openers makes it, and for which policies a setting is. */
const sockets = [
  'packages/settings/src/small-networks.ts',
  'packages/settings/src/conditions.ts',
  'packages/opening/src/',
  'packages/experiment/src/groups/group-policy.ts',
  'packages/experiment/src/training/started-policy.ts',
];

/** Defaults that differ. A shorter list is progress. */
const others = [
  'packages/experiment/src/reinforcement/given-config.ts',
  'packages/settings/src/found-by-trial.ts',
];

const sources = [...packageNames().map((name) => `packages/${name}`), 'apps/cli'].flatMap((folder) =>
  readdirSync(`${root}${folder}/src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.(test|bench)\./.test(name))
    .map((name) => `${folder}/src/${name}`),
);

describe('the kind of a policy', () => {
  it('is asked for where policies are opened, and in no further file', () => {
    const asking = sources.filter((file) =>
      /\bimport [^;]*\bsmallNetworkOf\b[^;]*'(@emac\/settings|\.\/small-networks\.ts)'/.test(
        readFileSync(`${root}${file}`, 'utf8'),
      ),
    );
    const outside = asking.filter((file) => !sockets.some((socket) => file.startsWith(socket)));
    expect(outside.filter((file) => !file.endsWith('settings/src/index.ts')).sort()).toEqual(others);
  });
});
