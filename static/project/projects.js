import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';
import { finder } from './gallery.js';

/** Shows the projects whose names match the text of the filter, if there is one, and says how many. */
export function filterProjects() {
  const input = /** @type {HTMLInputElement | null} */ (document.getElementById('find-project'));
  if (!input) return;
  const cards = /** @type {HTMLElement[]} */ ([...byId('projects').children]);
  const matches = finder(input.value);
  for (const card of cards) card.hidden = !matches(card.querySelector('.card-name')?.textContent ?? '');
  const shown = cards.filter((card) => !card.hidden).length;
  const all = counted(cards.length, 'project');
  byId('project-count').textContent = shown === cards.length ? all : `${shown === 0 ? 'None' : shown} of ${all} ${shown === 1 ? 'matches' : 'match'}`;
}
