import { holds, intersection } from '../superpixels/box.js';
import { get, received } from '../ui/api.js';

/** @typedef {import('../superpixels/box.js').Box} Box */

/** Most image pixels that are kept; they take 64 MiB. */
const MOST = 4096 * 4096;

/** Device pixels per image pixel below which browsers skip pixels. */
const LEAST = 0.5;

/** Milliseconds without movement before pixels are fetched. */
const REST = 150;

/** As the display copy was made: turned as EXIF says, colours not converted. */
const LIKE_COPY = /** @type {const} */ ({ imageOrientation: 'from-image', colorSpaceConversion: 'none' });

/**
 * The image's own pixels, for a view that is closer than the display copy is
 * fine. They are fetched in the background from the file as it was uploaded;
 * what the browser can't decode, or decodes to another picture than the server,
 * is left alone, and the copy goes on being shown.
 */
export class Detail {
  /**
   * @param {string} original address
   * @param {CanvasImageSource & {width: number, height: number}} copy
   * @param {import('./painter.js').Painter} painter
   */
  constructor(original, copy, painter) {
    this.original = original;
    this.copy = copy;
    this.painter = painter;
    /** Whether the painter shows a window of values, which the file does not have. */
    this.windowed = false;
    this.size = painter.size;
    /** Whether nothing more can be fetched. */
    this.done = copy.width === this.size.width && copy.height === this.size.height;
    /** @type {Promise<Blob | null> | null} */
    this.file = null;
    /** @type {{picture: ImageBitmap, box: Box} | null} */
    this.kept = null;
    this.decoding = false;
    this.timer = 0;
  }

  /** What to paint over the copy. Requests more when the view rests outside it. */
  update() {
    const { painter, kept } = this;
    const close = !this.windowed && painter.placing.sx > 1 && painter.share >= LEAST;
    clearTimeout(this.timer);
    if (!close) return null;
    const { seen } = painter;
    if (!this.done && !this.decoding && !(kept && holds(kept.box, seen))) {
      const part = partToKeep(seen, this.size, MOST);
      if (part) this.timer = window.setTimeout(() => void this.decode(part), REST);
    }
    return kept;
  }

  /** Replaces what is kept. @param {Box} part */
  async decode(part) {
    this.decoding = true;
    try {
      const picture = await this.read(part);
      if (picture) {
        this.kept?.picture.close();
        this.kept = { picture, box: part };
      }
      this.done = !picture || this.isWhole(part);
    } catch (error) {
      this.done = error instanceof DOMException; // it can't be decoded; else it could not be fetched, and may be when the view changes
    }
    this.decoding = false;
    if (this.done || this.kept?.box !== part) this.file = null;
    if (this.kept?.box === part) this.painter.touchPicture();
  }

  /** @param {Box} part @returns {Promise<ImageBitmap | null>} null when the browser can't see it, or sees another picture */
  async read(part) {
    const { left, top } = part;
    const [width, height] = [part.right - left, part.bottom - top];
    const file = await (this.file ??= fetched(this.original));
    if (!file) return null;
    const picture = await (this.isWhole(part) ? createImageBitmap(file, LIKE_COPY) : createImageBitmap(file, left, top, width, height, LIKE_COPY));
    if (picture.width === width && picture.height === height && this.agrees(picture, part)) return picture;
    picture.close();
    return null;
  }

  /** @param {Box} part */
  isWhole(part) {
    return part.right - part.left === this.size.width && part.bottom - part.top === this.size.height;
  }

  /** Whether a picture matches its part of the copy. @param {ImageBitmap} picture @param {Box} part */
  agrees(picture, part) {
    const sx = this.copy.width / this.size.width;
    const sy = this.copy.height / this.size.height;
    const inCopy = { left: part.left * sx, top: part.top * sy, right: part.right * sx, bottom: part.bottom * sy };
    const inPicture = { left: 0, top: 0, right: picture.width, bottom: picture.height };
    return alike(patches(this.copy, inCopy, PATCH, PATCH), patches(picture, inPicture, PATCH / sx, PATCH / sy));
  }
}

/** @param {string} original address @returns {Promise<Blob | null>} null for TIFF, which hardly any browser decodes */
async function fetched(original) {
  const response = await get(original);
  if (response.headers.get('Content-Type') !== 'image/tiff') return received(response.blob());
  await response.body?.cancel();
  return null;
}

/**
 * What to decode for a view: the whole image where that is not too much, else
 * what is seen and as much around it as there is room for.
 *
 * @param {Box} seen within the image
 * @param {{width: number, height: number}} image
 * @param {number} most pixels
 * @returns {Box | null} null when too much is seen; whole pixels
 */
export function partToKeep(seen, { width, height }, most) {
  const whole = { left: 0, top: 0, right: width, bottom: height };
  if (width * height <= most) return whole;
  const [w, h] = [seen.right - seen.left, seen.bottom - seen.top];
  const more = (Math.sqrt(most / (w * h)) - 1) / 2;
  if (!(more >= 0)) return null;
  return intersection(whole, {
    left: Math.floor(seen.left - w * more),
    top: Math.floor(seen.top - h * more),
    right: Math.ceil(seen.right + w * more),
    bottom: Math.ceil(seen.bottom + h * more),
  });
}

/** Patches along a side in which pictures are compared. */
const PATCHES = 16;

/** Pixels of the copy along a side of a patch. */
const PATCH = 8;

/** Difference of a patch's mean colour, 0..255, that reducing, compressing and rounding do not make. */
const DIFFERENT = 40;

/**
 * The pixels of patches that lie all over a part of a picture, side by side.
 *
 * @param {CanvasImageSource} picture
 * @param {Box} part in its pixels
 * @param {number} width of a patch in its pixels
 * @param {number} height
 */
function patches(picture, { left, top, right, bottom }, width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = PATCHES * PATCH;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const place = (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ room) => from + (room * i) / (PATCHES - 1);
  for (let j = 0; j < PATCHES; j++) {
    for (let i = 0; i < PATCHES; i++) {
      const [x, y] = [place(i, left, right - left - width), place(j, top, bottom - top - height)];
      context.drawImage(picture, x, y, width, height, i * PATCH, j * PATCH, PATCH, PATCH);
    }
  }
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}

/**
 * Whether the same patches of two pictures have about the same colours. Of a
 * picture that is turned or mirrored they don't, unless that makes no difference.
 *
 * @param {Uint8ClampedArray} a as patches() returns them
 * @param {Uint8ClampedArray} b
 */
export function alike(a, b) {
  const sums = new Float64Array(PATCHES * PATCHES * 3);
  const side = PATCHES * PATCH;
  for (let y = 0, i = 0; y < side; y++) {
    for (let x = 0; x < side; x++, i += 4) {
      const patch = (Math.floor(y / PATCH) * PATCHES + Math.floor(x / PATCH)) * 3;
      for (let c = 0; c < 3; c++) sums[patch + c] += a[i + c] - b[i + c];
    }
  }
  return sums.every((sum) => Math.abs(sum) <= DIFFERENT * PATCH * PATCH);
}
