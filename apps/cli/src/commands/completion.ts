/** `emac completion`: a shell script that completes commands, flags, values and names of runs. */
import { EmacError } from '@emac/core';
import { scripts } from '../completion/shells.ts';
import { say } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const howTo = `Into a file, once:
  emac completion bash > ~/.local/share/bash-completion/completions/emac
  emac completion zsh > ~/.zfunc/_emac       (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  emac completion fish > ~/.config/fish/completions/emac.fish`;

export const completionCommand = command({
  options: {},
  epilogue: () => howTo,
  run: (_values, [shell], io) => {
    const script = Object.hasOwn(scripts, shell!) ? scripts[shell!] : undefined;
    if (script === undefined)
      throw new EmacError('usage', `${shell}: must be ${Object.keys(scripts).join(' or ')}`);
    say(io.stdout, script);
    return Promise.resolve(0);
  },
});
