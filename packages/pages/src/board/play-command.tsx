/** How to play beside a run's policy: the command, whose page links back to here. */
import { Command } from '../components/settings.tsx';

/** `path`: of the run's folder */
export function PlayCommand({ path }: { readonly path: string }) {
  const word = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  const text = `npx emac serve --page --ckpt ${word} --board ${location.origin}${location.pathname}`;
  return (
    <details class="play-command">
      <summary>Play beside this policy</summary>
      <Command text={text} />
    </details>
  );
}
