/** A colour like no default, and how far a channel may be off. Brave changes some by 1, so that sites can't recognise the machine. */
const SAMPLE = [58, 127, 197];
const OFF = 8;

/**
 * Whether the browser lets scripts read what they have drawn. Firefox with
 * privacy.resistFingerprinting, as in the Tor browser and LibreWolf, invents all pixels
 * until the person allows the site to use canvas data.
 *
 * @param {CanvasRenderingContext2D} context to be tried, whose first pixel is lost
 */
export function readable(context) {
  context.fillStyle = `rgb(${SAMPLE.join()})`;
  context.fillRect(0, 0, 1, 1);
  const { data } = context.getImageData(0, 0, 1, 1);
  return SAMPLE.every((channel, i) => Math.abs(channel - data[i]) <= OFF);
}
