/** One place of a formula: a number of a card, an operator, a bracket, or the blank that a number not at hand leaves. */
export type Token = number | string;
