import { keyOf } from '../ui/keys.js';

/**
 * Every key of the annotation page, once: what it does, how it is shown, and
 * which command it gives. The help sheet is made from this table.
 *
 * @typedef {object} Binding
 * @property {string} group
 * @property {string} shown keys as people read them
 * @property {string} does
 * @property {[string, Command][]} commands pairs of key combination and command
 * @property {Right} [needs] a right without which it does nothing
 *
 * @typedef {'annotate' | 'review'} Right
 * @typedef {import('./commands.js').CommandName} CommandName
 * @typedef {CommandName | `${CommandName} ${string}`} Command with its argument after a space
 */

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'];

/**
 * The arrow keys with one command, whose argument is the direction.
 *
 * @param {string} held
 * @param {CommandName} command
 * @returns {[string, Command][]}
 */
const arrows = (held, command) => ['left', 'right', 'up', 'down'].map((way) => [`${held}arrow${way}`, `${command} ${way}`]);

/** @type {Binding[]} */
export const BINDINGS = [
  { group: 'Label', shown: 'Click, drag', does: 'Draw with the active tool and class', commands: [], needs: 'annotate' },
  { group: 'Label', shown: 'Alt + click', does: 'Clear superpixels; so does the other end of a pen', commands: [], needs: 'annotate' },
  { group: 'Label', shown: 'Z + click', does: 'Not the active class: hold Z while you click or drag', commands: [['z', 'exclude']], needs: 'annotate' },
  { group: 'Label', shown: 'I, right-click', does: 'Pick the class under the cursor', commands: [['i', 'pick']] },
  { group: 'Label', shown: '1 … 9, 0', does: 'Choose class 1 to 10', commands: digits.map((d, i) => [d, `class ${i}`]), needs: 'annotate' },
  { group: 'Label', shown: 'Shift + 1 … 0', does: 'Choose class 11 to 20', commands: digits.map((d, i) => [`shift+${d}`, `class ${i + 10}`]), needs: 'annotate' },
  { group: 'Label', shown: 'L', does: 'Find a class by name', commands: [['l', 'find']] },
  { group: 'Label', shown: 'N', does: 'Add a class', commands: [['n', 'add-class']], needs: 'annotate' },
  { group: 'Label', shown: 'Alt + ↑ ↓', does: 'Move the focused class in the list (reach it with Tab and the arrow keys), not the active one', commands: [], needs: 'annotate' },
  { group: 'Label', shown: 'F2', does: 'Rename the active class', commands: [['f2', 'rename-class']], needs: 'annotate' },
  { group: 'Label', shown: 'Shift + L', does: 'Lock or unlock the active class: nothing paints over a locked one, and whole superpixels that contain part of it stay as they are', commands: [['shift+l', 'lock-class']], needs: 'annotate' },

  { group: 'Tools', shown: 'S', does: 'Superpixels', commands: [['s', 'tool superpixel']], needs: 'annotate' },
  { group: 'Tools', shown: 'B', does: 'Brush', commands: [['b', 'tool brush']], needs: 'annotate' },
  { group: 'Tools', shown: 'E', does: 'Eraser', commands: [['e', 'tool eraser']], needs: 'annotate' },
  { group: 'Tools', shown: 'V', does: 'Polygon: click corners, or drag around an area; Enter or a double click closes it, Backspace removes the last', commands: [['v', 'tool polygon']], needs: 'annotate' },
  { group: 'Tools', shown: 'R', does: 'Rectangle', commands: [['r', 'tool rectangle']], needs: 'annotate' },
  { group: 'Tools', shown: 'O', does: 'Object box: drag it around the object; a click in a box, or Delete, removes it', commands: [['o', 'tool box']], needs: 'annotate' },
  { group: 'Tools', shown: 'T', does: 'Objects: click each of several touching objects of one class; drag from a number to give that object more; to join one again, click the same place or Alt + click anywhere in it', commands: [['t', 'tool objects']], needs: 'annotate' },
  { group: 'Tools', shown: '[  ]', does: 'Narrower and wider brush', commands: [['[', 'thinner'], [']', 'wider']], needs: 'annotate' },
  { group: 'Tools', shown: 'Ctrl + drag', does: 'Draw exact pixels instead of superpixels', commands: [], needs: 'annotate' },
  { group: 'Tools', shown: 'Q', does: 'Exact-pixel mode', commands: [['q', 'exact']], needs: 'annotate' },

  { group: 'Hypotheses', shown: '.  ,', does: 'Next and previous hypothesis', commands: [['.', 'walk-on'], [',', 'walk-back']] },
  { group: 'Hypotheses', shown: 'Click', does: 'Accept the hypothesis on a card', commands: [], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Shift + click', does: 'Keep a card’s preview, to accept regions of it', commands: [], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Enter', does: 'Accept the previewed hypothesis', commands: [['enter', 'accept']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Shift + Enter', does: 'Accept only the region under the cursor', commands: [['shift+enter', 'accept-region']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'X', does: 'Alternatives for the region under the cursor, and how the image would change with another class there; resting the pointer shows them, too', commands: [['x', 'alternatives']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'W', does: 'Go to the most useful next click; again for the next one. A class key labels it', commands: [['w', 'next-click']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'M', does: 'Stop searching, or search for more hypotheses', commands: [['m', 'search']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Ctrl + Enter', does: 'Accept and go to the next image', commands: [['ctrl+enter', 'accept-next']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Shift + D', does: 'Copy the labelling to the next image as its first guess, and go there', commands: [['shift+d', 'copy-next']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'F', does: 'Remove the guess from finished images, imported scores or another image', commands: [['f', 'unguess']], needs: 'annotate' },
  { group: 'Hypotheses', shown: 'Esc', does: 'Leave the preview, so that only your clicks count; cancel a stroke or polygon', commands: [['escape', 'cancel']] },

  { group: 'View', shown: 'Wheel', does: 'Zoom at the cursor', commands: [] },
  { group: 'View', shown: 'Space + drag', does: 'Pan (or drag with the middle button, or swipe to the side)', commands: [] },
  { group: 'View', shown: 'Ctrl + 0', does: 'Fit image to window', commands: [['ctrl+0', 'fit']] },
  { group: 'View', shown: 'Ctrl + 1', does: 'Zoom to 100 %', commands: [['ctrl+1', 'full-size']] },
  { group: 'View', shown: 'H', does: 'Hide the labelling; hold to peek', commands: [['h', 'overlay']] },
  { group: 'View', shown: 'Shift + H', does: 'Outlines only, so that the photograph stays visible', commands: [['shift+h', 'outlines']] },
  { group: 'View', shown: 'J  K', does: 'Less and more opacity', commands: [['j', 'fainter'], ['k', 'stronger']] },
  { group: 'View', shown: 'G', does: 'Superpixel boundaries', commands: [['g', 'boundaries']] },
  { group: 'View', shown: 'U', does: 'Uncertainty', commands: [['u', 'uncertainty']] },
  { group: 'View', shown: 'C', does: 'View settings: opacity, outlines, superpixels, brightness, contrast', commands: [['c', 'tones']] },
  { group: 'View', shown: 'P', does: 'Show patterns with colours', commands: [['p', 'patterns']] },
  { group: 'View', shown: '-  +', does: 'Coarser and finer superpixels', commands: [['-', 'coarser'], ['=', 'finer'], ['+', 'finer']], needs: 'annotate' },

  { group: 'Without a mouse', shown: 'Arrow keys', does: 'Move between superpixels; with other tools, move a point', commands: arrows('', 'move') },
  { group: 'Without a mouse', shown: 'Shift + arrow keys', does: 'Move farther', commands: arrows('shift+', 'move-far') },
  { group: 'Without a mouse', shown: 'Alt + arrow keys', does: 'Pan', commands: arrows('alt+', 'pan') },
  { group: 'Without a mouse', shown: 'Space', does: 'Label the focused superpixel; with other tools, paint or set a corner', commands: [], needs: 'annotate' },
  { group: 'Without a mouse', shown: 'Space + arrow keys', does: 'Draw with the brush, or size a rectangle', commands: [], needs: 'annotate' },
  { group: 'Without a mouse', shown: 'Enter', does: 'Finish a polygon or rectangle', commands: [], needs: 'annotate' },
  { group: 'Without a mouse', shown: 'Delete', does: 'Clear the focused superpixel', commands: [['delete', 'clear'], ['backspace', 'clear']], needs: 'annotate' },

  { group: 'Work', shown: 'Ctrl + Z', does: 'Undo', commands: [['ctrl+z', 'undo']], needs: 'annotate' },
  { group: 'Work', shown: 'Ctrl + Shift + Z, Ctrl + Y', does: 'Redo', commands: [['ctrl+shift+z', 'redo'], ['ctrl+y', 'redo']], needs: 'annotate' },
  { group: 'Work', shown: 'Y', does: 'History: view and restore earlier states', commands: [['y', 'history']] },
  { group: 'Work', shown: 'Ctrl + E', does: 'Export the mask', commands: [['ctrl+e', 'export']] },
  { group: 'Work', shown: 'Ctrl + S', does: 'Check save state', commands: [['ctrl+s', 'saved']], needs: 'annotate' },
  { group: 'Work', shown: 'D, PageDown', does: 'Next image', commands: [['d', 'next'], ['pagedown', 'next']] },
  { group: 'Work', shown: 'Ctrl + Shift + Enter', does: 'Approve the image and go to the next', commands: [['ctrl+shift+enter', 'approve-next']], needs: 'review' },
  { group: 'Work', shown: 'A, PageUp', does: 'Previous image', commands: [['a', 'previous'], ['pageup', 'previous']] },
  { group: 'Work', shown: '?', does: 'How it works, and keyboard shortcuts', commands: [['?', 'help'], ['shift+/', 'help']] },
];

/** The keys of a person. @param {Right[]} rights that the person has */
export function bindingsFor(rights) {
  return BINDINGS.filter(({ needs }) => !needs || rights.includes(needs));
}

const commands = new Map(BINDINGS.flatMap((b) => b.commands));

/**
 * @typedef {{key: string, code: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean}} Stroke
 */

/**
 * The combination that was pressed, as the table writes it. Digits go by their
 * place on the keyboard, since Shift turns them into other characters. Only '?', which
 * is Shift + 7 in Russian, goes by what it writes.
 *
 * @param {Stroke} e
 * @returns {string}
 */
function combination(e) {
  const digit = e.key === '?' ? undefined : /^(?:Digit|Numpad)(\d)$/.exec(e.code)?.[1];
  const key = digit ?? keyOf(e);
  // On many keyboards a bracket is AltGr and another key, often a digit; Windows reports
  // AltGr as Ctrl and Alt, a Mac as Alt.
  if ('[]'.includes(e.key) && !e.metaKey && (digit || (key === e.key && (e.altKey || !e.ctrlKey)))) return e.key;
  const written = key.length === 1 && key === e.key && !digit && key.toUpperCase() === key; // punctuation holds its Shift already
  const control = e.ctrlKey || e.metaKey ? 'ctrl+' : '';
  const shift = e.shiftKey && !written ? 'shift+' : '';
  return control + (e.altKey ? 'alt+' : '') + shift + key;
}

/**
 * @param {Stroke} e
 * @returns {Command | undefined}
 */
export function commandOf(e) {
  return commands.get(combination(e));
}

/** Keys other than arrows that move a slider. */
const SLIDING = ['Home', 'End', 'PageUp', 'PageDown'];

/**
 * Whether a control keeps a key to itself.
 *
 * @param {string} kind see kindOf
 * @param {Pick<Stroke, 'key' | 'ctrlKey' | 'metaKey'>} e
 */
export function keeps(kind, { key, ctrlKey, metaKey }) {
  if (kind === 'text') return true;
  if (ctrlKey || metaKey || kind === '') return false;
  if (kind === 'list') return true;
  if (key === ' ') return kind !== 'range';
  if (key === 'Enter') return kind === 'button';
  if (key.startsWith('Arrow')) return kind === 'range' || kind === 'radio';
  return kind === 'range' && SLIDING.includes(key);
}

/**
 * What a control takes from the keyboard: 'text', 'list' (a letter chooses in it),
 * 'range', 'radio', 'checkbox', 'button', or '' for nothing.
 *
 * @param {HTMLElement} element
 */
function kindOf(element) {
  if (element instanceof HTMLSelectElement) return 'list';
  if (element instanceof HTMLInputElement) {
    if (['range', 'radio', 'checkbox'].includes(element.type)) return element.type;
    return ['color', 'file', 'button', 'submit', 'reset'].includes(element.type) ? 'button' : 'text';
  }
  if (element.matches('textarea, [contenteditable]')) return 'text';
  return element.matches('button, a[href], summary') ? 'button' : '';
}

/**
 * Whether a key belongs to the element that has the focus: to a field that takes
 * text, or to a control that this key works on.
 *
 * @param {Element | null} focused
 * @param {Stroke} e
 */
export function belongsTo(focused, e) {
  return focused instanceof HTMLElement && keeps(kindOf(focused), e);
}
