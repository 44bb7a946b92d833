import { get, received } from '../ui/api.js';
import { trace } from '../superpixels/borders.js';
import { adjacency } from '../superpixels/graph.js';
import { anchors, decode } from '../superpixels/idmap.js';
import { Lines } from '../canvas/lines.js';

/**
 * Fetches the display image and the superpixels and prepares what the page
 * draws with.
 *
 * @param {string} display address
 * @param {string} superpixels address
 */
export async function load(display, superpixels) {
  const [image, packed] = await Promise.all([
    get(display).then((r) => received(r.blob())).then((blob) => createImageBitmap(blob)),
    fetchMap(whole(superpixels)),
  ]);
  return { image, ...prepare(packed, image) };
}

/**
 * Fetches the superpixels alone.
 *
 * @param {string} superpixels address
 * @param {{width: number, height: number}} image
 */
export async function loadMap(superpixels, image) {
  return prepare(await fetchMap(whole(superpixels)), image);
}

/**
 * Fetches the finest superpixels.
 *
 * @param {string} superpixels address
 * @param {{width: number, height: number}} image
 */
export async function loadCells(superpixels, image) {
  const { buffer } = await fetchMap(`${superpixels}?of=finest`);
  return decode(buffer, image.width, image.height);
}

/** The address of the superpixels that are painted first. @param {string} superpixels address */
function whole(superpixels) {
  return `${superpixels}?of=whole`;
}

/** @param {string} superpixels address */
async function fetchMap(superpixels) {
  const response = await get(superpixels);
  const name = (response.headers.get('ETag') ?? '').replace(/^W\//, '').replaceAll('"', '');
  return { name, buffer: await received(response.arrayBuffer()) };
}

/**
 * @param {{name: string, buffer: ArrayBuffer}} packed
 * @param {{width: number, height: number}} image
 */
function prepare({ name, buffer }, image) {
  const map = decode(buffer, image.width, image.height);
  const arcs = trace(map);
  return { name, map, lines: new Lines(arcs, map.width, map.height), graph: adjacency(arcs, map.n), anchors: anchors(map) };
}

/** Milliseconds that the image has the line to itself. */
const QUIET = 1000;

/**
 * Fetches what load will ask for when the image that is likely to be opened next is
 * opened, so that the browser has it then. Not where the person asks to save data.
 *
 * @param {string} image id; '' for none
 */
export function fetchAhead(image) {
  const line = /** @type {{saveData?: boolean} | undefined} */ (/** @type {any} */ (navigator).connection);
  if (!image || line?.saveData) return;
  const address = `/api/v1/images/${image}`;
  setTimeout(async () => {
    try {
      for (const part of [`${address}/display`, whole(`${address}/superpixels.bin`)]) {
        const response = await fetch(part, { priority: 'low' });
        await response.arrayBuffer(); // or the browser may not keep it
      }
    } catch {
      // The page of that image asks again.
    }
  }, QUIET);
}
