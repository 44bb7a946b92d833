import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { toastProblem } from '../ui/toast.js';

/**
 * What nobody clicks, as the project has it: the index of a class, null for
 * undecided, or a word.
 *
 * @typedef {number | null | 'undecided-first' | 'nothing'} Rest
 */

/** What each choice means, in a sentence. */
const MEANING = {
  class: 'Fills in from the border of the image and gives way to your clicks.',
  undecided: 'Stays undecided: it is not part of any class in exports.',
  'undecided-first': 'Stays undecided until you click a second class; then the classes share the whole image.',
  nothing: 'Every pixel gets one of the classes you click.',
};

/**
 * The options of the setting, in order.
 *
 * @param {readonly {name: string}[]} classes
 * @returns {{value: string, text: string}[]}
 */
export function restOptions(classes) {
  return [
    ...classes.map(({ name }, i) => ({ value: String(i), text: name })),
    { value: 'null', text: 'undecided' },
    { value: '"undecided-first"', text: 'undecided until a second class is clicked' },
    { value: '"nothing"', text: 'nothing – I click every class' },
  ];
}

/** @param {Rest} rest */
export function restMeaning(rest) {
  return typeof rest === 'number' ? MEANING.class : MEANING[rest ?? 'undecided'];
}

/** The setting below the list of classes. The values of its options are JSON. */
export class RestChoice {
  /** @param {string} address of the project */
  constructor(address) {
    this.address = address;
    this.field = /** @type {HTMLSelectElement} */ (byId('rest'));
    /** The id of the class that nobody need click, or -1. */
    this.id = -1;
    this.field.addEventListener('change', () => this.save());
  }

  /** @param {readonly {id: number, name: string}[]} classes @param {Rest} rest */
  show(classes, rest) {
    const options = restOptions(classes).map(({ value, text }) => new Option(text, value));
    this.field.replaceChildren(...options);
    this.field.value = JSON.stringify(rest);
    this.id = typeof rest === 'number' ? (classes[rest]?.id ?? -1) : -1;
    byId('rest-meaning').textContent = this.field.title = restMeaning(rest);
  }

  /** Stores the choice; the answer, or the message to all pages, shows it. */
  async save() {
    try {
      const { classes, rest } = await call('PATCH', this.address, { rest: JSON.parse(this.field.value) });
      this.show(classes, rest);
    } catch (error) {
      toastProblem(error);
      const { classes, rest } = await call('GET', this.address);
      this.show(classes, rest);
    }
  }
}
