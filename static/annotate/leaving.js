import { call, Problem } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { recalled, remember, TAB } from '../ui/memory.js';
import { toast, toastProblem } from '../ui/toast.js';

/** Milliseconds to wait for the disk before saying that it takes long. */
const SAVING = 8000;

/** Milliseconds to wait for a server that is away, which may only be restarting. */
const RETURNING = 1500;

/** Milliseconds after which the person is told that another image is on its way. */
const PATIENCE = 300;

/** Key of the image that was left while it showed a preview, or of TOLD. */
const LEFT = 'collie-left-preview';
const TOLD = 'told';

/**
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {Pick<import('../choosing/acceptance.js').Acceptance, 'accept' | 'eager' | 'missed' | 'preview'>} acceptance
 * @property {Pick<import('../exchange/queue.js').Queue, 'lasting'>} queue
 * @property {(text: string) => void} say for screen readers
 */

/** The ways to another image, which begin when everything is saved and say so when they take a while. */
export class Leaving {
  /**
   * @param {DOMStringMap} data of #app
   * @param {Ports} ports
   */
  constructor(data, ports) {
    this.data = data;
    this.ports = ports;
    this.timer = 0;
    for (const side of ['previous', 'next']) {
      byId(side).addEventListener('click', (e) => {
        const elsewhere = e.ctrlKey || e.metaKey || e.shiftKey; // another tab or window
        if (!elsewhere && byId(side).hasAttribute('href')) this.begin();
      });
    }
    byId('canvas').addEventListener('pointerdown', () => this.stay()); // the person has stopped the browser and goes on here
    addEventListener('pageshow', () => this.stay()); // the page comes back as it was left
    addEventListener('pagehide', () => {
      if (recalled(LEFT, '', TAB) !== TOLD) remember(LEFT, ports.acceptance.preview && !ports.session.readOnly ? data.image ?? '' : '', TAB);
    });
    this.remind();
  }

  /** Says, once in a tab, that the image before has not got the labelling that it showed as a preview. */
  remind() {
    const left = recalled(LEFT, '', TAB);
    if (left === '' || left === TOLD || left === this.data.image) return;
    remember(LEFT, TOLD, TAB);
    toast('The preview of the image before is not accepted', 'A preview becomes the labelling once you accept it.', 'info', { label: 'Back to it', run: () => this.open(`/images/${left}`) });
  }

  /** Opens another page, once everything is saved. @param {string} address */
  async open(address) {
    if (await this.ready()) location.assign(address);
  }

  /** Says that there is no next image, and where to see what is left to do. */
  atEnd() {
    toast('This is the last image in the list', '', 'info', { label: 'See all images', run: () => this.open(`/projects/${this.data.project}`) });
  }

  begin() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      byId('leaving').hidden = false;
      this.ports.say('Opening the image');
    }, PATIENCE);
  }

  stay() {
    clearTimeout(this.timer);
    byId('leaving').hidden = true;
  }

  /** Goes to another image of the project. @param {'next' | 'previous'} side */
  async go(side) {
    const id = this.data[side];
    if (id) await this.open(`/images/${id}`);
    else if (side === 'next') this.atEnd();
    else toast('This is the first image in the project');
  }

  /** Copies the labelling to the next image as its first guess and goes there. */
  async copyOn() {
    const { next = '', image } = this.data;
    if (!this.ports.session.mayChange()) return;
    if (!next) {
      this.atEnd();
      return;
    }
    this.ports.acceptance.accept();
    if (!(await this.ready())) return;
    try {
      await call('POST', `/api/v1/images/${next}/copy`, { from: image });
      location.assign(`/images/${next}`);
    } catch (error) {
      this.stay();
      if (!(error instanceof Problem) || error.status !== 422) return toastProblem(error);
      toast('Nothing copied', error.detail, 'problem', { label: 'Next image', run: () => this.go('next') });
    }
  }

  /** Begins to leave; false when the page has to stay. */
  async ready() {
    this.begin();
    const saved = await this.saved();
    if (!saved) this.stay();
    return saved;
  }

  /** Waits until everything is on disk; false when that takes too long, or when the person waits for a hypothesis that doesn't come. */
  async saved() {
    const { session, acceptance, queue } = this.ports;
    const waits = acceptance.eager;
    const start = performance.now();
    while (acceptance.eager || session.save !== 'saved') {
      if (session.trashed && (queue.lasting || session.evidence.pending.length === 0)) return true; // there is nothing to wait for
      const offline = ['offline', 'signed-out'].includes(session.save);
      if (performance.now() > start + (offline ? RETURNING : SAVING)) {
        toast(offline ? 'The server can’t be reached' : 'Not everything is saved yet', 'Your work is safe. Try again once it says “Saved”.', 'problem');
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return !(waits && acceptance.missed);
  }
}
