/** What a key of another alphabet writes; 'لا' is one key on Arabic keyboards. */
const OTHER_SCRIPT = /[^\p{scx=Latin}\p{scx=Common}\p{scx=Inherited}]/u;

/**
 * Punctuation of those keyboards at the place of a letter, where no Latin keyboard has it:
 * Hebrew, Greek and Bulgarian, and Arabic with Shift.
 */
const AT_LETTERS = new Set(['/KeyQ', "'KeyW", ';KeyQ', ',KeyQ', ']KeyD', '/KeyL']);

/** @type {Record<string, string | undefined>} other keys at whose place those keyboards can have a letter */
const PLACES = { BracketLeft: '[', BracketRight: ']', Comma: ',', Period: '.', Slash: '/', Minus: '-', Equal: '=' };

/**
 * The key of a shortcut, in lower case. It is what the key writes. On keyboards of other
 * alphabets it is what the same place writes on an English one, so that they have all
 * letters; 'ö', 'ı' and other Latin letters stay what they are.
 *
 * @param {Pick<KeyboardEvent, 'key' | 'code'>} e
 */
export function keyOf({ key, code }) {
  if (OTHER_SCRIPT.test(key) || AT_LETTERS.has(key + code)) {
    const place = /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? PLACES[code];
    if (place) return place;
  }
  return key.toLowerCase();
}

/**
 * Whether an input method, such as one for Japanese, takes the key: Enter then chooses
 * what it has suggested. Safari ends the composition before the key and only gives it
 * the code 229.
 *
 * @param {Pick<KeyboardEvent, 'isComposing' | 'keyCode'>} e
 */
export function composing({ isComposing, keyCode }) {
  return isComposing || keyCode === 229;
}
