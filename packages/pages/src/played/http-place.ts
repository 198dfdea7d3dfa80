/** A session or a training behind a server: orders as JSON, with the token of the page's address. */

/** The token, taken out of the address, so that it stands in no history of the browser; null without one. */
export function takenToken(): string | null {
  const address = new URL(location.href);
  const token = address.searchParams.get('token') ?? sessionStorage.getItem('token');
  if (token !== null) sessionStorage.setItem('token', token);
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
  return token;
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
