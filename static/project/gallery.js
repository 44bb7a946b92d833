import { sought } from '../ui/names.js';
import { percent } from '../ui/numbers.js';

/**
 * Which images a list shows, in which order, and which part of it a window sees.
 * Independent of the page.
 */

/**
 * @typedef {object} ImageRecord
 * @property {string} id
 * @property {string} name
 * @property {number} width
 * @property {number} height
 * @property {number} bytes
 * @property {'untouched' | 'started' | 'done'} status
 * @property {number} decided share of the area that has a class, 0..1
 * @property {number} seq number of evidence events
 * @property {boolean} guessed whether a guess of the project is all there is
 * @property {boolean} guess_only whether a guess is all there is, be it the project's, from imported scores or from another image
 * @property {import('./reviews.js').Review} [review] the status by hand
 * @property {string} [assignee] name of the user who is to work on the image
 * @property {number} [expected_wrong_area] share, 0..1; absent where nothing was asked yet
 */

/** @typedef {{text: string, status: string, review: string, assignee: string, order: string}} Wish review: a status by hand, none, or empty for all; assignee: a name, NOBODY, or empty for all */

/** What stands for nobody among names of users, which begin with a letter or a digit. */
export const NOBODY = '-';

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/**
 * Filters and sorts images, which come in order of upload; ties keep it. Most
 * uncertain first means: guesses and started images by the area that is probably
 * wrong, then untouched ones, then finished ones. Least work first means: guesses by the area
 * that they expect to get wrong, then other untouched images, started ones and
 * finished ones.
 *
 * @param {readonly ImageRecord[]} images
 * @param {Wish} wish
 * @returns {ImageRecord[]}
 */
export function arrange(images, { text, status, review, assignee, order }) {
  const named = finder(text);
  const found = images.filter((im) => {
    const reviewed = review === '' || (im.review?.status ?? 'none') === review;
    const assigned = assignee === '' || (im.assignee ?? NOBODY) === assignee;
    return (status === '' || stateOf(im) === status) && reviewed && assigned && named(im.name);
  });
  if (order === 'name') found.sort((a, b) => names.compare(a.name, b.name));
  if (order === 'uncertain') found.sort((a, b) => uncertainty(b) - uncertainty(a));
  if (order === 'work') found.sort((a, b) => work(a) - work(b));
  return found;
}

/**
 * What finds names by a text: those that have all of its words.
 *
 * @param {string} text
 * @returns {(name: string) => boolean}
 */
export function finder(text) {
  const words = sought(text).split(/\s+/).filter(Boolean);
  return (name) => words.every((word) => sought(name).includes(word));
}

/** @param {ImageRecord} im @returns {number} lower for images that need less work */
function work(im) {
  if (im.guess_only) return im.expected_wrong_area ?? 1;
  return { untouched: 2, started: 3, done: 4 }[im.status];
}

/** @param {ImageRecord} im @returns {number} higher for images that need attention sooner */
function uncertainty(im) {
  if (im.status === 'done') return -2;
  if (im.status === 'untouched' && !im.guess_only) return -1;
  return im.expected_wrong_area ?? 1 - im.decided;
}

const STATES = { untouched: 'Untouched', guessed: 'Guessed', started: 'Started', done: 'Done' };

/** How far an image has come: its status, unless a guess is all there is, whoever it is from. @param {ImageRecord} im */
function stateOf(im) {
  return im.guess_only ? 'guessed' : im.status;
}

/** @param {ImageRecord} im @returns {string} how far an image has come, in few words */
export function stateText(im) {
  const state = stateOf(im);
  return state === 'started' ? `${percent(im.decided)} labelled` : STATES[state];
}

/**
 * Where to continue in a project that somebody has begun: with the first image shown that is to be labelled, or,
 * for those who only review, the first one that is done and waits for them.
 *
 * @param {readonly ImageRecord[]} images of the project
 * @param {readonly ImageRecord[]} shown in order
 * @param {boolean} [reviewing]
 */
export function goOn(images, shown, reviewing = false) {
  if (reviewing) return shown.find(waits);
  return images.some((im) => im.status !== 'untouched') ? shown.find(unfinished) : undefined;
}

/** Whether an image is to be labelled: its status by hand says so, and without one its labels. The start page counts the same. @param {ImageRecord} im */
function unfinished({ status, review }) {
  return review ? ['todo', 'progress', 'rejected'].includes(review.status) : status !== 'done';
}

/** @param {ImageRecord} im @returns {boolean} whether it is done, and nobody has judged it as it is now */
function waits({ status, seq, review }) {
  if (review?.status === 'approved' || review?.status === 'rejected') return status === 'done' && seq > review.seq;
  return status === 'done' || review?.status === 'done';
}

/**
 * How many images have come how far.
 *
 * @param {readonly ImageRecord[]} images
 * @returns {Record<string, number>}
 */
export function tally(images) {
  /** @type {Record<string, number>} */
  const counts = { '': images.length, untouched: 0, guessed: 0, started: 0, done: 0 };
  for (const im of images) counts[stateOf(im)]++;
  return counts;
}

/**
 * How many images there are of each kind, and of all under the empty text.
 *
 * @param {readonly ImageRecord[]} images
 * @param {(im: ImageRecord) => string} kind
 * @returns {Record<string, number>}
 */
export function tallyBy(images, kind) {
  /** @type {Record<string, number>} */
  const counts = Object.create(null); // names can be those of an object's own properties
  counts[''] = images.length;
  for (const im of images) counts[kind(im)] = (counts[kind(im)] ?? 0) + 1;
  return counts;
}

/**
 * The images from one place of a list to another, both included.
 *
 * @param {readonly {id: string}[]} images
 * @param {string} from id
 * @param {string} to id
 * @returns {string[]} ids; only the second one when the first is not in the list
 */
export function between(images, from, to) {
  const places = [from, to].map((id) => images.findIndex((im) => im.id === id));
  if (places[0] < 0) return [to];
  return images.slice(Math.min(...places), Math.max(...places) + 1).map((im) => im.id);
}

/**
 * The part of a grid of equally high rows that must exist.
 *
 * @param {object} grid
 * @param {number} grid.count cells
 * @param {number} grid.columns
 * @param {number} grid.row height of a row with its gap, in pixels
 * @param {number} grid.top of the window, in pixels below the top of the grid; negative above it
 * @param {number} grid.height of the window
 * @param {number} [grid.spare] rows beyond the window, on both sides
 * @returns {{from: number, to: number, above: number, below: number}} the cells from..to-1, and the rows left out on both sides
 */
export function windowOf({ count, columns, row, top, height, spare = 3 }) {
  const rows = Math.ceil(count / columns);
  const first = Math.max(0, Math.min(rows - 1, Math.floor(top / row) - spare));
  const last = Math.max(first, Math.min(rows - 1, Math.floor((top + height) / row) + spare));
  return { from: first * columns, to: Math.min(count, (last + 1) * columns), above: first, below: Math.max(0, rows - 1 - last) };
}

/**
 * The cell that a key leads to in a grid, or -1.
 *
 * @param {string} key
 * @param {number} at
 * @param {number} columns
 * @param {number} count
 * @returns {number}
 */
export function stepTo(key, at, columns, count) {
  /** @type {Record<string, number>} */
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - columns, ArrowDown: at + columns, Home: 0, End: count - 1 };
  const to = steps[key] ?? -1;
  return to >= 0 && to < count ? to : -1;
}
