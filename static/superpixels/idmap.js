const MAGIC = 0x4d505343; // "CSPM", little-endian
const HEADER = 20;

/**
 * Which superpixel each pixel of the display image belongs to, with the runs of
 * pixels of every superpixel, so that one can be repainted alone.
 *
 * @typedef {object} IdMap
 * @property {number} n number of superpixels
 * @property {number} width pixels of this map
 * @property {number} height
 * @property {number} fullWidth pixels of the image
 * @property {number} fullHeight
 * @property {Uint16Array | Uint32Array} ids row by row
 * @property {Float64Array} area pixels of the image per superpixel
 * @property {Uint32Array} first runs of superpixel i are first[i] .. first[i+1]
 * @property {Uint32Array} start index into ids where a run starts
 * @property {Uint32Array} length pixels of a run
 */

/**
 * Decodes superpixels.bin (see web/wire/protocol.go) by nearest sampling straight
 * into a map of the given size, so that large images stay quick: O(runs of the
 * file + pixels of the map).
 *
 * @param {ArrayBuffer} buffer
 * @param {number} width wanted width, at most the image's
 * @param {number} height wanted height, at most the image's
 * @returns {IdMap}
 */
export function decode(buffer, width, height) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error('This is not a superpixel map.');
  if (view.getUint8(4) !== 1) throw new Error(`The superpixel map has version ${view.getUint8(4)}; this page knows version 1.`);
  const fullWidth = view.getUint32(8, true);
  const fullHeight = view.getUint32(12, true);
  const n = view.getUint32(16, true);
  width = Math.min(width, fullWidth);
  height = Math.min(height, fullHeight);

  const bytes = new Uint8Array(buffer);
  const ids = n <= 65536 ? new Uint16Array(width * height) : new Uint32Array(width * height);
  const area = new Float64Array(n);
  const columns = sources(width, fullWidth);
  const rows = sources(height, fullHeight);
  let at = HEADER;
  const leb128 = () => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const b = bytes[at++];
      if (b === undefined) throw new Error('The superpixel map ends too early.');
      value |= (b & 127) << shift;
      if (b < 128) return value >>> 0;
    }
    throw new Error('The superpixel map holds a number that is too large.');
  };
  for (let y = 0, row = 0; y < fullHeight; y++) {
    const wanted = rows[row] === y;
    for (let x = 0, column = 0; x < fullWidth; ) {
      const id = leb128();
      const end = x + leb128();
      if (id >= n || end > fullWidth || end === x) throw new Error(`Row ${y} of the superpixel map is broken.`);
      area[id] += end - x;
      x = end;
      if (!wanted) continue;
      const from = row * width + column;
      while (column < width && columns[column] < end) column++;
      ids.fill(id, from, row * width + column);
    }
    if (wanted) row++;
  }
  return { n, width, height, fullWidth, fullHeight, ids, area, ...runs(ids, n, width, height) };
}

/**
 * The coordinate of the full image that each coordinate of the map shows.
 *
 * @param {number} size
 * @param {number} full
 */
function sources(size, full) {
  return Int32Array.from({ length: size }, (_, i) => Math.floor(((i + 0.5) * full) / size));
}

/**
 * @param {Uint16Array | Uint32Array} ids
 * @param {number} n
 * @param {number} width
 * @param {number} height
 */
function runs(ids, n, width, height) {
  const first = new Uint32Array(n + 1);
  /** @param {(id: number, start: number, length: number) => void} visit */
  const each = (visit) => {
    for (let y = 0; y < height; y++) {
      const end = (y + 1) * width;
      for (let i = y * width; i < end; ) {
        const id = ids[i];
        const start = i;
        while (i < end && ids[i] === id) i++;
        visit(id, start, i - start);
      }
    }
  };
  each((id) => first[id + 1]++);
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  const start = new Uint32Array(first[n]);
  const length = new Uint32Array(first[n]);
  const next = first.slice(0, n);
  each((id, from, count) => {
    start[next[id]] = from;
    length[next[id]++] = count;
  });
  return { first, start, length };
}

/**
 * The map of a part of the image, at the image's size: every pixel has the
 * superpixel that the map shows there.
 *
 * @param {IdMap} map
 * @param {import('./box.js').Box} part whole pixels of the image
 * @returns {IdMap}
 */
export function enlarged({ n, ids, area, fullWidth, fullHeight, ...map }, { left, top, right, bottom }) {
  const [width, height] = [right - left, bottom - top];
  const large = n <= 65536 ? new Uint16Array(width * height) : new Uint32Array(width * height);
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor(((left + x + 0.5) * map.width) / fullWidth));
  let last = -1;
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((top + y + 0.5) * map.height) / fullHeight);
    if (row === last) large.copyWithin(y * width, (y - 1) * width, y * width);
    else for (let x = 0; x < width; x++) large[y * width + x] = ids[row * map.width + columns[x]];
    last = row;
  }
  return { n, width, height, fullWidth: width, fullHeight: height, ids: large, area, ...runs(large, n, width, height) };
}

/**
 * The superpixel at a point of the image, or -1 outside.
 *
 * @param {IdMap} map
 * @param {number} x pixels of the image
 * @param {number} y
 */
export function at(map, x, y) {
  if (!(x >= 0 && y >= 0 && x < map.fullWidth && y < map.fullHeight)) return -1;
  const column = Math.floor((x * map.width) / map.fullWidth);
  const row = Math.floor((y * map.height) / map.fullHeight);
  return map.ids[row * map.width + column];
}

/**
 * The centre of the very pixel of the image that the map shows at a point. The
 * server finds the same superpixel there, even beside a boundary.
 *
 * @param {IdMap} map
 * @param {number} x
 * @param {number} y
 * @returns {[number, number]}
 */
export function shown(map, x, y) {
  const column = Math.floor((x * map.width) / map.fullWidth);
  const row = Math.floor((y * map.height) / map.fullHeight);
  return [
    Math.floor(((column + 0.5) * map.fullWidth) / map.width) + 0.5,
    Math.floor(((row + 0.5) * map.fullHeight) / map.height) + 0.5,
  ];
}

/**
 * A point inside every superpixel, near its middle: the middle of the longest
 * run of its middle row. Pixels of the image, x and y in turn.
 *
 * @param {IdMap} map
 * @returns {Float32Array} 2 per superpixel
 */
export function anchors(map) {
  const points = new Float32Array(map.n * 2);
  for (let s = 0; s < map.n; s++) {
    const [from, to] = [map.first[s], map.first[s + 1]];
    if (from === to) continue; // smaller than a pixel of the map
    const row = Math.floor(map.start[(from + to) >> 1] / map.width);
    let best = (from + to) >> 1;
    for (let r = from; r < to; r++) {
      if (Math.floor(map.start[r] / map.width) === row && map.length[r] > map.length[best]) best = r;
    }
    const column = (map.start[best] % map.width) + map.length[best] / 2;
    points[s * 2] = (column * map.fullWidth) / map.width;
    points[s * 2 + 1] = ((row + 0.5) * map.fullHeight) / map.height;
  }
  return points;
}

/**
 * The superpixels on the straight way between two points of the image, each
 * with the point where the way enters it, in order.
 *
 * @param {IdMap} map
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @returns {{superpixel: number, point: [number, number]}[]}
 */
export function passed(map, from, to) {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx * map.width) / map.fullWidth, Math.abs(dy * map.height) / map.fullHeight)));
  const found = [];
  let last = -1;
  for (let i = 0; i <= steps; i++) {
    const x = from[0] + (dx * i) / steps;
    const y = from[1] + (dy * i) / steps;
    const superpixel = at(map, x, y);
    if (superpixel < 0 || superpixel === last) continue;
    last = superpixel;
    found.push({ superpixel, point: shown(map, x, y) });
  }
  return found;
}
