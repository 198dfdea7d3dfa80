/** A function with a cache of its latest results: a repeated key is not computed again. */
export function remembered<Input, Output>(
  compute: (input: Input) => Output,
  { key, limit }: { readonly key: (input: Input) => string; readonly limit: number },
): (input: Input) => Output {
  const known = new Map<string, Output>();
  return (input) => {
    const name = key(input);
    const found = known.has(name) ? known.get(name)! : compute(input);
    // moves it to the end of the map; the first entry is evicted next
    known.delete(name);
    known.set(name, found);
    if (known.size > limit) known.delete(known.keys().next().value!);
    return found;
  };
}
