/**
 * Normally distributed half-precision numbers, fast enough for billions. AES in counter mode gives 16-bit words; each
 * is looked up in a table of the distribution's 65,536 quantiles. Equal seeds give equal numbers.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { float32ToFloat16 } from '@emac/files';

export interface Normal {
  readonly mean: number;
  readonly deviation: number;
}

/** Fills `numbers` piece by piece; every seed has its own stream. */
export function randomHalves(seed: string, normal: Normal): (numbers: Uint16Array) => void {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  const { mean, deviation } = normal;
  const table = float32ToFloat16(quantiles().map((quantile) => mean + deviation * quantile));
  return (numbers) => {
    const bytes = cipher.update(new Uint8Array(2 * numbers.length));
    const words = new Uint16Array(bytes.buffer, bytes.byteOffset, numbers.length);
    for (let index = 0; index < numbers.length; index++) numbers[index] = table[words[index]!]!;
  };
}

let standard: Float32Array | undefined;

/** Quantiles (w + ½)/65536 of the standard normal distribution: its distribution function integrated until each is reached. */
function quantiles(): Float32Array {
  if (standard) return standard;
  standard = new Float32Array(65536);
  const step = 1e-4;
  let cumulative = 0.5;
  for (let word = 32768, x = 0; word < 65536; word++) {
    const target = (word + 0.5) / 65536;
    while (cumulative < target) {
      cumulative += (step * Math.exp(-((x + step / 2) ** 2) / 2)) / Math.sqrt(2 * Math.PI);
      x += step;
    }
    standard[word] = x;
    standard[65535 - word] = -x;
  }
  return standard;
}
