/**
 * @template T
 * @typedef {object} DragListener
 * @property {(from: number, to: number) => void} moved the row under the pointer changes its place
 * @property {() => void} dropped it stays there
 * @property {(before: T[]) => void} revert it goes back, and so does all else
 * @property {() => T[]} order
 */

/**
 * Lets the rows of a list be dragged by their grips.
 *
 * @template T
 * @param {HTMLElement} list whose children are the rows
 * @param {DragListener<T>} listener
 */
export function dragRows(list, listener) {
  list.addEventListener('pointerdown', (e) => {
    const grip = e.target instanceof Element ? e.target.closest('[data-slot="grip"]') : null;
    const row = grip?.closest('li');
    if (!row || e.button !== 0 || !(grip instanceof HTMLElement)) return;
    e.preventDefault();
    const before = listener.order();
    row.classList.add('dragged');
    list.setPointerCapture(e.pointerId);

    /** @param {PointerEvent} move */
    const follow = (move) => {
      const rows = [...list.children];
      const from = rows.indexOf(row);
      const others = rows.filter((r) => r !== row);
      const to = others.filter((r) => {
        const box = r.getBoundingClientRect();
        return move.clientY > (box.top + box.bottom) / 2;
      }).length;
      if (to !== from) listener.moved(from, to);
    };
    /** @param {boolean} keep */
    const end = (keep) => {
      list.removeEventListener('pointermove', follow);
      list.removeEventListener('pointerup', drop);
      list.removeEventListener('pointercancel', lose);
      removeEventListener('keydown', escape, true);
      row.classList.remove('dragged');
      if (!keep) listener.revert(before);
      else if (listener.order() !== before) listener.dropped();
    };
    const drop = () => end(true);
    const lose = () => end(false);
    /** @param {KeyboardEvent} key */
    const escape = (key) => {
      if (key.key !== 'Escape') return;
      key.preventDefault();
      key.stopPropagation();
      end(false);
    };
    list.addEventListener('pointermove', follow);
    list.addEventListener('pointerup', drop);
    list.addEventListener('pointercancel', lose);
    addEventListener('keydown', escape, true);
  });
}
