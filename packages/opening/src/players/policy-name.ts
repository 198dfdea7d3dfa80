/** What a name of `--policy` stands for. */
import { isModulePath } from '../code-file.ts';

export type PolicyName =
  /** uniform over the admissible actions */
  | { readonly kind: 'random' }
  /** the environment's own player */
  | { readonly kind: 'scripted' }
  /** a person who types */
  | { readonly kind: 'human' }
  /** a file that exports `act`; it is code, so it is named on the command line only */
  | { readonly kind: 'module'; readonly path: string }
  /** a language model of a service */
  | { readonly kind: 'service'; readonly model: string }
  /** an agent that `emac serve` answers for at an address */
  | { readonly kind: 'served'; readonly url: string }
  /** a run, a checkpoint, a model, or `untouched` */
  | { readonly kind: 'trained'; readonly ckpt: string };

/** A policy that plays as an `EnvironmentPlayer`. */
export type PlayerName = Exclude<PolicyName, { readonly kind: 'trained' }>;

const service = 'openai:';

/** Any other name is that of a trained policy. */
export function policyNamed(name: string): PolicyName {
  if (name === 'random' || name === 'scripted' || name === 'human') return { kind: name };
  if (/^https?:\/\//.test(name)) return { kind: 'served', url: name };
  if (name.startsWith(service)) return { kind: 'service', model: name.slice(service.length) };
  return isModulePath(name) ? { kind: 'module', path: name } : { kind: 'trained', ckpt: name };
}
