import { at } from './idmap.js';
import { detailAt, visible } from './lines.js';
import { VOID } from './protocol.js';
import { toWindow } from './view.js';

/** Milliseconds without movement after which dense boundaries are drawn sharp again. */
const SETTLED = 70;

/** Points above which lines are too dense to be drawn in every frame. */
const DENSE = 12_000;

/**
 * Paints the window from layers: image, labelling, lines between classes,
 * boundaries; and above them, on a canvas of its own so that the pointer costs
 * little, the outline under the pointer and the clicks. Only in animation frames.
 */
export class Painter {
  /**
   * @param {HTMLCanvasElement} scene
   * @param {HTMLCanvasElement} marks
   * @param {object} parts
   * @param {CanvasImageSource} parts.image
   * @param {import('./idmap.js').IdMap} parts.map
   * @param {import('./overlay.js').Overlay} parts.overlay
   * @param {import('./lines.js').Lines} parts.lines
   * @param {Float32Array} parts.anchors
   */
  constructor(scene, marks, { image, map, overlay, lines, anchors }) {
    this.scene = /** @type {CanvasRenderingContext2D} */ (scene.getContext('2d', { alpha: false }));
    this.marks = /** @type {CanvasRenderingContext2D} */ (marks.getContext('2d'));
    this.mesh = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
    this.image = image;
    this.map = map;
    this.overlay = overlay;
    this.lines = lines;
    this.anchors = anchors;
    /** @type {import('./view.js').View} */
    this.view = { scale: 1, left: 0, top: 0 };
    /** @type {import('./view.js').View | null} the view that the mesh was drawn for */
    this.meshView = null;
    this.ratio = 1;
    this.opacity = 0.45;
    this.boundaries = true;
    this.labelled = true;
    /** What lies around the image. */
    this.ground = '#222222';
    /** @type {import('./lines.js').Drawing[] | null} lines between classes */
    this.classLines = null;
    /** The detail that they were drawn with. */
    this.classDetail = -1;
    /** @type {string[]} */
    this.colors = [];
    /** @type {Uint8Array} */
    this.clicks = new Uint8Array(map.n).fill(VOID);
    /** @type {Map<number, [number, number]>} where the person clicked, when known */
    this.points = new Map();
    /** @type {number[]} superpixels outlined under the pointer */
    this.hover = [];
    /** Superpixel that the keyboard stands on, or -1. */
    this.cursor = -1;
    this.sceneDirty = this.marksDirty = false;
    this.frame = 0;
    this.settle = 0;
  }

  /**
   * Turns to other superpixels of the same image; the view stays.
   *
   * @param {object} parts
   * @param {import('./idmap.js').IdMap} parts.map
   * @param {import('./overlay.js').Overlay} parts.overlay
   * @param {import('./lines.js').Lines} parts.lines
   * @param {Float32Array} parts.anchors
   */
  renew({ map, overlay, lines, anchors }) {
    if (this.cursor >= 0) this.cursor = at(map, ...this.anchorOf(this.cursor));
    this.points = new Map([...this.points.values()].map((point) => [at(map, ...point), point]));
    this.map = map;
    this.overlay = overlay;
    this.lines = lines;
    this.anchors = anchors;
    this.clicks = new Uint8Array(map.n).fill(VOID);
    this.hover = [];
    this.meshView = null;
    this.classLines = null;
    this.touch();
  }

  /**
   * @param {number} width CSS pixels
   * @param {number} height
   * @param {number} ratio device pixels per CSS pixel
   */
  resize(width, height, ratio) {
    this.ratio = ratio;
    for (const { canvas } of [this.scene, this.marks, this.mesh]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.meshView = null;
    this.sceneDirty = this.marksDirty = true;
  }

  /** @param {import('./view.js').View} view */
  look(view) {
    this.view = view;
    this.touch();
  }

  /** @param {Uint8Array} labels */
  show(labels) {
    if (!this.overlay.show(labels)) return;
    this.classLines = null;
    this.touch();
  }

  /** Asks for everything to be painted again. */
  touch() {
    this.sceneDirty = true;
    this.touchMarks();
  }

  /** Asks for the pointer's outline and the clicks to be painted again. */
  touchMarks() {
    this.marksDirty = true;
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.frame = 0;
    if (this.sceneDirty) this.paintScene();
    if (this.marksDirty) this.paintMarks();
    this.sceneDirty = this.marksDirty = false;
  }

  /** Scale of the map in CSS pixels. */
  get mapScale() {
    return (this.view.scale * this.map.fullWidth) / this.map.width;
  }

  /**
   * Lets a context draw in pixels of the map.
   *
   * @param {CanvasRenderingContext2D} context
   */
  enter(context) {
    const { map, ratio, view } = this;
    context.setTransform(
      (view.scale * map.fullWidth * ratio) / map.width, 0, 0,
      (view.scale * map.fullHeight * ratio) / map.height,
      view.left * ratio, view.top * ratio,
    );
  }

  paintScene() {
    const { scene, map, overlay } = this;
    const scale = this.mapScale;
    scene.setTransform(1, 0, 0, 1, 0, 0);
    scene.fillStyle = this.ground;
    scene.fillRect(0, 0, scene.canvas.width, scene.canvas.height);
    this.enter(scene);
    const detail = detailAt(scale);
    scene.imageSmoothingEnabled = detail < 2;
    scene.imageSmoothingQuality = scale < 1 ? 'medium' : 'low';
    scene.drawImage(this.image, 0, 0, map.width, map.height);
    if (this.labelled) {
      overlay.flush();
      scene.globalAlpha = this.opacity;
      scene.drawImage(overlay.canvas, 0, 0);
      scene.globalAlpha = 1;
      if (!this.classLines || this.classDetail !== detail) {
        this.classLines = this.lines.between(overlay.labels, detail);
        this.classDetail = detail;
      }
      const drawings = visible(this.classLines, this.window());
      if (weight(drawings) < DENSE) this.stroke(scene, drawings, [['rgb(0 0 0 / 0.45)', 2.6], ['rgb(255 255 255 / 0.9)', 1.1]]);
    }
    if (this.boundaries) this.paintBoundaries();
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

  /**
   * Boundaries are drawn sharp into a layer of their own. While many of them
   * move, the layer is moved as a picture; it is drawn again when they rest.
   */
  paintBoundaries() {
    const { mesh, scene, view, meshView } = this;
    const moved = !meshView || meshView.scale !== view.scale || meshView.left !== view.left || meshView.top !== view.top;
    if (moved) {
      const drawings = visible(this.lines.all(detailAt(this.mapScale)), this.window());
      clearTimeout(this.settle);
      if (!meshView || weight(drawings) < DENSE) {
        this.drawMesh(drawings);
      } else {
        this.settle = window.setTimeout(() => {
          this.meshView = null;
          this.touch();
        }, SETTLED);
      }
    }
    const from = /** @type {import('./view.js').View} */ (this.meshView);
    const ratio = view.scale / from.scale;
    scene.setTransform(ratio, 0, 0, ratio, (view.left - from.left * ratio) * this.ratio, (view.top - from.top * ratio) * this.ratio);
    scene.drawImage(mesh.canvas, 0, 0);
  }

  /** @param {import('./lines.js').Drawing[]} drawings */
  drawMesh(drawings) {
    const { mesh } = this;
    mesh.setTransform(1, 0, 0, 1, 0, 0);
    mesh.clearRect(0, 0, mesh.canvas.width, mesh.canvas.height);
    this.enter(mesh);
    this.stroke(mesh, drawings, [['rgb(0 0 0 / 0.26)', 1.6], ['rgb(255 255 255 / 0.44)', 0.7]]);
    this.meshView = this.view;
  }

  /** What the window shows, in pixels of the map. */
  window() {
    const { map, view, ratio, scene } = this;
    const across = map.width / map.fullWidth / view.scale;
    return {
      left: -view.left * across,
      top: -view.top * across,
      right: (scene.canvas.width / ratio - view.left) * across,
      bottom: (scene.canvas.height / ratio - view.top) * across,
    };
  }

  paintMarks() {
    const { marks, ratio } = this;
    marks.setTransform(1, 0, 0, 1, 0, 0);
    marks.clearRect(0, 0, marks.canvas.width, marks.canvas.height);
    this.enter(marks);
    const scale = this.mapScale;
    if (this.hover.length > 0) {
      this.stroke(marks, [{ path: this.lines.outline(this.hover, detailAt(scale)) }], [['rgb(0 0 0 / 0.55)', 3.6], ['#ffffff', 1.8]]);
    }
    if (this.cursor >= 0) {
      const cursor = [{ path: this.lines.outline([this.cursor], detailAt(scale)) }];
      this.stroke(marks, cursor, [['#000000', 4]]);
      marks.setLineDash([6 / scale, 4 / scale]);
      this.stroke(marks, cursor, [['#ffffff', 2.4]]);
      marks.setLineDash([]);
    }
    marks.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paintClicks();
  }

  /** A dot in the colour of its class with a ring, where the person clicked. */
  paintClicks() {
    const { marks, view, clicks, ratio } = this;
    const width = marks.canvas.width / ratio;
    const height = marks.canvas.height / ratio;
    for (let s = 0; s < clicks.length; s++) {
      if (clicks[s] === VOID) continue;
      const [x, y] = toWindow(view, ...this.pointOf(s));
      if (x < -8 || y < -8 || x > width + 8 || y > height + 8) continue;
      const radius = Math.min(4.5, Math.max(1.8, Math.sqrt(this.map.area[s]) * view.scale * 0.16));
      for (const [color, extra] of [['rgb(0 0 0 / 0.65)', 2.5], ['#ffffff', 1.6], [this.colors[clicks[s]] ?? '#000000', 0]]) {
        marks.beginPath();
        marks.arc(x, y, radius + Number(extra), 0, 2 * Math.PI);
        marks.fillStyle = String(color);
        marks.fill();
      }
    }
  }

  /** @param {number} s @returns {[number, number]} pixels of the image */
  pointOf(s) {
    return this.points.get(s) ?? this.anchorOf(s);
  }

  /** @param {number} s @returns {[number, number]} pixels of the image */
  anchorOf(s) {
    return [this.anchors[s * 2], this.anchors[s * 2 + 1]];
  }
}

/** @param {import('./lines.js').Drawing[]} drawings @returns {number} points to draw */
function weight(drawings) {
  return drawings.reduce((sum, { points }) => sum + points, 0);
}
