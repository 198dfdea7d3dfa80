/** `emac env ls`: environments for runs, evaluations and collections, by kind. */
import { EmacError, type EnvironmentKind } from '@emac/core';
import { factsOfKind, kinds, type EnvironmentFacts } from '@emac/opening';
import { text, toggle } from '../../options/option.ts';
import { say, type Io } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';
import { actionsText, rewardsText, tasksText } from './facts-text.ts';
import { showEnvironment } from './show.ts';

export const envListCommand = command({
  options: {
    picture: text({
      help: 'of one environment: write the picture of the first observation to this PNG file',
      default: null,
    }),
    json: toggle('print as JSON on standard output'),
  },
  run: async (values, [name], io) => {
    if (name) await showEnvironment(name, values, io);
    else if (values.picture !== null)
      throw new EmacError('usage', '--picture: is of one environment; name it');
    else await listEnvironments(values.json, io);
    return 0;
  },
});

async function listEnvironments(json: boolean, { stdout }: Io): Promise<void> {
  const listed = await Promise.all(kinds.map(listedKind));
  say(stdout, json ? JSON.stringify({ kinds: listed }) : [...listed.map(textOf), ownText].join('\n\n'));
}

const ownText = `a custom environment: --env ./mine.mjs, with a default export of tasks and begin(taskId, seed)
emac env ls ENV says more of each, also of a custom one`;

type Listed = Awaited<ReturnType<typeof listedKind>>;

async function listedKind(kind: EnvironmentKind) {
  const { name, about, policy, isElsewhere = false } = kind;
  return {
    kind: name,
    about,
    /** policy trained without --policy */
    policy: policy ?? null,
    runs: isElsewhere ? 'at a client' : 'here',
    environments: await factsOfKind(kind),
  };
}

function textOf({ kind, about, environments }: Listed): string {
  const [width, digits] = [Math.max(...environments.map(({ id }) => id.length)), 4];
  const lines = environments.map((each) => {
    if (!isKnown(each)) return `  ${each.id}`;
    const limit = `${String(each.steps).padStart(digits)} ${each.steps === 1 ? 'step ' : 'steps'}`;
    const numbers = each.robot_steps === undefined ? '' : ` (${each.robot_steps} by seven numbers)`;
    return `  ${each.id.padEnd(width)}  ${limit}${numbers}: ${actionsText(each, 12)}`;
  });
  const common = commonText(environments.filter(isKnown));
  return [`${kind}: ${about}`, ...(common === '' ? [] : [`  ${common}`]), ...lines].join('\n');
}

function isKnown(listed: Listed['environments'][number]): listed is EnvironmentFacts {
  return 'steps' in listed;
}

/** What holds for every environment of a kind. */
function commonText(facts: readonly EnvironmentFacts[]): string {
  const said = [
    (each: EnvironmentFacts) => `tasks: ${tasksText(each)}`,
    (each: EnvironmentFacts) => `rewards ${rewardsText(each)}`,
    ({ player }: EnvironmentFacts) => (player ? 'a scripted player' : 'no scripted player'),
    ({ shows }: EnvironmentFacts) => `shows ${shows.join(', ')}`,
  ].map((say) => new Set(facts.map(say)));
  return said.flatMap((texts) => (texts.size === 1 ? [...texts] : [])).join('; ');
}
