/**
 * Zip archives of folders, for imports: a data set is more than its files, as YOLO's
 * outlines are without their data.yaml.
 */

import { photographs } from './folders.js';
import { grouped } from '../ui/grouped.js';

/** How many files an archive gets; the server takes 10,000 unless it is told otherwise. */
const MOST = 5000;

/**
 * The files with those of each folder as one zip archive. Photographs of a folder that
 * has other files stay out; the archives would be as large as all of them. A folder with
 * very many files stays as it is, and so does one with a file that can't be read, which
 * is found out again when it is sent.
 *
 * @param {readonly File[]} files named by their paths from a folder on
 * @returns {Promise<File[]>}
 */
export async function packed(files) {
  const folders = grouped(files, ({ name }) => name.slice(0, Math.max(0, name.indexOf('/'))));
  const out = folders.get('') ?? [];
  folders.delete('');
  for (const [folder, inside] of folders) {
    const photos = new Set(photographs(inside));
    const others = inside.filter((file) => !photos.has(file));
    const wanted = others.length > 0 ? others : inside;
    const archive = wanted.length > MOST ? null : await zip(wanted).catch(() => null);
    out.push(...(archive ? [new File([archive], `${folder}.zip`)] : wanted));
  }
  return out;
}

/**
 * A zip archive that stores files as they are. Their contents are read for the
 * checksums, one at a time, and not kept.
 *
 * @param {readonly File[]} files
 * @returns {Promise<Blob>}
 */
async function zip(files) {
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  const directory = [];
  let offset = 0;
  let listed = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const sum = crc32(new Uint8Array(await file.arrayBuffer()));
    // Version 2.0, name in UTF-8, stored, 1 Jan 1980.
    const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, sum], [4, file.size], [4, file.size], [2, name.length], [2, 0]];
    const local = fields([4, 0x04034b50], ...common);
    const entry = fields([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    parts.push(local, name, file);
    directory.push(entry, name);
    offset += local.length + name.length + file.size;
    listed += entry.length + name.length;
  }
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, listed], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end]);
}

/** Little-endian numbers. @param {number[][]} numbers each with its size in bytes before it */
function fields(...numbers) {
  const bytes = numbers.flatMap(([size, n]) => Array.from({ length: size }, (_, i) => Math.floor(n / 2 ** (8 * i)) & 0xff));
  return new Uint8Array(bytes);
}

/** The checksum of zip archives (ISO 3309). @param {Uint8Array} bytes */
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff];
  return (sum ^ 0xffffffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
