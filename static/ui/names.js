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
 * The same for names that count as the same, as on the server: those that differ in upper
 * and lower case, in how letters with accents are written, or in marks of direction.
 *
 * @param {string} name
 */
export function folded(name) {
  return name.replace(/[\u061c\u200e\u200f]/g, '').toLowerCase().normalize();
}

/**
 * The same for names that a search takes for one another. Besides what counts as the same
 * these are 'ß' and 'ss', the letters i of Turkish, Japanese letters and digits of
 * different widths, and names with all that gives text a direction, as isolated does.
 *
 * @param {string} name
 */
export function sought(name) {
  return folded(name.replace(/\p{Bidi_Control}/gu, '').normalize('NFKC')).replaceAll('i\u0307', 'i').replaceAll('ı', 'i').replaceAll('ß', 'ss');
}
