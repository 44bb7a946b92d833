/**
 * @typedef {object} DragListener
 * @property {() => void} started a row is being dragged
 * @property {(from: number, to: number) => void} moved it changes places
 * @property {(changed: boolean) => void} ended it was dropped or the drag was cancelled; whether it has moved
 */

/**
 * Makes the rows of a list draggable by their grips. Rows may come and go during
 * a drag.
 *
 * @param {HTMLElement} list whose children are the rows
 * @param {DragListener} listener
 */
export function dragRows(list, listener) {
  list.addEventListener('pointerdown', (e) => {
    const grip = e.target instanceof Element ? e.target.closest('[data-slot="grip"]') : null;
    const row = grip?.closest('li');
    if (!row || e.button !== 0 || !(grip instanceof HTMLElement)) return;
    e.preventDefault();
    const start = [...list.children].indexOf(row);
    let changed = false;
    row.classList.add('dragged');
    list.setPointerCapture(e.pointerId);
    listener.started();

    /** @param {number} to */
    const move = (to) => {
      const from = [...list.children].indexOf(row);
      if (from < 0 || to === from) return;
      changed = true;
      listener.moved(from, to);
    };
    /** @param {PointerEvent} pointer */
    const follow = ({ clientY }) => {
      const above = [...list.children].filter((r) => {
        const box = r.getBoundingClientRect();
        return r !== row && clientY > (box.top + box.bottom) / 2;
      });
      move(above.length);
    };
    const drop = () => {
      list.removeEventListener('pointermove', follow);
      list.removeEventListener('pointerup', drop);
      list.removeEventListener('pointercancel', lose);
      removeEventListener('keydown', escape, true);
      row.classList.remove('dragged');
      listener.ended(changed);
    };
    const lose = () => {
      move(start);
      drop();
    };
    /** @param {KeyboardEvent} key */
    const escape = (key) => {
      if (key.key !== 'Escape') return;
      key.preventDefault();
      key.stopPropagation();
      lose();
    };
    list.addEventListener('pointermove', follow);
    list.addEventListener('pointerup', drop);
    list.addEventListener('pointercancel', lose);
    addEventListener('keydown', escape, true);
  });
}
