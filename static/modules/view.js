/**
 * How the image lies in the window: a point (x, y) of the image is shown at
 * (x * scale + left, y * scale + top), in CSS pixels.
 *
 * @typedef {{scale: number, left: number, top: number}} View
 * @typedef {{width: number, height: number}} Size
 */

/**
 * The whole image, centred, with a margin.
 *
 * @param {Size} image
 * @param {Size} window
 * @param {number} [margin] CSS pixels
 * @returns {View}
 */
export function fit(image, window, margin = 24) {
  const scale = Math.max(
    1e-3,
    Math.min((window.width - 2 * margin) / image.width, (window.height - 2 * margin) / image.height),
  );
  return {
    scale,
    left: (window.width - image.width * scale) / 2,
    top: (window.height - image.height * scale) / 2,
  };
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
 * The scale nearest to the wanted one that is of use: from half of what fits to
 * 64 CSS pixels per pixel.
 *
 * @param {number} scale
 * @param {Size} image
 * @param {Size} window
 */
export function bounded(scale, image, window) {
  return Math.min(64, Math.max(Math.min(fit(image, window).scale, 1) / 2, scale));
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
