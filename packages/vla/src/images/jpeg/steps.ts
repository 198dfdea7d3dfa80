/** Quantization steps of JPEG (ITU-T T.81, tables K.1 and K.2), row by row, scaled by quality as the Independent JPEG Group does. */

// prettier-ignore
const luminance = [
  16, 11, 10, 16, 24, 40, 51, 61,
  12, 12, 14, 19, 26, 58, 60, 55,
  14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62,
  18, 22, 37, 56, 68, 109, 103, 77,
  24, 35, 55, 64, 81, 104, 113, 92,
  49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

// prettier-ignore
const chrominance = [
  17, 18, 24, 47, 99, 99, 99, 99,
  18, 21, 26, 66, 99, 99, 99, 99,
  24, 26, 56, 99, 99, 99, 99, 99,
  47, 66, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99,
];

function scaled(table: readonly number[], quality: number): readonly number[] {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return table.map((step) => Math.min(Math.max(Math.floor((step * percent + 50) / 100), 1), 255));
}

/** [64], for a quality from 1 to 100. */
export const luminanceSteps = (quality: number): readonly number[] => scaled(luminance, quality);

/** [64], for a quality from 1 to 100. */
export const chrominanceSteps = (quality: number): readonly number[] => scaled(chrominance, quality);
