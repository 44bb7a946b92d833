import { call, Problem } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { newID } from '../evidence/protocol.js';
import { paintEffort } from './effort.js';
import { keepOrder } from './order.js';
import { seenGuesses } from './seen.js';
import { counted, percent } from '../ui/numbers.js';
import { insist, pause, waitText } from '../ui/patience.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * What a project has learned, see GET learning.
 *
 * @typedef {object} Learning
 * @property {boolean} on
 * @property {number} finished images
 * @property {number} fewest finished images from which on anything is guessed
 * @property {number} model number of the model; 0 before the first
 * @property {number} learnt finished images that it was trained from
 * @property {boolean} guessing whether its guesses are expected to save work
 * @property {number} saved share of the actions that they save, 0..1
 * @property {boolean} affinities whether it has learned about borders between superpixels, too
 * @property {boolean} training
 * @property {{running: boolean, total: number, done: number}} prelabelling
 * @property {Expected[]} images untouched, least expected work first
 * @property {import('./effort.js').Finished[]} done
 *
 * @typedef {{id: string, guessed: boolean, expected_wrong_area?: number}} Expected
 * @typedef {Pick<import('./images.js').ImageList, 'images' | 'load'>} Images
 */

/** Milliseconds until the state of what is under way is asked for again, at least. */
const AGAIN = 1000;

/** How much longer that is than the answer took, which has all images of the project: with 20,000 of them 0.3 s. */
const SPARING = 10;

/**
 * Where a project's learning stands, in a sentence.
 *
 * @param {Pick<Learning, 'on' | 'finished' | 'fewest' | 'model' | 'learnt' | 'guessing' | 'saved' | 'affinities' | 'training' | 'images'>} learning
 */
export function learningText({ on, finished, fewest, model, learnt, guessing, saved, affinities, training, images }) {
  if (!on) return 'Guessing is off. Guesses that nobody had worked on are removed.';
  if (finished < fewest && model === 0) return `Collie guesses the rest once ${fewest} images are finished: ${fewest - finished} to go.`;
  if (model === 0) return training ? 'Learning from the finished images.' : 'Nothing learned yet.';
  const borders = affinities ? ', also which borders matter' : '';
  const from = `Learned from ${counted(learnt, 'finished image')}${borders}${training ? ', learning more' : ''}.`;
  if (!guessing) return `${from} Its guesses wouldn’t save you work yet, so it makes none. It tries again when more images are finished.`;
  const guessed = images.filter((im) => im.guessed).length;
  const help = `${from} Its guesses save ${saved < 0.95 ? `about ${percent(saved)} of the` : 'nearly all'} actions.`;
  return images.length === 0 ? help : `${help} ${guessed} of ${counted(images.length, 'untouched image')} guessed.`;
}

/**
 * The images that have nothing but a guess, by the project or from elsewhere, least
 * expected work first.
 *
 * @param {readonly Expected[]} untouched
 * @param {readonly (Expected & {status: string, guess_only: boolean})[]} records of all images, which can be older
 * @returns {Expected[]}
 */
export function toReview(untouched, records) {
  const others = records.filter((im) => im.status === 'started' && im.guess_only);
  const work = (/** @type {Expected} */ im) => im.expected_wrong_area ?? 1;
  return [...untouched.filter((im) => im.guessed), ...others].sort((a, b) => work(a) - work(b));
}

/** The part of the project's page that says what the project has learned. */
export class LearningPanel {
  /**
   * @param {string} project
   * @param {Images} images
   */
  constructor(project, images) {
    this.project = project;
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.images = images;
    this.on = /** @type {HTMLInputElement} */ (byId('learning-on'));
    this.timer = 0;
    /** Whether guesses were being made when last asked, so the images on screen may be out of date. */
    this.running = false;
    this.on.addEventListener('change', () => void this.act(() => call('PATCH', this.address, { learning: this.on.checked })));
    byId('prelabel').addEventListener('click', () => void this.act(() => this.prelabel()));
    byId('accept-seen').addEventListener('click', () => void this.acceptSeen());
    addEventListener('pageshow', (e) => e.persisted && void this.load());
  }

  /** Shows the current state, and again later while something is under way. */
  async load() {
    clearTimeout(this.timer);
    const asked = performance.now();
    try {
      /** @type {Learning} */
      const learning = await insist(() => call('GET', `${this.address}/learning`), {
        wait: (problem, seconds) => void (byId('learning-text').textContent = waitText(problem, seconds)),
        pause,
      });
      const took = performance.now() - asked;
      const ended = this.running && !learning.prelabelling.running;
      this.running = learning.prelabelling.running;
      if (ended) await this.images.load();
      this.paint(learning);
      if (learning.training || this.running) this.timer = window.setTimeout(() => void this.load(), Math.max(AGAIN, SPARING * took));
    } catch (error) {
      toastProblem(error);
    }
  }

  async prelabel() {
    await call('POST', `${this.address}/guesses`);
    this.running = true; // a few images are all guessed before the state is asked for
  }

  /** @param {() => Promise<unknown>} change */
  async act(change) {
    try {
      await change();
    } catch (error) {
      toastProblem(error);
    }
    await this.load();
  }

  /** @param {Learning} learning */
  paint(learning) {
    const { on, finished, guessing, prelabelling, images, done } = learning;
    const review = toReview(images, this.images.images);
    byId('learning').hidden = on && finished === 0 && review.length === 0;
    this.on.checked = on;
    const text = learningText(learning);
    if (byId('learning-text').textContent !== text) byId('learning-text').textContent = text;
    const left = images.filter((im) => !im.guessed).length;
    this.offer('prelabel', on && guessing && left > 0 && !prelabelling.running, `Guess ${counted(left, 'image')}`);
    byId('prelabelling').hidden = !prelabelling.running;
    byId('prelabelling-text').textContent = `${prelabelling.done} of ${counted(prelabelling.total, 'image')} guessed`;
    const bar = /** @type {HTMLProgressElement} */ (byId('prelabelling-bar'));
    bar.max = Math.max(1, prelabelling.total);
    bar.value = prelabelling.done;
    this.offer('review', review.length > 0, `Review ${counted(review.length, 'guess', 'guesses')}`);
    const link = /** @type {HTMLAnchorElement} */ (byId('review'));
    if (review.length > 0) link.href = `/images/${review[0].id}`;
    link.onclick = () => keepOrder(this.project, review);
    const seen = seenGuesses(this.project, this.images.images);
    this.offer('accept-seen', seen.length > 0, `Accept ${counted(seen.length, 'guess', 'guesses')} you have seen`);
    paintEffort(done);
  }

  /** @param {string} id of a button @param {boolean} shown @param {string} text */
  offer(id, shown, text) {
    const button = byId(id);
    const focused = button === document.activeElement;
    const mayNot = button.dataset.role === 'annotator' && !byId('learning').hasAttribute('data-annotator');
    button.hidden = !shown || mayNot;
    byId(`${id}-text`).textContent = text;
    if (focused && button.hidden) byId('learning-title').focus();
  }

  /** Accepts the guesses that the person has had on screen and that are the same still. */
  async acceptSeen() {
    /** @type {{id: string, seq: number}[]} */
    const accepted = [];
    let changed = 0;
    for (const { id, seq, digest } of seenGuesses(this.project, this.images.images)) {
      try {
        accepted.push({ id, seq: await append(id, seq, { kind: 'accept', hypothesis: { rank: 0, digest } }) });
      } catch (error) {
        if (error instanceof Problem && error.status === 409) changed++;
        else {
          toastProblem(error);
          break;
        }
      }
    }
    await this.images.load();
    await this.load();
    const others = changed === 0 ? '' : `${counted(changed, 'guess has', 'guesses have')} changed since you saw ${changed === 1 ? 'it' : 'them'}. Open ${changed === 1 ? 'it' : 'them'} again.`;
    const undo = { label: 'Undo', run: () => this.takeBack(accepted) };
    toast(`${counted(accepted.length, 'guess', 'guesses')} accepted`, others, 'info', accepted.length > 0 ? undo : undefined);
  }

  /** @param {{id: string, seq: number}[]} accepted */
  async takeBack(accepted) {
    for (const { id, seq } of accepted) await append(id, seq, { kind: 'undo' });
    await this.images.load();
    await this.load();
  }
}

/**
 * Adds an event to the evidence of an image.
 *
 * @param {string} image
 * @param {number} seq number of events that it was made for
 * @param {object} event
 * @returns {Promise<number>} number of events there are then
 */
async function append(image, seq, event) {
  const answer = await call('POST', `/api/v1/images/${encodeURIComponent(image)}/evidence`, { id: newID(), expected_seq: seq, ...event });
  return answer.seq;
}
