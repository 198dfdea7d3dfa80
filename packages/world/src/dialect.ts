/** The two ways in which ALFWorld's data puts things down: `put X in/on Y` (until 2.1.1), `move X to Y` (since 2.1.2). */
export type Dialect = 'put' | 'move';
