/** The settings of a run that begins, over what the run to start from knows; short names of runs become paths. */
import { knownStart } from '@emac/opening';
import { merged, valueAtPath, type Layer } from '@emac/settings';
import { put } from '../../options/configured.ts';
import { layered, type Layered, type Sources } from '../../options/layers.ts';
import type { OptionTable } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';

/** `below`: the command's own defaults. Errors: those of `layered` and `knownStart`. */
export function typedSettings<Given extends object>(
  table: OptionTable,
  sources: Sources,
  below: object = {},
): Layered<Given> {
  const { layers, given, phase } = layered<Given>(table, sources);
  const named = withRuns(given);
  const start = valueAtPath(named, 'start.ref') ?? valueAtPath(named, 'init');
  const known = knownStart(typeof start === 'string' ? start : null);
  const beneath: Layer[] = [
    { origin: 'default', settings: below, isShared: true },
    { origin: 'start', settings: known, isShared: true },
  ];
  return {
    layers: [...beneath, ...layers],
    given: [below, known, named].reduce<unknown>(merged, {}) as Given,
    phase,
  };
}

/** Settings that may name a run. */
const named = ['init', 'start.ref', 'listener', 'speaker'];

/** Errors: those of `runNamed`. */
export function withRuns<Given extends object>(given: Given): Given {
  const env = valueAtPath(given, 'env') as string | undefined;
  return named.reduce<object>((settings, path) => {
    const name = valueAtPath(settings, path);
    return typeof name === 'string' ? put(settings, path.split('.'), runNamed(name, { env })) : settings;
  }, given) as Given;
}
