/** A JSON value. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };
