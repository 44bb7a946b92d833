import { counted } from '../ui/numbers.js';

/**
 * The result of an import in words; web/imports.go has the other side.
 *
 * @typedef {object} Imported one mask, or one file of scores or embeddings
 * @property {string} mask its name
 * @property {string} [image] id
 * @property {boolean} [added] whether the image came with it
 * @property {boolean} [replaces] whether the image had labels, whose place it takes
 * @property {number} [seq] number of the image's events after it; none if nothing was stored
 * @property {boolean} [empty] whether the files have no shape for the image
 * @property {string[]} [lossy] what the labelling can't hold
 * @property {string[]} [columns] classes of the columns of scores
 * @property {string} [embedded] size of embeddings, in words
 * @property {string} [problem] why it was not imported
 * @property {string} [thumbnail] PNG in base64
 *
 * @typedef {object} Value a value in masks
 * @property {string} value key in a mapping
 * @property {string} [name] in the file
 * @property {string} [voc] name in PASCAL VOC
 * @property {string | null} class of the project, or to be added to it; null if it is undecided or not known
 * @property {string} color
 * @property {number} masks
 * @property {number} pixels
 *
 * @typedef {object} ImportReport
 * @property {string[]} classes_added
 * @property {Value[]} values
 * @property {Imported[]} images
 */

/**
 * The report in one line.
 *
 * @param {ImportReport} report
 */
export function resultText({ classes_added: classes, images }) {
  const good = images.filter((im) => !im.problem);
  const bad = images.length - good.length;
  const added = good.filter((im) => im.added).length;
  return [
    `${kinds(images)} imported${bad > 0 ? `, ${bad} skipped` : ''}.`,
    added > 0 ? `${counted(added, 'image')} added.` : '',
    ...consequences(good),
    classes.length > 0 ? `${classes.length === 1 ? 'Class' : 'Classes'} added: ${classes.join(', ')}.` : '',
  ].filter(Boolean).join(' ');
}

/**
 * What an import would do, in one line.
 *
 * @param {ImportReport} report of a review
 */
export function reviewText({ images }) {
  const good = images.filter((im) => !im.problem);
  const bad = images.length - good.length;
  const added = good.filter((im) => im.added).length;
  return [
    `${kinds(images)} can be imported${bad > 0 ? `, ${bad} can’t` : ''}.`,
    added > 0 ? `${counted(added, 'image')} will be added.` : '',
    ...consequences(good),
    'Nothing has been stored yet.',
  ].filter(Boolean).join(' ');
}

/** What people may not expect of masks that can be imported. @param {readonly Imported[]} good */
function consequences(good) {
  const replacing = good.filter((im) => im.replaces).length;
  const empty = good.filter((im) => im.empty).length;
  return [
    replacing > 0 ? `The labels of ${counted(replacing, 'image')} are replaced; undo brings them back.` : '',
    empty > 0 ? `${counted(empty, 'image')} without a shape: all pixels are outside every shape.` : '',
  ];
}

/** What can be imported, by kind: '2 masks, 1 first guess and 3 grids of embeddings'. @param {readonly Imported[]} images */
export function kinds(images) {
  const good = images.filter((im) => !im.problem);
  const embedded = good.filter((im) => im.embedded).length;
  const guesses = good.filter((im) => /\.np[zy]$/i.test(im.mask)).length - embedded;
  const masks = good.length - guesses - embedded;
  const out = [];
  if (masks > 0 || guesses + embedded === 0) out.push(counted(masks, 'mask'));
  if (guesses > 0) out.push(counted(guesses, 'first guess', 'first guesses'));
  if (embedded > 0) out.push(counted(embedded, 'grid of embeddings', 'grids of embeddings'));
  return out.length > 2 ? `${out.slice(0, -1).join(', ')} and ${out.at(-1)}` : out.join(' and ');
}

/**
 * Remarks about single masks: first why some were skipped, then what others
 * lost, and what people may not expect of them.
 *
 * @param {ImportReport} report
 * @param {number} [most] lines
 */
export function remarks({ images }, most = 100) {
  const lines = [
    ...images.flatMap((im) => (im.problem ? [`${im.mask}: skipped. ${im.problem}`] : [])),
    ...images.flatMap((im) => (im.problem ? [] : (im.lossy ?? []).map((what) => `${im.mask}: ${what}`))),
    ...named(images, (im) => im.empty, 'no shape'),
    ...named(images, (im) => im.replaces, 'replaces labels'),
    ...images.flatMap((im) => (im.problem || !im.columns ? [] : [`${im.mask}: columns are ${im.columns.join(', ')}`])),
    ...images.flatMap((im) => (im.problem || !im.embedded ? [] : [`${im.mask}: ${im.embedded}`])),
  ];
  return lines.length <= most ? lines : [...lines.slice(0, most), `${lines.length - most} more like these.`];
}

/**
 * A line for each of the masks that something is true of, unless it is true of all.
 *
 * @param {readonly Imported[]} images
 * @param {(im: Imported) => boolean | undefined} holds
 * @param {string} what
 */
function named(images, holds, what) {
  const good = images.filter((im) => !im.problem);
  const some = good.filter(holds);
  return some.length < good.length ? some.map((im) => `${im.mask}: ${what}`) : [];
}
