/**
 * CRC-32C (Castagnoli) and its masked form in TensorFlow's records. It processes four bytes at a time with four tables ("slicing",
 * Kounavis and Berry 2005), because pictures of whole datasets pass through here.
 */

const steps = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** the effect of a byte followed by zero, one, two or three bytes */
const slices = ((): Int32Array => {
  const tables = new Int32Array(4 * 256);
  tables.set(steps);
  for (let place = 256; place < tables.length; place++) {
    const before = tables[place - 256]!;
    tables[place] = (before >>> 8) ^ steps[before & 0xff]!;
  }
  return tables;
})();

/** The checksum, 32 bits. */
export function crc32c(bytes: Uint8Array): number {
  const whole = bytes.length - (bytes.length % 4);
  let crc = -1;
  for (let at = 0; at < whole; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      slices[768 + (crc & 0xff)]! ^
      slices[512 + ((crc >>> 8) & 0xff)]! ^
      slices[256 + ((crc >>> 16) & 0xff)]! ^
      slices[crc >>> 24]!;
  }
  for (let at = whole; at < bytes.length; at++) crc = steps[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The checksum rotated and shifted by a constant, so that checksums of data that contain checksums stay useful. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
