/**
 * How the image lies in the window: a point (x, y) of the image is shown at
 * (x * scale + left, y * scale + top), in CSS pixels.
 *
 * @typedef {{scale: number, left: number, top: number}} View
 * @typedef {{width: number, height: number}} Size
 */

/** CSS pixels at the edges of the window. @typedef {{top: number, right: number, bottom: number, left: number}} Rim */

/** @type {Rim} */
const NONE = { top: 0, right: 0, bottom: 0, left: 0 };

/** CSS pixels between the image and the edges of the stage, on either side. */
const RIM = { wide: 8, narrow: 3 };

/** CSS pixels across up to which a stage is narrow. */
const NARROW = 480;

/**
 * The whole image, in the middle of what the rim leaves.
 *
 * @param {Size} image
 * @param {Size} window
 * @param {Rim} [rim]
 * @returns {View}
 */
export function fit(image, window, rim = NONE) {
  const room = { width: window.width - rim.left - rim.right, height: window.height - rim.top - rim.bottom };
  const scale = Math.max(1e-3, Math.min(room.width / image.width, room.height / image.height));
  return {
    scale,
    left: rim.left + (room.width - image.width * scale) / 2,
    top: rim.top + (room.height - image.height * scale) / 2,
  };
}

/** The most CSS pixels per pixel: a larger one shows nothing more. */
const MOST = 64;

/**
 * The whole image as large as the window allows, with a rim that shows where it
 * ends; a tiny one with room around it.
 *
 * @param {Size} image
 * @param {Size} window
 * @returns {View}
 */
export function clear(image, window) {
  const rim = window.width <= NARROW || window.height <= NARROW ? RIM.narrow : RIM.wide;
  const view = fit(image, window, { top: rim, right: rim, bottom: rim, left: rim });
  return zoomTo(view, Math.min(view.scale, MOST), window.width / 2, window.height / 2);
}

/**
 * The same view at another scale, with the point under (x, y) kept in place.
 *
 * @param {View} view
 * @param {number} scale
 * @param {number} x CSS pixels
 * @param {number} y
 * @returns {View}
 */
export function zoomTo(view, scale, x, y) {
  const ratio = scale / view.scale;
  return { scale, left: x - (x - view.left) * ratio, top: y - (y - view.top) * ratio };
}

/**
 * The scale nearest to the wanted one that is of use, from half of what fits.
 *
 * @param {number} scale
 * @param {Size} image
 * @param {Size} window
 */
export function bounded(scale, image, window) {
  return Math.min(MOST, Math.max(Math.min(fit(image, window).scale, 1) / 2, scale));
}

/**
 * Keeps a part of the image in the window.
 *
 * @param {View} view
 * @param {Size} image
 * @param {Size} window
 * @returns {View}
 */
export function held({ scale, left, top }, image, window) {
  const keep = Math.min(80, window.width / 4, window.height / 4);
  return {
    scale,
    left: Math.min(window.width - keep, Math.max(keep - image.width * scale, left)),
    top: Math.min(window.height - keep, Math.max(keep - image.height * scale, top)),
  };
}

/** CSS pixels beside the image that may be in the window although more of the image is not. */
const BESIDE = 80;

/**
 * Moves the image so that it fills the window, but for a rim in which tools lie;
 * one that is smaller comes into the middle.
 *
 * @param {View} view
 * @param {Size} image
 * @param {Size} window
 * @returns {View}
 */
export function filled({ scale, left, top }, image, window) {
  /** @param {number} at @param {number} length of the image @param {number} room */
  const place = (at, length, room) => {
    if (length + 2 * BESIDE <= room) return (room - length) / 2;
    return Math.min(BESIDE, Math.max(room - length - BESIDE, at));
  };
  return { scale, left: place(left, image.width * scale, window.width), top: place(top, image.height * scale, window.height) };
}

/**
 * @param {View} view
 * @param {number} x CSS pixels
 * @param {number} y
 * @returns {[number, number]} pixels of the image
 */
export function toImage(view, x, y) {
  return [(x - view.left) / view.scale, (y - view.top) / view.scale];
}

/**
 * @param {View} view
 * @param {number} x pixels of the image
 * @param {number} y
 * @returns {[number, number]} CSS pixels
 */
export function toWindow(view, x, y) {
  return [x * view.scale + view.left, y * view.scale + view.top];
}
