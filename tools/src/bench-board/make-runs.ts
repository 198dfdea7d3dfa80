/** Runs as PPO leaves them, without having trained. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '@emac/runs';

export interface Extent {
  readonly runs: number;
  readonly lines: number;
}

const environments = ['MiniGrid-Empty-5x5-v0', 'gym_cards/NumberLine-v0', 'alfworld', 'Sokoban-small'];
const policies = ['mlp', 'cnn', 'emma-tiny'];
/** success at the end */
const levels = [0.98, 0.62, 0.31, 0.85, 0.07];

/** Writes them into `folder`; equal for equal arguments. */
export function makeRuns(folder: string, { runs, lines }: Extent): void {
  const metrics = levels.map((level) =>
    Array.from({ length: lines }, (_, update) => metricsLine(update, lines, level)).join(''),
  );
  for (let place = 0; place < runs; place++) {
    const env = environments[place % environments.length]!;
    const policy = policies[place % policies.length]!;
    const config = { command: 'ppo', env, policy, seed: place, ...settings(place) };
    let time = Date.UTC(2026, 0, 1) + 60_000 * place;
    const now = () => new Date(time);
    const run = createRun({ out: folder, phase: 'ppo', seed: place, config, versions: {}, now });
    writeFileSync(join(run.folder, 'metrics.jsonl'), metrics[place % levels.length]!);
    writeFileSync(
      join(run.folder, 'command.txt'),
      `# emac 0.1.0\nemac train --env ${env} --policy ${policy} --seed ${place}\n`,
    );
    time += 1000 * (30 + ((37 * place) % 600));
    run.finish();
  }
}

/** As many as a run of PPO has. */
function settings(place: number): object {
  const groups = ['advantages', 'best', 'curriculum', 'losses', 'model', 'optimization', 'play', 'world'];
  const group = () =>
    Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`setting${at}`, at * (place % 7)]));
  return Object.fromEntries(groups.map((name) => [name, group()]));
}

/** A line of `metrics.jsonl`, with its line end. */
export function metricsLine(update: number, lines: number, level = 1): string {
  const share = (update + 1) / lines;
  const wave = Math.sin(update / 50);
  const line = {
    approx_kl: 0.001 * (1 + wave),
    clip_fraction: 0.01 * (1 - wave),
    entropy: 1.1 * (1 - share),
    environment_steps: 128 * (update + 1),
    episodes: 8,
    explained_variance: share,
    gradient_norm: 1 + wave,
    kind: 'update',
    lr: 0.003 * (1 - share),
    mean_return: share,
    mean_steps: 20 - 10 * share,
    phase: 'ppo',
    policy_loss: -0.02 * wave,
    success: level * share ** 0.5 * (0.9 + 0.1 * wave),
    update,
    v: 1,
    value_loss: 1 - share,
  };
  return `${JSON.stringify(line)}\n`;
}
