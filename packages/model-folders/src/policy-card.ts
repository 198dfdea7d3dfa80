/** The card of a policy's folder on the hub: where the policy comes from and what it reached, as its run says; unknown facts are omitted. */
import { basename } from 'node:path';
import { knownStart, modelOfRun, runOf } from '@emac/opening';
import { checkpointFiles, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { usualEnvironment } from '@emac/settings';
import { runFacts, standingAt, type RunFacts } from './run-facts.ts';

/** Markdown with the hub's front matter; its `model-index` has the evaluation of that checkpoint. Errors: `missing`, `data`, `io`. */
export function policyCard(checkpoint: string, repository: string): string {
  const { folder, name: step } = resolveCheckpoint(checkpoint);
  const { state, manifest } = loadCheckpoint(folder);
  const isWhole = checkpointFiles.network in manifest.files;
  const run = runOf(folder);
  const standing = standingAt(state);
  const facts = run === null ? null : runFacts(run, { checkpoint: step, updates: standing.updates });
  const environment = knownStart(checkpoint).env ?? usualEnvironment;
  const tags = ['emac', ...(facts ? [facts.phase, environment] : [])];
  const index = facts?.after
    ? [{ name: basename(repository), results: [resultOf(facts, environment)] }]
    : null;
  return `${[
    '---',
    'library_name: emac',
    // JSON is YAML
    `tags: ${JSON.stringify(tags)}`,
    ...(index ? [`model-index: ${JSON.stringify(index)}`] : []),
    '---',
    '',
    `# ${basename(repository)}`,
    '',
    `A policy trained by EMAC: ${isWhole ? 'a small network, whole' : 'the trained parameters alone, without the model that they belong to'}.`,
    '',
    ...(run === null ? [] : [`- model: ${code(basename(modelOfRun(run)))}`]),
    isWhole
      ? `- layers: ${code(manifest.baseModel)}`
      : `- frozen networks: ${code(manifest.baseModel.slice(0, 16))} (SHA-256)`,
    `- checkpoint: ${code(step)}`,
    ...(facts ? ofRun(facts) : []),
    '',
    ...(facts?.after ? reached(facts) : ['This checkpoint was not evaluated in its run.', '']),
    '## Use',
    '',
    '```sh',
    `npx emac model fetch ${repository} --out policy`,
    'npx emac eval --ckpt policy',
    '```',
  ].join('\n')}\n`;
}

function ofRun({ name, phase, seed, source }: RunFacts): string[] {
  return [`- run: ${code(name)}, ${phase}, seed ${seed}${source === null ? '' : `, from ${code(source)}`}`];
}

function reached({ before, after, evaluatedOn }: RunFacts): string[] {
  const share = (value: number | null | undefined) => value?.toFixed(3) ?? 'not measured';
  return [
    `Held-out tasks${evaluatedOn === null ? '' : ` of ${code(evaluatedOn)}`}: ${after!.tasks ?? after!.games.length}. Success: ${share(after!.success)}; before training: ${share(before?.success)}.`,
    '',
  ];
}

/** As the hub shows results of reinforcement learning. */
function resultOf({ after, evaluatedOn }: RunFacts, env: string) {
  const metrics = [
    ['success', after!.success],
    ['mean_reward', after!.mean_return],
  ] as const;
  return {
    task: { type: 'reinforcement-learning', name: 'reinforcement-learning' },
    dataset: { name: evaluatedOn ?? env, type: env },
    metrics: metrics.flatMap(([type, value]) => (value == null ? [] : [{ type, name: type, value }])),
  };
}

/** As inline code, whatever the text holds. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
