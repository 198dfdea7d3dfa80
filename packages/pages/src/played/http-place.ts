/** A session or a training behind a server: orders as JSON, with the token of the page's address. */

/** The token, taken out of the address, so that it stands in no history of the browser; null without one. */
export function takenToken(): string | null {
  return taken('token');
}

/** The address that the page links back to, likewise; null without one, or for one that is no page. */
export function takenFrom(): string | null {
  const from = taken('from');
  return from !== null && /^https?:\/\//.test(from) ? from : null;
}

function taken(name: string): string | null {
  const address = new URL(location.href);
  const value = address.searchParams.get(name) ?? sessionStorage.getItem(name);
  if (value !== null) sessionStorage.setItem(name, value);
  address.searchParams.delete(name);
  history.replaceState(null, '', address);
  return value;
}

/** Sends orders to `path` of the page's own server. */
export function httpPlace<Order, Answer>(
  path: string,
  token: string | null,
): (order: Order) => Promise<Answer | { readonly fault: string }> {
  return async (order) => {
    const response = await fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(order),
    });
    const answer = (await response.json()) as object;
    return 'error' in answer
      ? { fault: (answer.error as { readonly message: string }).message }
      : (answer as Answer);
  };
}
