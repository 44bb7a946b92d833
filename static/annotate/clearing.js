import { byId } from '../ui/dom.js';

/** CSS pixels between the list of classes and a message, which rises by as many. */
const GAP = 6;

/** Ends the list of classes above a message that would lie over it. What is below the list keeps its place, and so does the strip. */
export function clearClasses() {
  const [messages, list] = [byId('toasts'), byId('classes')];
  const panel = /** @type {HTMLElement} */ (list.closest('.classes'));
  const fit = () => {
    panel.style.maxHeight = list.style.marginBottom = '';
    const message = messages.lastElementChild?.getBoundingClientRect();
    const rows = list.getBoundingClientRect();
    if (!message || message.top >= rows.bottom || message.bottom <= rows.top || message.left >= rows.right || message.right <= rows.left) return;
    panel.style.maxHeight = `${panel.getBoundingClientRect().height}px`;
    list.style.marginBottom = `${rows.bottom - message.top + GAP}px`;
  };
  new MutationObserver(fit).observe(messages, { childList: true });
  addEventListener('resize', fit);
}
