/** Custom code of an expert, an environment or a reward: only its flag runs it, never a configuration. */
import {
  isModulePath,
  loadAgent,
  loadEnvironmentModule,
  loadExpertModule,
  loadMcp,
  loadRewardModule,
  withoutKeys,
  type Host,
} from '@emac/opening';
import { agentIn, isAgentName, isEnvironmentModule, isMcpName } from '@emac/settings';
import { shellWord } from '../terminal/shell-word.ts';

/** What the code prints is no result of the command. */
const said = (text: string) => void process.stderr.write(text);

type Flags = Readonly<Record<string, unknown>>;

/** The code for a host if `--expert`, `--env` or `--reward` name files, else nothing. Errors: `missing`, `data`. */
export async function givenCode(flags: Flags): Promise<Pick<Host, 'expert' | 'environment' | 'reward'>> {
  return { ...(await givenExpert(flags['expert'])), ...(await givenTraining(flags)) };
}

/** The same for `--expert` alone. */
export async function givenExpert(typed: unknown): Promise<Pick<Host, 'expert'>> {
  return typeof typed === 'string' && isModulePath(typed)
    ? { expert: await loadExpertModule(typed, { said }) }
    : {};
}

/** The same for `--env` alone; `reward`: the value of `--reward`. Errors: as `givenCode`'s. */
export async function givenEnvironment(
  typed: unknown,
  { reward }: Flags = {},
): Promise<Pick<Host, 'environment'>> {
  if (!namesModule(typed)) return {};
  hideKeys();
  if (isAgentName(typed))
    return { environment: await loadAgent(typed, { said, isJudged: namesReward(reward) }) };
  if (isMcpName(typed)) return { environment: loadMcp(typed) };
  return { environment: await loadEnvironmentModule(typed, { said }) };
}

/** The same for `--env` and `--reward`. Errors: as `givenCode`'s. */
export async function givenTraining({ env, reward }: Flags): Promise<Pick<Host, 'environment' | 'reward'>> {
  return { ...(await givenEnvironment(env, { reward })), ...(await givenReward(reward)) };
}

async function givenReward(typed: unknown): Promise<Pick<Host, 'reward'>> {
  if (!namesReward(typed)) return {};
  return { reward: await loadRewardModule(typed, { said }) };
}

/** The commands have a copy of the environment variables. Code that is loaded into this process finds no keys there. */
function hideKeys(): void {
  const kept = withoutKeys(process.env);
  for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
}

/** Whether the value of `--env` is the path of a module. */
export function namesModule(typed: unknown): typed is string {
  return typeof typed === 'string' && isEnvironmentModule(typed);
}

/** Whether the value of `--reward` is the path of a file. */
export function namesReward(typed: unknown): typed is string {
  return typeof typed === 'string' && isModulePath(typed);
}

function environmentFlag(env: unknown): string {
  if (!namesModule(env)) return '';
  return isAgentName(env) ? ` --agent ${shellWord(agentIn(env))}` : ` --env ${shellWord(env)}`;
}

/** The flags of custom code for a printed command, each after a blank; empty without any. */
export function moduleFlag({ env, reward }: Flags): string {
  return environmentFlag(env) + (namesReward(reward) ? ` --reward ${shellWord(reward)}` : '');
}
