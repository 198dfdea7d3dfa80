/** The package has no types. */
declare module 'oled-font-5x7' {
  const font: {
    readonly width: number;
    readonly height: number;
    /** the letters, in the order of their columns */
    readonly lookup: readonly string[];
    /** columns of each letter, the lowest bit above */
    readonly fontData: readonly number[];
  };
  export default font;
}
