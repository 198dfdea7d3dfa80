/** Features that begin with the rows and columns of a picture's grid; float16 holds both exactly up to 2048. */

export interface PictureGrid {
  readonly rows: number;
  readonly columns: number;
  /** the features after them */
  readonly rest: Float32Array;
}

export function withGrid(rows: number, columns: number, data: Float32Array): Float32Array {
  const features = new Float32Array(2 + data.length);
  features.set([rows, columns]);
  features.set(data, 2);
  return features;
}

export function gridOf(features: Float32Array): PictureGrid {
  return { rows: features[0] ?? 0, columns: features[1] ?? 0, rest: features.subarray(2) };
}
