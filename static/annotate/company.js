import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';

/**
 * People in a sentence: bob; bob and eve; bob, eve and 3 others.
 *
 * @param {import('../evidence/protocol.js').HereMessage} company
 */
export function inWords({ people, more }) {
  const all = more > 0 ? [...people, counted(more, 'other')] : people;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Shows in the top bar who else has the image open, and says so when somebody comes for the first time. */
export class Company {
  /** @param {(text: string) => void} say */
  constructor(say) {
    this.say = say;
    this.tag = byId('company');
    /** Names that have been said. @type {Set<string>} */
    this.met = new Set();
  }

  /** @param {import('../evidence/protocol.js').HereMessage} company */
  hear(company) {
    const { people, more } = company;
    const words = inWords(company);
    const count = people.length + more;
    this.tag.hidden = count === 0;
    this.tag.title = `${words} ${count > 1 ? 'have' : 'has'} this image open, too`;
    byId('company-names').textContent = words;
    byId('company-count').textContent = `${count}`;
    if (people.some((name) => !this.met.has(name))) this.say(this.tag.title);
    for (const name of people) this.met.add(name);
  }
}
