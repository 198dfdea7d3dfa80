/** The supported operators, by domain and name. */
import { elementwise, microsoftElementwise } from './elementwise.ts';
import { layers, microsoftLayers } from './layers.ts';
import type { Operator, Operators } from './operator.ts';
import { passThrough } from './pass-through.ts';
import { reductions } from './reductions.ts';
import { shapes } from './shapes.ts';

/** Folded during import or unsupported. */
const known: Operators = {
  Shape: (node) => node.constant(node.known(0)),
  Size: (node) => node.constant(node.known(0)),
};

const domains: Readonly<Record<string, Operators>> = {
  '': { ...passThrough, ...elementwise, ...reductions, ...shapes, ...layers, ...known },
  'com.microsoft': { ...microsoftElementwise, ...microsoftLayers },
};

export function operatorFor(domain: string, type: string): Operator | null {
  const operators = Object.hasOwn(domains, domain) ? domains[domain]! : {};
  return Object.hasOwn(operators, type) ? operators[type]! : null;
}

/** Operators of the default domain. */
export const operatorNames: readonly string[] = Object.keys(domains['']!).sort();

/** Operators without a vector–Jacobian product. */
export const namesWithoutGradient: readonly string[] = Object.keys(passThrough).sort();
