/** `emac env check`: whether an environment keeps its promises, and a model its words, before anything is trained in it; of games, whether they can be won. */
import { openModelFiles } from '@emac/backbone';
import { EmacError, Random } from '@emac/core';
import { isThere } from '@emac/files';
import { kindOf, modelPath, wordsNotes } from '@emac/opening';
import { printable } from '@emac/postprocess';
import { checkEnvironment, checks, type EnvironmentReport } from '@emac/rollout';
import { givenEnvironment } from '../../options/given-code.ts';
import { integer, text, toggle } from '../../options/option.ts';
import { isEnvironmentId, isPlayedModule } from '../../play/environment-id.ts';
import { counted } from '../../terminal/amounts.ts';
import { say } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';
import { verifyGames } from '../games/verify.ts';

export const envCheckCommand = command({
  options: {
    steps: integer([100, 10_000_000], {
      help: 'steps of the random walk',
      default: null,
      defaultText: '10000',
    }),
    seed: integer([0, Number.MAX_SAFE_INTEGER], {
      help: 'seed of the random actions',
      default: null,
      defaultText: '0',
    }),
    policy: text({
      help: 'model whose words are compared with those of the actions',
      default: null,
      defaultText: 'emma-tiny',
    }),
    json: toggle('print the report as JSON on standard output'),
  },
  run: async (values, [name], io) => {
    const { json, ...walk } = values;
    if (isOfGames(name!)) {
      refuseOthers(name!, walk);
      return verifyGames(name!, json, io);
    }
    const { steps, seed, policy } = {
      steps: walk.steps ?? 10_000,
      seed: walk.seed ?? 0,
      policy: walk.policy ?? 'emma-tiny',
    };
    const { environment = null } = await givenEnvironment(name);
    const kind = kindOf(name!, environment);
    const opened = await kind.open(kind.idOf(name!)!, { maxSteps: null });
    try {
      const report = await checkEnvironment(opened, { random: Random.fromSeed(seed), now: io.now, steps });
      const notes = wordsNotes(opened, { name: policy, files: openModelFiles(modelPath(policy)) });
      const told = json
        ? [JSON.stringify({ ...jsonOf(opened.id, report), notes })]
        : [textOf(opened.id, report), ...notes];
      for (const line of told) say(io.stdout, line);
      return report.findings.length === 0 ? 0 : 1;
    } finally {
      await opened.close?.();
    }
  },
});

/** A path that is not the code of an environment. */
function isOfGames(name: string): boolean {
  if (name.endsWith('.tw-pddl')) return true;
  return (name.includes('/') || isThere(name)) && !isPlayedModule(name) && !isEnvironmentId(name);
}

/** Errors: `usage` for a flag about the random walk. */
function refuseOthers(name: string, walk: Readonly<Record<string, unknown>>): void {
  const flag = Object.keys(walk).find((each) => walk[each] !== null);
  if (flag !== undefined)
    throw new EmacError(
      'usage',
      `--${flag}: is about a walk in an environment, ${name} holds games; leave it out`,
    );
}

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
