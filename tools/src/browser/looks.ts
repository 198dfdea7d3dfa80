/** The two sizes and two colour schemes used to test and show the pages. */
export interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colours: 'light' | 'dark';
}

const sizes = [
  { size: 'phone', width: 390, height: 844 },
  { size: 'desktop', width: 1280, height: 800 },
] as const;

export const looks: readonly Look[] = sizes.flatMap(({ size, ...extent }) =>
  (['light', 'dark'] as const).map((colours) => ({ name: `${size}-${colours}`, ...extent, colours })),
);
