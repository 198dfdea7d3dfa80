/** Archives assembled byte by byte, so that they can hold content that no program would write. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface Member {
  readonly name: string;
  readonly content?: Buffer | string;
  /** of a tar entry, e.g. `2` for a symbolic link */
  readonly type?: string;
  readonly link?: string;
  /** Unix mode in a zip file, e.g. 0o120777 for a symbolic link */
  readonly mode?: number;
  /** a zip entry with a wrong checksum */
  readonly wrongSum?: boolean;
  /** a zip entry that states this size */
  readonly saidSize?: number;
}

/** A zip file (PKWARE APPNOTE 4.3). */
export function zipOf(members: readonly Member[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, wrongSum = false, saidSize } of members) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const sum = wrongSum ? 1 : crc32(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(sum, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(saidSize ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(mode * 65_536, 6);
    end.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, end, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(members.length, 4);
  tail.writeUInt16LE(members.length, 6);
  tail.writeUInt32LE(list.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, list, Buffer.from('PK\x05\x06'), tail]);
}

/** A tar.gz file (POSIX ustar). */
export function tarGzOf(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(
    ({ name, content = '', type = name.endsWith('/') ? '5' : '0', link = '' }) => {
      const bytes = Buffer.from(content);
      const header = Buffer.alloc(512);
      header.write(name, 0);
      header.write('0000644\0', 100);
      header.write('0000000\0', 108);
      header.write('0000000\0', 116);
      header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
      header.write('00000000000\0', 136);
      header.write('        ', 148);
      header.write(type, 156);
      header.write(link, 157);
      header.write('ustar\x0000', 257);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
      return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
    },
  );
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
