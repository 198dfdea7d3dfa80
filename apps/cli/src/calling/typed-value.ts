/** The value of a flag among typed words, before a command reads them. */
export function typedValue(argv: readonly string[], ...flags: readonly string[]): string | undefined {
  const joined = flags.map((flag) => `--${flag}=`);
  for (const [place, word] of argv.entries()) {
    if (flags.some((flag) => word === `--${flag}`)) return argv[place + 1] ?? '';
    const start = joined.find((each) => word.startsWith(each));
    if (start !== undefined) return word.slice(start.length);
  }
  return undefined;
}
