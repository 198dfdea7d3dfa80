/** The command to play beside a run's policy, as a person types it into a shell. */

export interface PlayedRun {
  /** path of its folder */
  readonly path: string;
  readonly environment: string | null;
  /** address of the run on the board */
  readonly board: string;
}

/** Null where nothing can open the run's environment: a client described it, or a program defined it. */
export function playWords({ path, environment, board }: PlayedRun): string | null {
  if (environment !== null && /^(inline|remote)\//.test(environment)) return null;
  const named = environment !== null && isCode(environment) ? ['--env', environment] : [];
  return ['npx emac serve --page --ckpt', ...[path, ...named, '--board', board].map(shellWord)].join(' ');
}

/** Code runs only if a command names it: a file, a folder, a scoped package, an agent or a server of tools. */
function isCode(environment: string): boolean {
  return /^(\.{0,2}[\\/]|[a-z]:[\\/]|@|agent:|mcp:)/i.test(environment) || /\.[cm]?[jt]s$/i.test(environment);
}

function shellWord(text: string): string {
  return /^[\w.:/%@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
