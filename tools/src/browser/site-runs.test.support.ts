/** Runs of the site beside the same runs in Node. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectEnvironment } from '@emac/datasets';
import { learn, type Learning } from '@emac/experiment';
import { sha256 } from '@emac/files';
import { loadEnvironmentModule, plainHost } from '@emac/opening';
import type { GivenSettings } from '@emac/settings';
import { askedBy, collectedBy, siteCatalogue, type Choice } from '@emac/web';
import { expect } from 'vitest';

export const catalogue = siteCatalogue();
/** what the page has in its editor */
const example = fileURLToPath(new URL('../../../docs/examples/my-environment.mjs', import.meta.url));

const ppo: Choice = {
  environment: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  method: 'ppo',
  amount: 4096,
  seed: 0,
  evaluated: 2,
  // four updates, so that a reload comes in the middle; short games, which a policy at its start loses
  others: { 'num-steps': '64', 'max-steps': '30' },
};
const imitation: Choice = {
  environment: 'alfworld',
  policy: 'emma-tiny',
  method: 'bc',
  amount: 1,
  seed: 0,
  evaluated: 1,
  others: { 'max-steps': '8' },
};

/** One of each kind of network, and an environment of one's own. */
export const choices = {
  ppo,
  pixels: {
    ...ppo,
    policy: 'cnn',
    amount: 256,
    evaluated: 2,
    others: { 'num-processes': '2', 'num-steps': '64' },
  },
  imitation,
  own: { ...imitation, environment: './my-environment.mjs' },
  /** steps of the expert, collected and then learned */
  recorded: {
    ...ppo,
    policy: 'rl-tiny',
    method: 'sft',
    amount: 16,
    evaluated: 1,
    others: { epochs: '2' },
  },
  /** by a person, who acts in the first round */
  taught: {
    environment: 'MiniGrid-Empty-Random-5x5-v0',
    policy: 'mlp',
    method: 'bc',
    expert: 'human',
    amount: 5,
    seed: 1,
    evaluated: 20,
    others: { 'max-steps': '20' },
  },
} as const satisfies Readonly<Record<string, Choice>>;

type Line = Readonly<Record<string, unknown>>;

/** The metrics of the same run in Node, kept below `folder`. */
export async function linesInNode(choice: Choice, folder: string): Promise<Line[]> {
  const own = join(folder, basename(choice.environment), choice.policy, String(choice.amount));
  const isOwn = choice.environment === choices.own.environment;
  const host = { ...plainHost(), ...(isOwn && { environment: await loadEnvironmentModule(example) }) };
  const { settings, ...asked } = askedBy(choice, catalogue);
  const collecting = collectedBy(choice, catalogue);
  const out = join(folder, basename(choice.environment), 'data');
  if (collecting) await collectEnvironment({ ...collecting, out }, host);
  const { dataset: before } = settings as GivenSettings;
  const dataset = collecting && { dataset: { ...before, data: join(out, 'train.json') } };
  // the same call returns a finished run
  const run = await learn({ ...asked, settings: { ...settings, ...dataset }, folder: own } as Learning, host);
  return linesOf(readFileSync(join(run.folder, 'metrics.jsonl')));
}

/** The objects of a JSONL file. */
export function linesOf(bytes: Uint8Array): Line[] {
  const text = new TextDecoder().decode(bytes);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Whole numbers and texts equal, others to what float32 sums in another order give. */
export function expectAlike(one: unknown, other: unknown): void {
  if (typeof one === 'number' && !Number.isInteger(one)) {
    expect(Math.abs(one - (other as number))).toBeLessThan(1e-3 * Math.max(1, Math.abs(one)));
  } else if (typeof one === 'object' && one !== null) {
    expect(Object.keys(one)).toEqual(Object.keys(other as object));
    for (const [key, value] of Object.entries(one)) expectAlike(value, (other as Line)[key]);
  } else expect(one).toEqual(other);
}

/** Clock times, and what holds them. */
const changesWithTime = /^(events\.jsonl|run\.json|report\.html|README\.md|command\.txt)$/;

/** All files of a run but those with clock times are another's, byte by byte, and there are no others. */
export function expectSameBytes(
  run: ReadonlyMap<string, Uint8Array>,
  other: ReadonlyMap<string, Uint8Array>,
): void {
  // megabytes compared number by number take seconds
  const hashes = (files: ReadonlyMap<string, Uint8Array>) =>
    Object.fromEntries(
      [...files].flatMap(([path, bytes]) => (changesWithTime.test(path) ? [] : [[path, sha256(bytes)]])),
    );
  expect(hashes(other)).toEqual(hashes(run));
}

/** How often a run was begun or gone on with. */
export function beginnings(run: ReadonlyMap<string, Uint8Array>): number {
  return linesOf(run.get('events.jsonl')!).filter(({ kind }) => kind === 'running').length;
}
