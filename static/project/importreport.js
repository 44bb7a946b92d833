import { counted } from '../ui/numbers.js';

/**
 * The result of an import in words; web/imports.go has the other side.
 *
 * @typedef {object} Imported one mask, or one file of scores
 * @property {string} mask its name
 * @property {string} [image] id
 * @property {boolean} [added] whether the image came with it
 * @property {string[]} [lossy] what the labelling can't hold
 * @property {string} [problem] why it was not imported
 *
 * @typedef {object} ImportReport
 * @property {string[]} classes_added
 * @property {Imported[]} images
 */

/**
 * The report in one line.
 *
 * @param {ImportReport} report
 */
export function resultText({ classes_added: classes, images }) {
  const good = images.filter((im) => !im.problem);
  const guesses = good.filter((im) => /\.npz$/i.test(im.mask)).length;
  const masks = good.length - guesses;
  const kinds = [];
  if (masks > 0 || guesses === 0) kinds.push(counted(masks, 'mask'));
  if (guesses > 0) kinds.push(counted(guesses, 'first guess', 'first guesses'));
  const bad = images.length - good.length;
  const added = good.filter((im) => im.added).length;
  return [
    `${kinds.join(' and ')} imported${bad > 0 ? `, ${bad} skipped` : ''}.`,
    added > 0 ? `${counted(added, 'image')} added.` : '',
    classes.length > 0 ? `${classes.length === 1 ? 'Class' : 'Classes'} added: ${classes.join(', ')}.` : '',
  ].filter(Boolean).join(' ');
}

/**
 * Remarks about single masks: first why some were skipped, then what others
 * lost.
 *
 * @param {ImportReport} report
 * @param {number} [most] lines
 */
export function remarks({ images }, most = 100) {
  const lines = [
    ...images.flatMap((im) => (im.problem ? [`${im.mask}: skipped. ${im.problem}`] : [])),
    ...images.flatMap((im) => (im.problem ? [] : (im.lossy ?? []).map((what) => `${im.mask}: ${what}`))),
  ];
  return lines.length <= most ? lines : [...lines.slice(0, most), `${lines.length - most} more like these.`];
}
