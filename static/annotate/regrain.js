import { pixels } from '../canvas/colour.js';
import { byId } from '../ui/dom.js';
import { GranularityControl, inWords } from './granularity.js';
import { loadMap } from './load.js';
import { Overlay } from '../canvas/overlay.js';
import { renumbered, sources } from '../superpixels/remap.js';
import { Thumbnails } from '../canvas/thumbnails.js';
import { toast, toastProblem } from '../ui/toast.js';

/** Milliseconds after which superpixels are fetched again that came too early or not at all. */
const AGAIN = { early: 50, failed: 2000 };

/**
 * Exchanges the superpixels of the page for coarser or finer ones, whoever
 * asked for them. The old ones stay on the screen until the new ones are ready.
 */
export class Regrain {
  /**
   * @param {import('./app.js').App} app
   * @param {CanvasImageSource & {width: number, height: number}} image
   */
  constructor(app, image) {
    this.app = app;
    this.image = image;
    this.fetching = false;
    this.control = new GranularityControl((regions) => {
      app.choice.follow = app.choice.selected ? true : null;
      app.session.regrain(regions);
    });
    showCount(app.painter.map.n);
  }

  /** Fetches the superpixels that the session waits for, again when they have changed meanwhile. */
  async fetch() {
    if (this.fetching) return;
    this.fetching = true;
    const { data, session } = this.app;
    while (session.waiting) {
      let pause = AGAIN.early;
      try {
        const parts = await loadMap(data.superpixels ?? '', this.image);
        if (parts.name === session.waiting?.map) {
          this.renew(parts);
          continue;
        }
      } catch (error) {
        toastProblem(error);
        pause = AGAIN.failed;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    this.fetching = false;
  }

  /** @param {Awaited<ReturnType<typeof loadMap>>} parts */
  renew({ name, map, lines, graph, anchors }) {
    const { app } = this;
    const { session, painter, choice } = app;
    const old = painter.map;
    app.stage.renew(graph);
    session.hypotheses.renew(sources(old, map));
    if (choice.shown && !session.hypotheses.cards.includes(choice.shown.card)) choice.selected = choice.hovered = null;
    app.overlay = new Overlay(map);
    app.overlay.recolor(pixels(app.classes.colors), app.patterned);
    painter.renew({ map, overlay: app.overlay, lines, anchors });
    app.area = map.area;
    app.graph = graph;
    app.eager = 0;
    app.strip.renew(new Thumbnails(this.image, map), map.area);
    session.adopt(map.n, name, (superpixels, points) => renumbered(superpixels, points, old, map));
    showCount(map.n);
    this.tell(map.n < old.n);
  }

  /** Says what has become of the superpixels. @param {boolean} coarser */
  tell(coarser) {
    const { granularity } = this.app.session.evidence;
    this.app.say(inWords(granularity));
    const { split } = granularity;
    if (coarser && split > 0) {
      toast(
        split === 1 ? 'One superpixel stays divided' : `${split} superpixels stay divided`,
        `${split === 1 ? 'It holds' : 'They hold'} two classes, and no label changes when superpixels get coarser.`,
      );
    }
  }
}

/** Keeps the number of superpixels where the page was made with one. @param {number} n */
function showCount(n) {
  const canvas = byId('canvas');
  canvas.setAttribute('aria-label', (canvas.getAttribute('aria-label') ?? '').replace(/\d+ superpixels$/, `${n} superpixels`));
  byId('app').dataset.regions = byId('granularity-value').textContent = String(n);
}
