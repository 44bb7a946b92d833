import { contextOf } from '../ui/dom.js';

/**
 * A picture with copies of half, quarter, … its size, so that drawing it small
 * is quick and smooth. Copies are made when first needed.
 */
export class Pyramid {
  /** @param {CanvasImageSource & {width: number, height: number}} picture */
  constructor(picture) {
    /** @type {(CanvasImageSource & {width: number, height: number})[]} */
    this.levels = [picture];
  }

  /**
   * The smallest copy that has at least the pixels that will be shown.
   *
   * @param {number} width of the whole picture on the screen, in its pixels
   */
  level(width) {
    let i = 0;
    while (this.levels[i].width >= 2 * width && this.levels[i].width >= 2 && this.levels[i].height >= 2) {
      this.levels[i + 1] ??= half(this.levels[i]);
      i++;
    }
    return this.levels[i];
  }
}

/** @param {CanvasImageSource & {width: number, height: number}} picture */
function half(picture) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width / 2));
  canvas.height = Math.max(1, Math.round(picture.height / 2));
  const context = contextOf(canvas);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}
