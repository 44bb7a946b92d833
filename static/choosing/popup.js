import { byId, isTap } from '../ui/dom.js';
import { NextTap } from './nexttap.js';
import { toast } from '../ui/toast.js';

/** Milliseconds that the pointer must rest on a region before its alternatives open. */
const REST = 1200;

/** For how many milliseconds after they open a click counts as meant for the image below them. */
const UNSEEN = 400;

/** CSS pixels between them and the pointer. */
const APART = 20;

/** CSS pixels that the pointer may move away before they close. */
const LEAVE = 48;

/**
 * @typedef {import('../evidence/alternatives.js').Alternatives} Alternatives
 * @typedef {import('../evidence/alternatives.js').Option} Option
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} Ports
 * @property {import('../tools/stage.js').Stage} stage
 * @property {Pick<import('../classes/classes.js').ClassPanel, 'nameOf' | 'colorOf' | 'current'>} classes
 * @property {(superpixel: number) => Alternatives | null} at what the hypotheses offer around a superpixel
 * @property {(superpixel: number, x: number, y: number) => void} tip shows or hides the tooltip of a superpixel
 * @property {(superpixels: readonly number[], label: number) => void} propose shows what a region would become
 * @property {(option: Option) => void} accept
 * @property {(option: Option) => void} exclude says that the region is not what the option says
 * @property {(superpixel: number) => number[]} around the unlabelled superpixels where one of them is: several if clicks have divided it
 * @property {(superpixels: readonly number[]) => Promise<Card[] | null>} suppose the best labellings with another class on some superpixels; null when the evidence has changed meanwhile
 * @property {(card: Card | null) => void} glance shows one of them
 * @property {(card: Card) => void} take accepts one of them
 * @property {(text: string) => void} say
 */

/**
 * The alternatives for a region, listed beside it: '9 of 12: road'. The list opens
 * when the pointer rests where the hypotheses differ, on a key, or on a tap after
 * the button for it. Its last entry asks what the image would be if the region
 * were of another class; where the hypotheses agree that is all it offers.
 */
export class AlternativesPopup {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    this.element = byId('alternatives');
    this.list = byId('alternatives-list');
    /** What they lie beside. */
    this.at = [0, 0];
    this.timer = 0;
    /** When they opened. */
    this.opened = 0;
    /** @type {Alternatives | null} */
    this.offered = null;
    this.regionTap = new NextTap('ask-region', 'Alternatives for a region', 'Tap the region to ask about, or press Space on it.');
    /** Whether the press in progress has closed them and means nothing else. */
    this.dismissing = false;
    /** @type {Card | null} the supposition that the last tap has shown */
    this.touched = null;
    const canvas = byId('canvas');
    canvas.addEventListener('pointermove', (e) => this.moved(e));
    canvas.addEventListener('pointerdown', (e) => this.dismiss(e), true); // before the stage asks what it means
    canvas.addEventListener('pointerleave', () => {
      clearTimeout(this.timer);
      ports.tip(-1, 0, 0);
    });
    this.element.addEventListener('pointerleave', (e) => {
      if (e.pointerType === 'mouse') this.close(); // fingers and pens leave with every tap
    });
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

  /** Closes them when a press goes elsewhere on the image. That of a finger or pen doesn't draw if a tap has opened them. @param {PointerEvent} e */
  dismiss(e) {
    this.dismissing = e.pointerType !== 'mouse' && this.element.contains(document.activeElement);
    this.close();
  }

  /** Opens the alternatives for the superpixel in focus, for the keyboard. */
  ask() {
    this.openAt(this.ports.stage.focus);
  }

  /** Opens the alternatives for a superpixel that was pointed out, and the keyboard goes there. @param {number} s */
  openAt(s) {
    if (s < 0) {
      toast('Point at a region first', 'Move the cursor over a part of the image.');
      return;
    }
    const { stage } = this.ports;
    const [x, y] = stage.inWindow(stage.painter.anchorOf(s));
    if (this.open(s, x, y, true)) return;
    const superpixels = this.ports.around(s);
    if (superpixels.length === 0) {
      toast('No alternatives here', 'You have labelled this superpixel. Clear it with the eraser first.');
      return;
    }
    this.show({ superpixels, total: 0, options: [] }, x, y);
    void this.suppose();
  }

  /** Whether the next tap opens them. */
  get picking() {
    return this.regionTap.awaited;
  }

  /** Turns on or off that the next tap opens the alternatives there. @param {boolean} on */
  pick(on) {
    this.regionTap.wait(on);
  }

  /** Whether a press on the image doesn't draw. */
  get taps() {
    return this.picking || this.dismissing;
  }

  /** @param {number} s that was tapped @returns {boolean} whether the tap asked for alternatives, or closed them */
  tapped(s) {
    if (this.dismissing) {
      this.dismissing = false;
      return true;
    }
    if (!this.picking) return false;
    this.pick(false);
    this.openAt(s);
    return true;
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
    this.show(found, x, y);
    if (focus) this.buttons[0]?.focus();
    return true;
  }

  /**
   * @param {Alternatives} found
   * @param {number} x CSS pixels within the stage
   * @param {number} y
   */
  show(found, x, y) {
    clearTimeout(this.timer); // the pointer may be resting, too
    this.offered = found;
    this.outline(found.superpixels);
    this.entitle('Label this region as');
    const options = found.options.map((option) => this.button(option, found.total));
    this.list.replaceChildren(...options, ...(options.length > 0 ? [this.denial(found), this.question()] : []));
    this.element.hidden = false;
    this.opened = performance.now();
    this.place(x, y);
    byId('tip').hidden = true;
  }

  /** @param {number} x @param {number} y what it lies beside, in CSS pixels within the stage */
  place(x, y) {
    this.at = [x, y];
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const [left, top] = beside([x, y], { width, height }, this.ports.stage.size);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }

  /** @param {string} title */
  entitle(title) {
    byId('alternatives-title').textContent = title;
  }

  /** The entry that asks what the image would be if the region were of another class. */
  question() {
    const button = plain('What if this were …?');
    button.addEventListener('click', (e) => {
      if (e.detail === 0 || performance.now() - this.opened >= UNSEEN) void this.suppose();
    });
    return button;
  }

  /** Lists what the image would be if the region were of another class. */
  async suppose() {
    const { offered } = this;
    if (!offered) return;
    this.entitle('Asking …');
    const cards = await this.ports.suppose(offered.superpixels);
    if (this.offered !== offered) return; // closed meanwhile
    if (!cards || cards.length === 0) {
      this.close();
      if (cards) toast('No alternatives here', 'No other class that has clicks is possible here.');
      return;
    }
    this.entitle('What if this were');
    this.list.replaceChildren(...cards.map((card) => this.supposition(card)));
    this.opened = performance.now();
    this.place(this.at[0], this.at[1]);
    this.buttons[0]?.focus();
  }

  /** @param {Card} card */
  supposition(card) {
    const { classes, glance, take } = this.ports;
    const label = card.offer && 'class' in card.offer ? card.offer.class : 0;
    const button = plain(card.name ?? '', classes.colorOf(label));
    button.addEventListener('pointerenter', (e) => e.pointerType !== 'touch' && glance(card));
    button.addEventListener('pointerleave', (e) => e.pointerType !== 'touch' && glance(null));
    button.addEventListener('focus', () => glance(card));
    button.addEventListener('blur', () => glance(null));
    button.addEventListener('click', (e) => {
      if (e.detail > 0 && performance.now() - this.opened < UNSEEN) return;
      if (isTap(e) && this.touched !== card) { // the first tap previews
        this.touched = card;
        glance(card);
        return;
      }
      this.close();
      take(card);
    });
    return button;
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
    const button = plain(`${option.count} of ${total}: ${classes.nameOf(option.label)}`, classes.colorOf(option.label));
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
      // When the click was made counts, not when a busy page hears of it. Keys have no detail.
      if (e.detail > 0 && e.timeStamp - this.opened < UNSEEN) return;
      this.close();
      run();
    });
  }

  /** The entry that excludes the active class or, where no hypothesis has it, the most frequent one. @param {Alternatives} found */
  denial({ options }) {
    const { classes } = this.ports;
    const option = options.find(({ label }) => label === classes.current.id) ?? options[0];
    const button = plain(`Not ${classes.nameOf(option.label)}`, classes.colorOf(option.label));
    button.querySelector('.swatch')?.classList.add('struck');
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
    this.touched = null;
    this.ports.glance(null);
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    const { stage } = this.ports;
    this.outline(stage.hovered >= 0 ? [stage.hovered] : []);
    this.ports.propose([], 0);
    if (focused) byId('canvas').focus({ preventScroll: true });
    return true;
  }
}

/** An entry of the list. @param {string} text @param {string} [color] of its swatch */
function plain(text, color) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'alternative';
  if (color) {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.backgroundColor = color;
    button.append(swatch);
  }
  button.append(text);
  return button;
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
