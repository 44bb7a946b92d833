/**
 * @typedef {object} GestureHandlers all coordinates are CSS pixels within the element
 * @property {(mode: 'paint' | 'clear', x: number, y: number, exact: boolean) => void} begin
 * @property {(x: number, y: number) => void} extend
 * @property {() => void} end
 * @property {() => void} cancel
 * @property {(x: number, y: number) => void} pick
 * @property {(x: number, y: number, touch: boolean) => void} hover
 * @property {() => void} leave
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, x: number, y: number) => void} zoom
 * @property {() => boolean} panning whether the primary button pans at present
 * @property {() => boolean} precise whether Ctrl means pixels at present, and not the class under the cursor
 */

const MAC = typeof navigator === 'object' && /Mac|iPhone|iPad/.test(navigator.platform);

/** Milliseconds within which a second finger turns a stroke into a pinch. */
const SECOND_FINGER = 300;

/** CSS pixels that a finger rolls without meaning to; one that has moved no farther has drawn nothing yet. */
const ROLL = 8;

/** The other end of a pen, among buttons. */
const ERASER = 5;

/** Turns the events of mouse, pen and touch on an element into strokes, pans and zooms. */
export class Gestures {
  /**
   * @param {HTMLElement} element
   * @param {GestureHandlers} on
   */
  constructor(element, on) {
    this.element = element;
    this.on = on;
    /** @type {Map<number, {x: number, y: number}>} pressed, by id */
    this.pointers = new Map();
    /** @type {'none' | 'stroke' | 'pan' | 'pinch'} */
    this.mode = 'none';
    /** What the gesture in progress is made with. */
    this.hand = '';
    this.began = { x: 0, y: 0, time: 0 };
    element.addEventListener('pointerdown', (e) => this.press(e));
    element.addEventListener('pointermove', (e) => this.move(e));
    element.addEventListener('pointerup', (e) => this.release(e, false));
    element.addEventListener('pointercancel', (e) => this.release(e, true));
    element.addEventListener('pointerleave', () => {
      if (this.pointers.size === 0) on.leave();
    });
    element.addEventListener('contextmenu', (e) => e.preventDefault());
    element.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
  }

  /** @param {MouseEvent} e @returns {{x: number, y: number}} CSS pixels within the element */
  place(e) {
    const box = this.element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  /** @param {PointerEvent} e */
  press(e) {
    const { element, on, pointers } = this;
    const p = this.place(e);
    const secondary = e.ctrlKey && (MAC || !on.precise()); // on a Mac that is the secondary click, and Cmd is Ctrl
    if (e.button === 2 || (e.button === 0 && secondary)) {
      on.pick(p.x, p.y);
      return;
    }
    const erases = e.button === ERASER;
    if (e.button > 1 && !erases) return;
    if (pointers.size > 0 && e.pointerType !== this.hand) {
      if (e.pointerType !== 'pen') return; // a palm beside the pen
      this.drop(); // what the palm did before the pen arrived
    }
    this.hand = e.pointerType;
    element.focus({ preventScroll: true });
    getSelection()?.removeAllRanges(); // as Ctrl + A leaves one, which a press on an image doesn't end
    if (e.pointerType !== 'mouse') e.preventDefault(); // no mouse events follow, which would take the focus from what the tap has opened
    element.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, p);
    if (pointers.size === 2) {
      if (this.mode === 'stroke') {
        if (this.drawn([...pointers.values()][0])) on.end();
        else on.cancel();
      }
      this.mode = 'pinch';
    } else if (e.button === 1 || on.panning()) {
      this.mode = 'pan';
      element.dataset.panning = '';
      e.preventDefault();
    } else if (this.mode === 'none') {
      this.mode = 'stroke';
      this.began = { ...p, time: performance.now() };
      on.begin(e.altKey || erases ? 'clear' : 'paint', p.x, p.y, e.ctrlKey || e.metaKey);
    }
  }

  /** Whether the stroke in progress is more than a first finger of two. @param {{x: number, y: number}} now */
  drawn({ x, y }) {
    const { began } = this;
    return performance.now() - began.time >= SECOND_FINGER && Math.hypot(x - began.x, y - began.y) > ROLL;
  }

  /** @param {PointerEvent} e */
  move(e) {
    if (e.buttons === 0) this.release(e, false); // the browser has missed it, as when the screen was locked meanwhile
    const { on, pointers, mode } = this;
    const p = this.place(e);
    const before = pointers.get(e.pointerId);
    if (!before) {
      if (pointers.size === 0) on.hover(p.x, p.y, e.pointerType === 'touch');
      return;
    }
    if (mode === 'pan') on.pan(p.x - before.x, p.y - before.y);
    else if (mode === 'pinch') this.pinch(e.pointerId, before, p);
    else if (mode === 'stroke') {
      const samples = e.getCoalescedEvents?.() ?? [];
      for (const sample of samples.length > 0 ? samples : [e]) {
        const { x, y } = this.place(sample);
        on.extend(x, y);
      }
      on.hover(p.x, p.y, e.pointerType === 'touch');
    }
    pointers.set(e.pointerId, p);
  }

  /** @param {number} id @param {{x: number, y: number}} before @param {{x: number, y: number}} now */
  pinch(id, before, now) {
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const length = Math.hypot(before.x - other.x, before.y - other.y);
    const factor = length > 0 ? Math.hypot(now.x - other.x, now.y - other.y) / length : 1;
    this.on.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    this.on.zoom(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  /** @param {PointerEvent} e @param {boolean} lost */
  release(e, lost) {
    const { on, pointers } = this;
    if (!pointers.delete(e.pointerId)) return;
    if (this.mode === 'stroke') {
      if (lost) on.cancel();
      else on.end();
    }
    if (pointers.size === 0) this.finish();
    else this.mode = 'pan';
  }

  /** A wheel zooms; a swipe to the side, as on a trackpad, pans. @param {WheelEvent} e */
  wheel(e) {
    e.preventDefault();
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : e.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 300 : 1;
    const { x, y } = this.place(e);
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      this.on.pan(-e.deltaX * unit, 0);
      this.on.hover(x, y, false);
      return;
    }
    const delta = Math.max(-240, Math.min(240, e.deltaY * unit)) * (e.ctrlKey ? 4 : 1);
    this.on.zoom(Math.exp(-delta * 0.002), x, y);
  }

  finish() {
    this.mode = 'none';
    delete this.element.dataset.panning;
  }

  /** Cancels a stroke that is in progress. @returns {boolean} whether there was one */
  cancel() {
    if (this.mode !== 'stroke') return false;
    this.drop();
    return true;
  }

  /** Ends the gesture in progress; a stroke leaves nothing behind. */
  drop() {
    if (this.mode === 'stroke') this.on.cancel();
    this.finish();
    this.pointers.clear();
  }
}
