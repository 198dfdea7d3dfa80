/** Which flags of `emac eval` mean something for what it evaluates. */
import { remoteWorldFlags } from './shared-settings.ts';

/** One policy in games or on a dataset; one in an environment of this machine or of a client; several policies. */
export type EvaluationKind = 'games' | 'episodes' | 'elsewhere' | 'compared games' | 'compared episodes';

const compared = ['compared games', 'compared episodes'] as const;
const environments = ['episodes', 'elsewhere'] as const;

/** Missing flags belong to games, of one policy or several. */
const kindsOf: Readonly<Record<string, readonly EvaluationKind[]>> = {
  ...ofAll(
    ['env', 'ckpt', 'model', 'num-games', 'attempts', 'temperature', 'seed', 'out', 'json', 'quiet', 'gif'],
    ['games', ...environments, ...compared],
  ),
  ...ofAll(['queue', 'shared'], ['games', ...environments]),
  observe: ['games', ...environments, 'compared games'],
  'max-steps': ['games', 'episodes', ...compared],
  ...ofAll(['layout', 'note'], environments),
  ...ofAll(['data', 'images', 'dry-run', 'events'], ['games']),
  ...ofAll(['world', ...remoteWorldFlags], ['games', 'elsewhere']),
};

function ofAll(flags: readonly string[], kinds: readonly EvaluationKind[]) {
  return Object.fromEntries(flags.map((flag) => [flag, kinds]));
}

/** The first flag with a value that means nothing there; `beside`: flags that the caller has judged. */
export function strangeFlag(
  values: Readonly<Record<string, unknown>>,
  kind: EvaluationKind,
  beside: readonly string[] = [],
): string | undefined {
  const typed = Object.keys(values).filter((name) => values[name] != null && values[name] !== false);
  return typed.find((flag) => {
    const kinds = kindsOf[flag] ?? ['games', 'compared games'];
    return !kinds.includes(kind) && !beside.includes(flag);
  });
}
