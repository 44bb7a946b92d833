import { byId } from '../ui/dom.js';
import { GranularityControl, inWords } from './granularity.js';
import { loadCells, loadMap } from './load.js';
import { counted } from '../ui/numbers.js';
import { pause } from '../ui/patience.js';
import { toast, toastProblem } from '../ui/toast.js';

/** Milliseconds before superpixels are fetched again, when they were out of date or could not be fetched. */
const AGAIN = { early: 50, failed: 2000 };

/**
 * @typedef {Awaited<ReturnType<typeof loadMap>>} Parts
 *
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {(regions: number) => void} asked the person wants that many superpixels
 * @property {(parts: Parts) => void} exchange turns the page to other superpixels
 * @property {(cells: import('../superpixels/idmap.js').IdMap, session: import('../exchange/session.js').Session) => void} finest takes the finest superpixels
 * @property {(text: string) => void} say
 */

/**
 * Replaces the superpixels of the page by coarser or finer ones, whoever asked
 * for them. The old ones stay on the screen until the new ones are ready.
 */
export class Regrain {
  /**
   * @param {string} address of the superpixels
   * @param {{width: number, height: number}} image
   * @param {number} n superpixels at first
   * @param {Ports} ports
   */
  constructor(address, image, n, ports) {
    this.address = address;
    this.image = image;
    this.n = n;
    this.ports = ports;
    this.fetching = false;
    /** @type {Promise<import('../superpixels/idmap.js').IdMap> | null} the finest superpixels */
    this.cells = null;
    this.control = new GranularityControl((regions) => ports.asked(regions));
    showCount(n);
  }

  /** Fetches the superpixels that the session waits for, again if they have changed meanwhile. */
  async fetch() {
    if (this.fetching) return;
    this.fetching = true;
    const { session } = this.ports;
    while (session.waiting && session.waiting.map !== session.evidence.map) {
      let wait = AGAIN.early;
      try {
        const parts = await loadMap(this.address, this.image);
        if (parts.name === session.waiting?.map) {
          this.renew(parts);
          continue;
        }
      } catch (error) {
        toastProblem(error);
        wait = AGAIN.failed;
      }
      await pause(wait);
    }
    this.fetching = false;
  }

  /** Fetches the finest superpixels, which never change, until they are here. */
  async fetchCells() {
    this.cells ??= this.tryCells();
    const { ports: { session, finest } } = this;
    finest(await this.cells, session);
  }

  async tryCells() {
    for (;;) {
      try {
        return await loadCells(this.address, this.image);
      } catch (error) {
        toastProblem(error);
        await pause(AGAIN.failed);
      }
    }
  }

  /** @param {Parts} parts */
  renew(parts) {
    const coarser = parts.map.n < this.n;
    this.n = parts.map.n;
    this.ports.exchange(parts);
    showCount(this.n);
    const { granularity } = this.ports.session.evidence;
    this.ports.say(inWords(granularity));
    const { split } = granularity;
    if (coarser && split > 0) {
      const one = split === 1;
      toast(
        one ? 'One superpixel stays divided' : `${split} superpixels stay divided`,
        `${one ? 'It contains' : 'They contain'} two classes, and coarser superpixels never change labels.`,
      );
    }
  }
}

/** Updates the number of superpixels in the page. @param {number} n */
function showCount(n) {
  const canvas = byId('canvas');
  canvas.setAttribute('aria-label', (canvas.getAttribute('aria-label') ?? '').replace(/\d+ superpixels?$/, counted(n, 'superpixel')));
  byId('app').dataset.regions = byId('granularity-value').textContent = String(n);
}
