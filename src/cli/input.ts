/** Reading what a command is given: a file or standard input, as bytes, with the limits of the product. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { InputError } from './command';

/** Larger inputs are refused. */
export const mostBytes = 512 * 1024 * 1024;

/** A NUL in this many first bytes makes an input binary, unless it holds a diff. */
const inspectedBytes = 8192;

const chunkBytes = 1 << 16;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'no such file',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many links',
};

/** The reason of a file-system error in a few words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code ? `cannot be read (${code})` : 'cannot be read');
}

const tooLarge = (name: string): InputError => new InputError(`${name}: larger than 512 MB`);

/** Reads to the end of an open file; what has no size of its own (a pipe) is read until it ends. */
function readDescriptor(descriptor: number, name: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(chunkBytes);
    let count: number;
    try {
      count = readSync(descriptor, chunk, 0, chunkBytes, null);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      // A terminal or pipe that has nothing yet, and one whose other end is gone.
      if (code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        continue;
      }
      if (code === 'EOF') break;
      throw error;
    }
    if (count === 0) break;
    total += count;
    if (total > mostBytes) throw tooLarge(name);
    chunks.push(chunk.subarray(0, count));
  }
  return Buffer.concat(chunks, total);
}

function readFile(path: string): Uint8Array {
  const descriptor = openSync(path, 'r');
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new InputError(`${path}: is a directory`);
    if (status.size > mostBytes) throw tooLarge(path);
    if (!status.isFile()) return readDescriptor(descriptor, path);
    const bytes = new Uint8Array(status.size);
    let at = 0;
    while (at < bytes.length) {
      const count = readSync(descriptor, bytes, at, bytes.length - at, at);
      if (count === 0) break;
      at += count;
    }
    // Some files of /proc say they are empty.
    return at === 0 ? readDescriptor(descriptor, path) : bytes.subarray(0, at);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of `path`, or of standard input for `-`. Throws {@link InputError} where there are none to be had. */
export function readBytes(path: string): Uint8Array {
  const name = path === '-' ? 'standard input' : path;
  let bytes: Uint8Array;
  try {
    bytes = path === '-' ? readDescriptor(0, name) : readFile(path);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: ${reasonOf(error)}`);
  }
  if (bytes.length === 0) throw new InputError(`${name}: is empty`);
  return bytes;
}

/** Beginnings of lines that make a text with NUL bytes a patch nevertheless. */
const diffHeaders = ['diff ', '--- ', '@@ -', 'Index: '];

function holdsDiff(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return diffHeaders.some(
    header =>
      buffer.indexOf(`\n${header}`) >= 0 || buffer.subarray(0, header.length).equals(Buffer.from(header)),
  );
}

/** UTF-16 text is full of NUL bytes, but it begins with its mark. */
const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** The bytes of a patch document; as {@link readBytes}, and refuses what is binary. */
export function readPatchBytes(path: string): Uint8Array {
  const bytes = readBytes(path);
  const binary = bytes.subarray(0, inspectedBytes).includes(0) && !isUtf16(bytes) && !holdsDiff(bytes);
  if (binary)
    throw new InputError(`${path === '-' ? 'standard input' : path}: is a binary file, not a patch`);
  return bytes;
}
