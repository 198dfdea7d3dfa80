/** `emac env bench`: policies in all environments, or in those named, as one table. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { comparePolicies, type Comparison } from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import { kinds, type Host } from '@emac/opening';
import { givenEnvironment } from '../../options/given-code.ts';
import { texts } from '../../options/form.ts';
import { formed, integer, text, toggle } from '../../options/option.ts';
import { ownFolder } from '../../options/own-folder.ts';
import { isPlayer, policyOption, serviceIn, serviceOptions } from '../../settings/policy-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { personAt } from '../../play/person.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { markdown, type TextTable } from '../../reports/comparison-report.ts';
import { percent, rangeWords } from '@emac/pages/data';
import { nothing, returnText } from '../../reports/evaluation-report.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { hostOf } from '../../terminal/host.ts';
import { say } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { command } from '../../calling/command.ts';
import { writeComparisonPage } from '../../reports/comparison-page.ts';

export const envBenchCommand = command({
  options: {
    policy: { ...policyOption.policy, defaultText: 'random,scripted' },
    env: formed(texts, {
      help: 'environments: ids, or your own code',
      default: null,
      defaultText: 'all that emac env ls lists',
    }),
    'num-episodes': integer([1, 100_000], { help: 'held-out tasks in each environment', default: 20 }),
    seed: integer([0, Number.MAX_SAFE_INTEGER], { help: 'seed of tasks and of random actions', default: 0 }),
    out: text({
      help: 'folder for bench.json, bench.md and the results; the same command plays only what is missing there',
      default: null,
      defaultText: 'a new folder in runs',
    }),
    ...serviceOptions,
    json: toggle('print the results as JSON on standard output'),
    ...quietOption,
  },
  essentials: ['policy', 'env', 'num-episodes', 'seed', 'out', 'json', 'quiet'],
  run: async (values, _words, io) => {
    const { policy, env, seed, json, quiet } = values;
    const given = policy ?? ['random', 'scripted'];
    const policies = given.map((name) => (isPlayer(name) || name === 'untouched' ? name : runNamed(name)));
    const service = serviceIn(policies, values);
    const [episodes, ids] = [values['num-episodes'], env ?? kinds.flatMap((kind) => kind.ids)];
    const out = (values.out ?? ownFolder({ policies, ids }, io)).replace(/[/\\]+$/, '');
    const host = {
      ...hostOf(io, io.catchInterruption(), { quiet, verbose: values.verbose }),
      person: personAt(io),
    };
    const environments: Benched[] = [];
    for (const id of ids) {
      host.listener?.note?.(`${id}:`);
      const folder = join(out, id.replace(/[^A-Za-z0-9.@-]+/g, '_').replace(/^[._]+/, ''));
      const evaluation = { numGames: episodes, seed };
      const asked = { policies, env: id, evaluation, ...service, out: folder, skips: true };
      const benched = await inEnvironment(asked, { ...host, ...(await givenEnvironment(id)) });
      if (benched.comparison) writeComparisonPage(folder, { comparison: benched.comparison }, io);
      environments.push(benched);
    }
    const drawn = benchTable(environments, policies);
    const [notes, result] = [reasons(environments), { v: 1, policies, episodes, seed, environments }];
    createFolder(out);
    writeFileAtomic(join(out, 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
    const list = notes.map((note) => `- ${note}\n`).join('');
    writeFileAtomic(join(out, 'bench.md'), `${markdown(drawn)}\n${list && `\n${list}`}`);
    noteCommand(out, io, host.listener?.note);
    say(io.stdout, json ? JSON.stringify(result) : [table(drawn.head, drawn.rows), ...notes].join('\n'));
    if (!quiet) say(json ? io.stderr : io.stdout, `table: ${join(out, 'bench.md')}`);
    return 0;
  },
});

interface Benched {
  readonly env: string;
  readonly comparison: Comparison | null;
  /** why no policy can play here; null if they can */
  readonly reason: string | null;
}

/** An environment that cannot be played here is a row with the reason. */
async function inEnvironment(
  asked: Parameters<typeof comparePolicies>[0] & { readonly env: string },
  host: Host,
): Promise<Benched> {
  try {
    return { env: asked.env, comparison: await comparePolicies(asked, host), reason: null };
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'usage') throw thrown;
    return { env: asked.env, comparison: null, reason: thrown.message };
  }
}

function benchTable(environments: readonly Benched[], policies: readonly string[]): TextTable {
  return {
    head: ['environment', ...policies.flatMap((policy) => [`${policy}: success`, 'return ± 95 %', 'steps'])],
    rows: environments.map(({ env, comparison }) => [
      comparison?.env ?? env,
      ...policies.flatMap((_, place) => cells(comparison?.policies[place])),
    ]),
  };
}

function cells(row: Comparison['policies'][number] | undefined): string[] {
  if (row?.success == null) return [nothing, nothing, nothing];
  const success = `${percent(row.success)} (${rangeWords(row.success_ci95!)})`;
  return [success, returnText(row), row.mean_steps!.toFixed(1)];
}

/** One line for each policy, or environment, without a result. */
function reasons(environments: readonly Benched[]): string[] {
  return environments.flatMap(({ env, comparison, reason }) => [
    ...(reason === null ? [] : [`${env}: ${reason}`]),
    ...(comparison?.policies ?? []).flatMap((row) => (row.reason === null ? [] : [`${env}: ${row.reason}`])),
  ]);
}
