/** Code that flags name, an expert or an environment of one's own: it is run for its flag alone, never because a configuration says so. */
import { loadEnvironmentModule, type Host } from '@emac/opening';
import { isEnvironmentModule } from '@emac/settings';
import { shellWord } from '../terminal/shell-word.ts';
import { givenExpert } from './expert-option.ts';

type Flags = Readonly<Record<string, unknown>>;

/** What a host is given for `--expert` and `--env`: nothing unless they name files. Errors: `missing`, `data`. */
export async function givenCode({ expert, env }: Flags): Promise<Pick<Host, 'expert' | 'environment'>> {
  return { ...(await givenExpert(expert)), ...(await givenEnvironment(env)) };
}

/** The same for `--env` alone. Errors: as `givenCode`'s. */
export async function givenEnvironment(typed: unknown): Promise<Pick<Host, 'environment'>> {
  return namesModule(typed) ? { environment: await loadEnvironmentModule(typed) } : {};
}

/** Whether what was typed as `--env` is the path of a module. */
export function namesModule(typed: unknown): typed is string {
  return typeof typed === 'string' && isEnvironmentModule(typed);
}

/** The flag of a module as it is typed again, behind a blank; empty without one. */
export function moduleFlag({ env }: Flags): string {
  return namesModule(env) ? ` --env ${shellWord(env)}` : '';
}
