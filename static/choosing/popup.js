import { byId } from '../ui/dom.js';

/** Milliseconds that the pointer must rest on a region before its alternatives open. */
const REST = 1200;

/** Milliseconds after they have opened in which a click was meant for the image below them. */
const UNSEEN = 400;

/** CSS pixels between them and the pointer. */
const APART = 20;

/** CSS pixels that the pointer may move away before they close. */
const LEAVE = 48;

/**
 * @typedef {import('../evidence/alternatives.js').Alternatives} Alternatives
 * @typedef {import('../evidence/alternatives.js').Option} Option
 *
 * @typedef {object} Ports
 * @property {import('../tools/stage.js').Stage} stage
 * @property {Pick<import('../classes/classes.js').ClassPanel, 'nameOf' | 'colorOf' | 'current'>} classes
 * @property {(superpixel: number) => Alternatives | null} at what the hypotheses offer around a superpixel
 * @property {(superpixel: number, x: number, y: number) => void} tip shows or hides the tooltip of a superpixel
 * @property {(superpixels: readonly number[], label: number) => void} propose shows what a region would become
 * @property {(option: Option) => void} accept
 * @property {(option: Option) => void} exclude says that the region is not what the option says
 */

/**
 * The alternatives for a region, listed beside it: '9 of 12: road'. The list opens
 * when the pointer rests where the hypotheses differ, or on a key.
 */
export class AlternativesPopup {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    this.element = byId('alternatives');
    this.list = byId('alternatives-list');
    this.timer = 0;
    /** When they opened. */
    this.opened = 0;
    /** @type {Alternatives | null} */
    this.offered = null;
    const canvas = byId('canvas');
    canvas.addEventListener('pointermove', (e) => this.moved(e));
    canvas.addEventListener('pointerdown', () => this.close());
    canvas.addEventListener('pointerleave', () => {
      clearTimeout(this.timer);
      ports.tip(-1, 0, 0);
    });
    this.element.addEventListener('pointerleave', () => this.close());
    this.element.addEventListener('keydown', (e) => this.key(e));
    this.element.addEventListener('focusout', (e) => {
      if (e.relatedTarget instanceof Node && !this.element.contains(e.relatedTarget)) this.close();
    });
  }

  /** @param {PointerEvent} e */
  moved(e) {
    const box = byId('canvas').getBoundingClientRect();
    const [x, y] = [e.clientX - box.left, e.clientY - box.top];
    this.ports.tip(e.pointerType === 'touch' || e.buttons ? -1 : this.ports.stage.hovered, x, y);
    clearTimeout(this.timer);
    if (this.offered) {
      const { left, top, right, bottom } = this.element.getBoundingClientRect();
      const away = Math.hypot(Math.max(left - e.clientX, 0, e.clientX - right), Math.max(top - e.clientY, 0, e.clientY - bottom));
      if (away > LEAVE) this.close();
      else this.outline(this.offered.superpixels);
      return;
    }
    if (e.pointerType === 'touch' || e.buttons || this.ports.stage.tools.kind !== 'superpixel') return;
    this.timer = window.setTimeout(() => this.open(this.ports.stage.hovered, x, y, false), REST);
  }

  /** Opens the alternatives for the superpixel in focus, for the keyboard. @returns {boolean} whether there are any */
  ask() {
    const { stage } = this.ports;
    const s = stage.focus;
    if (s < 0) return false;
    const [x, y] = stage.inWindow(stage.painter.anchorOf(s));
    return this.open(s, x, y, true);
  }

  /**
   * @param {number} superpixel
   * @param {number} x CSS pixels within the stage
   * @param {number} y
   * @param {boolean} focus whether the keyboard goes there
   * @returns {boolean}
   */
  open(superpixel, x, y, focus) {
    const found = this.ports.at(superpixel);
    if (!found || document.querySelector('dialog[open]')) return false;
    this.offered = found;
    this.outline(found.superpixels);
    this.list.replaceChildren(...found.options.map((option) => this.button(option, found.total)), this.denial(found));
    this.element.hidden = false;
    this.opened = performance.now();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const [left, top] = beside([x, y], { width, height }, this.ports.stage.size);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
    byId('tip').hidden = true;
    if (focus) this.buttons[0]?.focus();
    return true;
  }

  get buttons() {
    return [...this.list.querySelectorAll('button')];
  }

  /**
   * @param {Option} option
   * @param {number} total
   */
  button(option, total) {
    const { classes } = this.ports;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'alternative';
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.backgroundColor = classes.colorOf(option.label);
    button.append(swatch, `${option.count} of ${total}: ${classes.nameOf(option.label)}`);
    if (option.current) button.append(Object.assign(document.createElement('span'), { className: 'muted', textContent: ' current' }));
    const look = () => {
      this.outline(option.superpixels);
      this.ports.propose(option.superpixels, option.label);
    };
    const leave = () => this.ports.propose([], option.label);
    button.addEventListener('pointerenter', look);
    button.addEventListener('pointerleave', leave);
    button.addEventListener('focus', look);
    button.addEventListener('blur', leave);
    this.offer(button, () => this.ports.accept(option));
    return button;
  }

  /** Connects a button, but not to a click that was meant for what it has just covered. @param {HTMLElement} button @param {() => void} run */
  offer(button, run) {
    button.addEventListener('click', (e) => {
      if (e.detail > 0 && performance.now() - this.opened < UNSEEN) return; // keys have no detail
      this.close();
      run();
    });
  }

  /** The entry that excludes the active class or, where no hypothesis has it, the most frequent one. @param {Alternatives} found */
  denial({ options }) {
    const { classes } = this.ports;
    const option = options.find(({ label }) => label === classes.current.id) ?? options[0];
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'alternative';
    const swatch = document.createElement('span');
    swatch.className = 'swatch struck';
    swatch.style.backgroundColor = classes.colorOf(option.label);
    button.append(swatch, `Not ${classes.nameOf(option.label)}`);
    const look = () => this.outline(option.superpixels);
    button.addEventListener('pointerenter', look);
    button.addEventListener('focus', look);
    this.offer(button, () => this.ports.exclude(option));
    return button;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const { buttons } = this;
    const i = buttons.findIndex((b) => b === document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (e.key === 'Escape') this.close();
    else if (step) buttons[(i + step + buttons.length) % buttons.length]?.focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  /** @param {readonly number[]} superpixels */
  outline(superpixels) {
    const { painter } = this.ports.stage;
    painter.marks.hover = superpixels.filter((s) => s < painter.map.n);
    painter.touchMarks();
  }

  /** @returns {boolean} whether it was open */
  close() {
    clearTimeout(this.timer);
    if (!this.offered) return false;
    this.offered = null;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    const { stage } = this.ports;
    this.outline(stage.hovered >= 0 ? [stage.hovered] : []);
    this.ports.propose([], 0);
    if (focused) byId('canvas').focus({ preventScroll: true });
    return true;
  }
}

/**
 * Where a panel goes that belongs to a point: to its right, left, below or above,
 * wherever it fits, and never over it unless it fits nowhere.
 *
 * @param {readonly [number, number]} point CSS pixels within the window
 * @param {{width: number, height: number}} panel
 * @param {{width: number, height: number}} window
 * @returns {[number, number]} its left and top
 */
export function beside([x, y], { width, height }, window) {
  const within = (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ room) => Math.max(4, Math.min(room - length - 4, at));
  const top = within(y + 12, height, window.height);
  if (x + APART + width + 4 <= window.width) return [x + APART, top];
  if (x - APART - width >= 4) return [x - APART - width, top];
  const left = within(x - width / 2, width, window.width);
  if (y + APART + height + 4 <= window.height) return [left, y + APART];
  return [left, Math.max(4, y - APART - height)];
}
