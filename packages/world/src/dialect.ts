/** The two wordings for putting down in ALFWorld's data: `put X in/on Y` (until 2.1.1), `move X to Y` (since 2.1.2). */
export type Dialect = 'put' | 'move';
