/** Letters that are written from right to left. */
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * A name as a part of a longer text. One that is written from right to left is
 * between characters that isolate it; otherwise 'cup → table' reads as the
 * opposite and the numbers beside it change their places.
 *
 * @param {string} name
 */
export function isolated(name) {
  return FROM_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * The same for names that count as the same: those that differ in upper and lower case,
 * or in how letters with accents are written.
 *
 * @param {string} name
 */
export function folded(name) {
  return name.toLowerCase().normalize();
}

/**
 * The same for names that a search takes for one another. Besides what counts as the same
 * these are 'ß' and 'ss', the letters i of Turkish, and Japanese letters and digits of
 * different widths.
 *
 * @param {string} name
 */
export function sought(name) {
  return folded(name.normalize('NFKC')).replaceAll('i\u0307', 'i').replaceAll('ı', 'i').replaceAll('ß', 'ss');
}
