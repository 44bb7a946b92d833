/**
 * The element with an id; the templates guarantee that it exists.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return /** @type {T} */ (element);
}

/**
 * A copy of a <template>'s element and a way to its slots.
 *
 * @param {string} id of the template
 */
export function stamp(id) {
  const template = /** @type {HTMLTemplateElement} */ (byId(id));
  const element = /** @type {HTMLElement} */ (document.importNode(template.content, true).firstElementChild);
  /**
   * @template {HTMLElement} [T=HTMLElement]
   * @param {string} name
   * @returns {T}
   */
  const slot = (name) => {
    const found = element.querySelector(`[data-slot="${name}"]`);
    if (!found) throw new Error(`Template #${id} has no slot ${name}.`);
    return /** @type {T} */ (found);
  };
  return { element, slot };
}

/** Whether a click comes from a finger or a pen. Neither can be relied on to hover. @param {Event} e */
export function isTap(e) {
  return e instanceof PointerEvent && (e.pointerType === 'touch' || e.pointerType === 'pen');
}

/** Gives every swatch of the page its colour; a style attribute would need a laxer policy. */
export function colourSwatches() {
  for (const swatch of document.querySelectorAll('.swatch[data-color]')) {
    if (swatch instanceof HTMLElement) swatch.style.backgroundColor = swatch.dataset.color ?? '';
  }
}

/** Lets every button marked data-close close its dialog. */
export function closeButtons() {
  for (const button of document.querySelectorAll('dialog [data-close]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close(''));
  }
}

/**
 * Fills a list with lines of text and hides it when there are none.
 *
 * @param {string} id
 * @param {string[]} lines
 */
export function listLines(id, lines) {
  const list = byId(id);
  list.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }),
  );
  list.hidden = lines.length === 0;
}

/** An element for a name, whose writing direction doesn't turn what is beside it. @param {string} name */
export function ownDirection(name) {
  const element = document.createElement('bdi');
  element.textContent = name;
  return element;
}

/**
 * Scrolls a list until an element in it is in view, without scrolling the page
 * around it, as scrollIntoView would.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement | undefined} element
 */
export function showIn(list, element) {
  if (!element) return;
  const [room, box] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  list.scrollBy(beyond(box.left - room.left, box.right - room.right), beyond(box.top - room.top, box.bottom - room.bottom));
}

/**
 * How far to scroll along one side.
 *
 * @param {number} start of the element after that of the list
 * @param {number} end of the element after that of the list
 */
function beyond(start, end) {
  return start < 0 ? start : Math.max(0, Math.min(start, end));
}

/** @param {HTMLElement} canvas @returns {CanvasRenderingContext2D} */
export function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (/** @type {HTMLCanvasElement} */ (canvas).getContext('2d'));
}
