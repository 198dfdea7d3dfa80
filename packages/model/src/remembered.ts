/** A function whose latest results are remembered: asked again by the same key, it does nothing again. */
export function remembered<Input, Output>(
  compute: (input: Input) => Output,
  { key, limit }: { readonly key: (input: Input) => string; readonly limit: number },
): (input: Input) => Output {
  const known = new Map<string, Output>();
  return (input) => {
    const name = key(input);
    const found = known.has(name) ? known.get(name)! : compute(input);
    // to the end of the map, whose first entry is the one to forget
    known.delete(name);
    known.set(name, found);
    if (known.size > limit) known.delete(known.keys().next().value!);
    return found;
  };
}
