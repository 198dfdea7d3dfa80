/** What a page shows stands in its address, so that a link keeps it. */
import { useState } from 'preact/hooks';

export type Asked = Readonly<Record<string, readonly string[]>>;

export function asked(address = location.search): Asked {
  const query = new URLSearchParams(address);
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

/** A changed value replaces the address without a new page; a file on disk has one as well. */
export function useAsked(): readonly [Asked, (change: Asked) => void] {
  const [value, setValue] = useState(asked());
  const change = (changed: Asked) => {
    const next = Object.entries({ ...asked(), ...changed }).filter(([, values]) => values.length > 0);
    const query = new URLSearchParams(next.flatMap(([name, values]) => values.map((each) => [name, each])));
    const text = query.size > 0 ? `?${query}` : '';
    history.replaceState(null, '', `${location.pathname}${text}${location.hash}`);
    setValue(Object.fromEntries(next));
  };
  return [value, change];
}
