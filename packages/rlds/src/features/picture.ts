/** Picture formats: bytes stay encoded, and their first ones determine the format. */

const beginnings = { png: [0x89, 0x50, 0x4e, 0x47], jpeg: [0xff, 0xd8, 0xff] } as const;

/** `png` or `jpeg` by its first bytes; null for any other. */
export function pictureFormat(bytes: Uint8Array): 'png' | 'jpeg' | null {
  const formats = ['png', 'jpeg'] as const;
  return formats.find((format) => beginnings[format].every((byte, at) => bytes[at] === byte)) ?? null;
}
