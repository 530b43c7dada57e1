import { crc32 } from "node:zlib";

/**
 * A gzip file that holds `bytes` uncompressed. What a compressor makes depends on its version and on the processor; this
 * depends on nothing. Sources: RFC 1952 (gzip), and RFC 1951, section 3.2.4 (stored blocks).
 */
export function gzipStored(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES_MAX) {
    const block = bytes.subarray(at, at + BLOCK_BYTES_MAX);
    const isLast = at + BLOCK_BYTES_MAX >= bytes.length;
    const head = Buffer.alloc(5);
    head.writeUInt8(isLast ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(0xffff - block.length, 3);
    blocks.push(head, block);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([HEADER, ...blocks, trailer]);
}

/** Deflate, no flags, no time, no level, no operating system (255). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const BLOCK_BYTES_MAX = 0xffff;
