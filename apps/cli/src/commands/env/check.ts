/** `emac env check`: whether an environment keeps its promises, and a model its words, before anything is trained in it. */
import { openModelFiles } from '@emac/backbone';
import { Random } from '@emac/core';
import { kindOf, modelPath, wordsNotes } from '@emac/opening';
import { printable } from '@emac/postprocess';
import { checkEnvironment, checks, type EnvironmentReport } from '@emac/rollout';
import { givenEnvironment } from '../../options/given-code.ts';
import { integer, text, toggle } from '../../options/option.ts';
import { counted } from '../../terminal/amounts.ts';
import { say } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

export const envCheckCommand = command({
  options: {
    steps: integer([100, 10_000_000], { help: 'steps of the random walk', default: 10_000 }),
    seed: integer([0, Number.MAX_SAFE_INTEGER], { help: 'seed of the random actions', default: 0 }),
    policy: text({ help: 'model whose words are compared with those of the actions', default: 'emma-tiny' }),
    json: toggle('print the report as JSON on standard output'),
  },
  run: async ({ steps, seed, policy, json }, [name], { stdout, now }) => {
    const { environment = null } = await givenEnvironment(name);
    const kind = kindOf(name!, environment);
    const opened = await kind.open(kind.idOf(name!)!, { maxSteps: null });
    try {
      const report = await checkEnvironment(opened, { random: Random.fromSeed(seed), now, steps });
      const notes = wordsNotes(opened, { name: policy, files: openModelFiles(modelPath(policy)) });
      const told = json
        ? [JSON.stringify({ ...jsonOf(opened.id, report), notes })]
        : [textOf(opened.id, report), ...notes];
      for (const line of told) say(stdout, line);
      return report.findings.length === 0 ? 0 : 1;
    } finally {
      await opened.close?.();
    }
  },
});

function jsonOf(env: string, { findings, steps, episodes, stepsPerSecond, player }: EnvironmentReport) {
  return { env, findings, steps, episodes, steps_per_second: stepsPerSecond, player };
}

function textOf(
  env: string,
  { findings, steps, episodes, stepsPerSecond, player }: EnvironmentReport,
): string {
  const broken = new Set(findings.map(({ check }) => check));
  const passed = checks.filter((check) => !broken.has(check) && (check !== 'player' || player !== null));
  const played = player === null ? '' : `; the player won ${player.won} of ${player.episodes} episodes`;
  return [
    `${env}: ${counted(steps, 'random step')} in ${counted(episodes, 'episode')}, ${Math.round(stepsPerSecond)} a second${played}`,
    ...findings.map(({ check, sentence }) => `${check}: ${printable(sentence)}`),
    `passed: ${passed.join(', ') || 'nothing'}`,
  ].join('\n');
}
