import { empty, intersection, nothing, placed, union, unplaced } from '../superpixels/box.js';
import { CloseUp } from './closeup.js';
import { Contours } from './contours.js';
import { Detail } from './detail.js';
import { Dots, singles } from './dots.js';
import { at } from '../superpixels/idmap.js';
import { Instances } from './instances.js';
import { contextOf } from '../ui/dom.js';
import { DENSE } from './layer.js';
import { detailAt, visible, weight } from './lines.js';
import { Marks } from './marks.js';
import { Mesh } from './mesh.js';
import { Notes } from './notes.js';
import { Division } from '../evidence/division.js';
import { Parts as Divided } from '../evidence/parts.js';
import { VOID } from '../evidence/protocol.js';
import { Pyramid } from './pyramid.js';

/**
 * @typedef {import('../superpixels/box.js').Box} Box
 *
 * @typedef {object} Parts what superpixels are drawn with
 * @property {import('../superpixels/idmap.js').IdMap} map
 * @property {import('./overlay.js').Overlay} overlay
 * @property {import('./lines.js').Lines} lines
 * @property {Float32Array} anchors
 */

/** How far lines and dots extend beyond their superpixels, in CSS pixels. */
const REACH = 8;

/** The lines between classes: colour and width in CSS pixels, from below. @type {[string, number][]} */
const CONTOURS = [['rgb(0 0 0 / 0.45)', 2.6], ['rgb(255 255 255 / 0.9)', 1.1]];

/** The same when nothing else shows the classes. @type {[string, number][]} */
const OUTLINES = [['rgb(0 0 0 / 0.7)', 4], ['#ffffff', 1.8]];

/**
 * Paints the window in three canvases that lie on each other: the image; on it
 * the labelling, the lines between classes, the boundaries and the clicks; and
 * what follows the pointer. Only what has changed is painted, only in animation
 * frames. Boxes count device pixels.
 */
export class Painter {
  /**
   * @param {{picture: HTMLElement, scene: HTMLElement, marks: HTMLElement}} canvases
   * @param {Parts & {image: CanvasImageSource & {width: number, height: number}, original: string}} parts the image's copy, and the address of its file
   */
  constructor({ picture, scene, marks }, { image, original, map, overlay, lines, anchors }) {
    this.picture = contextOf(picture);
    this.scene = contextOf(scene);
    this.marks = new Marks(contextOf(marks), this);
    this.mesh = new Mesh(this);
    this.pyramid = new Pyramid(image);
    this.map = map;
    this.detail = new Detail(original, image, this);
    this.overlay = overlay;
    this.closeUp = new CloseUp(this);
    /** @type {import('./overlay.js').Overlay | null} the labelling in what is seen, at more pixels than the map's */
    this.near = null;
    /** @type {import('./overlay.js').Overlay | null} shown instead of the labelling */
    this.heat = null;
    /** @type {import('./past.js').Past | null} an earlier labelling, shown instead */
    this.past = null;
    this.lines = lines;
    this.contours = new Contours(lines);
    this.anchors = anchors;
    this.parts = new Divided(map, null, new Division(map.n));
    this.dots = new Dots();
    this.notes = new Notes();
    this.instances = new Instances(this);
    /** @type {import('./view.js').View} */
    this.view = { scale: 1, left: 0, top: 0 };
    this.ratio = 1;
    this.opacity = 0.45;
    this.boundaries = true;
    this.labelled = true;
    /** Whether classes are shown by the lines between them alone. */
    this.outlined = false;
    /** @type {Uint8Array} */
    this.clicks = new Uint8Array(map.n).fill(VOID);
    /** @type {Uint8Array} 1 for each superpixel that was clicked by itself */
    this.dotted = new Uint8Array(map.n);
    /** @type {Map<number, [number, number]>} where superpixels were clicked last */
    this.points = new Map();
    /** The part of the scene that is out of date. */
    this.dirty = nothing();
    this.pictureDirty = this.marksDirty = false;
    /** Whether there are too many lines between classes to draw them. */
    this.dense = false;
    this.frame = 0;
  }

  /**
   * Switches to other superpixels of the same image; the view stays.
   *
   * @param {Parts} parts
   */
  renew({ map, overlay, lines, anchors }) {
    const { marks } = this;
    if (marks.cursor >= 0) marks.cursor = at(map, ...this.anchorOf(marks.cursor));
    this.points.clear();
    this.map = map;
    this.overlay = overlay;
    this.heat = null;
    this.lines = lines;
    this.contours = new Contours(lines);
    this.anchors = anchors;
    this.parts = new Divided(map, null, new Division(map.n));
    this.clicks = new Uint8Array(map.n).fill(VOID);
    this.dotted = new Uint8Array(map.n);
    marks.hover = [];
    marks.suggested = -1;
    this.mesh.layer.forget();
    this.touch();
  }

  /** Clicks have divided superpixels. @param {Divided} parts */
  divide(parts) {
    this.parts = parts;
    this.heat = null;
    this.touch();
  }

  /**
   * Shows another rendering of the image.
   *
   * @param {CanvasImageSource & {width: number, height: number}} image
   * @param {boolean} windowed whether it has other values than the image's file
   */
  develop(image, windowed) {
    this.pyramid = new Pyramid(image);
    this.detail.windowed = windowed;
    this.touchPicture();
  }

  /** Drops every canvas outside the page: the browser has lost what canvases held. All is painted again after resize. */
  forget() {
    this.pyramid = new Pyramid(this.pyramid.levels[0]);
    for (const overlay of [this.overlay, this.near, this.heat]) overlay?.forget();
    for (const layer of [this.mesh.layer, this.instances.layer]) layer.renew();
    this.dots.drawn.clear();
  }

  /** Asks for the image to be painted again. */
  touchPicture() {
    this.pictureDirty = true;
    this.touchMarks();
  }

  /**
   * @param {number} width CSS pixels
   * @param {number} height
   * @param {number} ratio device pixels per CSS pixel
   */
  resize(width, height, ratio) {
    this.ratio = ratio;
    const layers = [this.mesh.layer, this.instances.layer];
    for (const { canvas } of [this.picture, this.scene, this.marks.context, ...layers.map((l) => l.context)]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.style.width = `${width}px`; // the stage may be a part of a pixel wider, which would blur all
      canvas.style.height = `${height}px`;
    }
    for (const layer of layers) layer.forget();
    this.look(this.view);
  }

  /** @param {import('./view.js').View} view */
  look(view) {
    this.view = view;
    this.touchPicture();
    this.touch();
  }

  /**
   * @param {Uint8Array} labels
   * @param {Uint8Array} clicks
   * @param {import('../evidence/repairs.js').Repairs} repairs
   * @param {Uint8Array} picked 1 for each superpixel whose label was accepted
   */
  show(labels, clicks, repairs, picked) {
    const { n } = this.map;
    this.overlay.show(labels.subarray(0, n), this.parts.pixels(labels, repairs, picked), picked.subarray(0, n));
    if (clicks.length !== this.clicks.length || clicks.some((l, s) => l !== this.clicks[s])) {
      const dotted = singles(clicks, this.parts.division, (s) => this.lines.beside(s));
      const changed = [...clicks.keys()].filter((s) => clicks[s] !== this.clicks[s] || dotted[s] !== this.dotted[s]);
      for (const s of changed) this.spoil(this.boxOf(s));
      [this.clicks, this.dotted] = [clicks, dotted];
      for (const s of changed) this.spoil(this.boxOf(s)); // where it is now
    }
    this.touchMarks();
  }

  /** Asks for the scene to be painted again. */
  touch() {
    this.dirty = this.whole;
    this.touchMarks();
  }

  /** Marks a part of the scene to be painted in the next frame. @param {Box} part @param {import('../superpixels/box.js').Placing} [placing] of its pixels; the map's when absent */
  spoil(part, placing = this.placing) {
    if (!empty(part)) this.dirty = union(this.dirty, placed(part, placing, REACH * this.ratio));
  }

  /** Asks for the pointer's outline to be painted again. */
  touchMarks() {
    this.marksDirty = true;
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.frame = 0;
    this.spoil(this.overlay.drawn());
    const near = this.closeUp.update();
    if (near !== this.near) this.dirty = this.whole;
    else if (near) this.spoil(near.drawn(), this.placingOf(near.within));
    this.near = near;
    if (this.heat) this.spoil(this.heat.drawn());
    if (this.pictureDirty) this.paintPicture();
    const part = intersection(this.dirty, this.whole);
    if (!empty(part)) this.paintScene(part);
    if (this.marksDirty) this.marks.paint();
    this.dirty = nothing();
    this.pictureDirty = this.marksDirty = false;
  }

  /** @returns {Box} all that the canvases show */
  get whole() {
    const { width, height } = this.scene.canvas;
    return { left: 0, top: 0, right: width, bottom: height };
  }

  /** Scale of the map in CSS pixels. */
  get mapScale() {
    return (this.view.scale * this.map.fullWidth) / this.map.width;
  }

  /** Device pixels per pixel of the image. */
  get share() {
    return this.view.scale * this.ratio;
  }

  /** Pixels of the image. */
  get size() {
    return { width: this.map.fullWidth, height: this.map.fullHeight };
  }

  /** What the window shows, in pixels of the image. @returns {Box} */
  get seen() {
    const { width, height } = this.size;
    return intersection(unplaced(this.whole, this.imagePlacing), { left: 0, top: 0, right: width, bottom: height });
  }

  /** Where the image lies, in device pixels. */
  get imagePlacing() {
    return this.placingOf({ left: 0, top: 0, ...this.size });
  }

  /** Where the map lies, in device pixels. */
  get placing() {
    return this.placingOf(this.overlay.within);
  }

  /** Where a part of a picture of the image lies, in device pixels. @param {import('./overlay.js').Within} part @returns {import('../superpixels/box.js').Placing} */
  placingOf({ left, top, width, height }) {
    const { share, ratio, view, size } = this;
    const [sx, sy] = [(share * size.width) / width, (share * size.height) / height];
    return { sx, sy, left: view.left * ratio + left * sx, top: view.top * ratio + top * sy };
  }

  /** Lets a context draw in pixels of the map. @param {CanvasRenderingContext2D} context */
  enter(context) {
    const { sx, sy, left, top } = this.placing;
    context.setTransform(sx, 0, 0, sy, left, top);
  }

  paintPicture() {
    const { picture, map } = this;
    const detail = this.detail.update();
    picture.setTransform(1, 0, 0, 1, 0, 0);
    picture.clearRect(0, 0, picture.canvas.width, picture.canvas.height);
    picture.imageSmoothingEnabled = detailAt(this.view.scale) < 2;
    const whole = { left: 0, top: 0, right: map.fullWidth, bottom: map.fullHeight };
    this.lay(this.pyramid.level(map.width * this.placing.sx), whole);
    if (detail) this.lay(detail.picture, detail.box);
  }

  /**
   * Paints a part of the image; its edges go to whole pixels, so that it is sharp at 100 %.
   *
   * @param {CanvasImageSource} image on white, where it lets through
   * @param {Box} part in pixels of the image
   */
  lay(image, part) {
    const { picture, imagePlacing: { sx, sy, left, top } } = this;
    const [x, y] = [Math.round(part.left * sx + left), Math.round(part.top * sy + top)];
    const width = Math.max(1, Math.round(part.right * sx + left) - x); // a thin image is seen, too
    const height = Math.max(1, Math.round(part.bottom * sy + top) - y);
    picture.fillStyle = '#ffffff';
    picture.fillRect(x, y, width, height);
    picture.drawImage(image, x, y, width, height);
  }

  /** @param {Box} part device pixels */
  paintScene(part) {
    const { scene, placing, map } = this;
    const labelling = this.near ?? this.overlay;
    const detail = detailAt(this.mapScale);
    const contours = visible(this.contours.update(labelling, detail, map), this.window);
    const dense = weight(contours) >= DENSE;
    if (dense !== this.dense) part = this.whole;
    this.dense = dense;
    const inMap = unplaced(part, placing);
    scene.setTransform(1, 0, 0, 1, 0, 0);
    scene.save();
    scene.beginPath();
    scene.rect(part.left, part.top, part.right - part.left, part.bottom - part.top);
    scene.clip();
    scene.clearRect(part.left, part.top, part.right - part.left, part.bottom - part.top);
    if (this.past) {
      scene.imageSmoothingEnabled = false;
      scene.globalAlpha = Math.max(0.6, this.opacity);
      this.past.draw(scene, placing);
      scene.globalAlpha = 1;
    } else if (this.labelled || this.heat) {
      scene.imageSmoothingEnabled = detail < 2;
      scene.globalAlpha = this.heat ? Math.max(0.6, this.opacity) : this.opacity;
      const shown = this.heat ?? labelling;
      const where = this.placingOf(shown.within);
      const bare = this.outlined && !this.heat && !dense;
      if (!bare) shown.draw(scene, where, unplaced(part, where));
      scene.globalAlpha = 1;
      if (!dense) {
        this.enter(scene);
        this.stroke(scene, visible(contours, inMap), bare ? OUTLINES : CONTOURS);
      }
    }
    if (this.boundaries) this.mesh.paint(scene, part);
    if (!this.past && this.labelled) this.instances.paint(scene, part);
    scene.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (!this.past && this.labelled) {
      this.dots.paint(this, part);
      this.notes.paint(this, part);
    }
    scene.restore();
  }

  /**
   * Strokes paths in pixels of the map with widths in CSS pixels.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {{path: Path2D}[]} drawings
   * @param {[string, number][]} strokes colour and width, from below
   */
  stroke(context, drawings, strokes) {
    context.lineJoin = 'round';
    for (const [color, width] of strokes) {
      context.strokeStyle = color;
      context.lineWidth = width / this.mapScale;
      for (const { path } of drawings) context.stroke(path);
    }
  }

  /** What the window shows, in pixels of the map. */
  get window() {
    return unplaced(this.whole, this.placing);
  }

  /** What holds a superpixel's dot, in pixels of the map. @param {number} s @returns {Box} */
  boxOf(s) {
    const [x, y] = this.pointOf(s);
    const [column, row] = [(x * this.map.width) / this.map.fullWidth, (y * this.map.height) / this.map.fullHeight];
    return { left: column, top: row, right: column + 1, bottom: row + 1 };
  }

  /**
   * Where the dot of a superpixel is: in the middle of what was clicked, also while
   * the whole superpixel has the class of a click that is to divide it.
   *
   * @param {number} s
   * @returns {[number, number]} pixels of the image
   */
  pointOf(s) {
    const point = this.points.get(s);
    const whole = this.parts.division.numbers([s]).every((part) => this.clicks[part] === this.clicks[s]);
    return point && whole ? this.parts.middleAt(point) : this.anchorOf(s);
  }

  /** @param {number} s @returns {[number, number]} pixels of the image */
  anchorOf(s) {
    const { anchors } = this.parts;
    return [anchors[s * 2], anchors[s * 2 + 1]];
  }
}
