import { byId } from '../ui/dom.js';
import { keyOf } from '../ui/keys.js';
import { belongsTo, commandOf } from './keys.js';

/** Milliseconds after which a held key is a hold and not a tap. */
const HOLD = 220;

/** @typedef {import('./commands.js').CommandName} CommandName */

/** @type {CommandName[]} those of keys that mean something else outside the image */
const ON_IMAGE = ['move', 'move-far', 'pan'];

/** @type {CommandName[]} those that a held key repeats */
const REPEATED = [...ON_IMAGE, 'undo', 'redo', 'walk-on', 'walk-back', 'fainter', 'stronger', 'coarser', 'finer', 'thinner', 'wider'];

/** Runs the commands of keys, and handles the keys that are held: Space, H and Z. */
export class Keyboard {
  /**
   * @param {import('./commands.js').Commands} commands
   * @param {import('../tools/stage.js').Stage} stage
   * @param {(superpixel: number) => void} label labels the superpixel that the keyboard is on
   */
  constructor(commands, stage, label) {
    this.commands = commands;
    this.stage = stage;
    this.label = label;
    this.canvas = byId('canvas');
    /** When H went down, or -1. */
    this.peeking = -1;
    /** Whether Space was pressed on the canvas to label; true however long it is held. */
    this.labelling = false;
    /** Whether Z is held. */
    this.excluding = false;
    this.canvas.addEventListener('pointerdown', () => {
      this.labelling = false;
    });
    document.addEventListener('keydown', (e) => this.down(e));
    document.addEventListener('keyup', (e) => this.up(e));
    addEventListener('blur', () => this.lost());
  }

  /** @param {KeyboardEvent} e */
  down(e) {
    if (document.querySelector('dialog[open]') || belongsTo(document.activeElement, e)) return;
    if (e.key === ' ') {
      this.space(e);
      return;
    }
    const given = commandOf(e);
    if (!given) return;
    const [name, argument = ''] = /** @type {[CommandName, string?]} */ (given.split(' '));
    if (ON_IMAGE.includes(name) && !document.activeElement?.matches('body, #main, #canvas')) return;
    e.preventDefault();
    if (e.repeat && !REPEATED.includes(name)) return;
    if (name === 'overlay') this.peeking = e.timeStamp;
    if (name === 'exclude') this.excluding = true;
    this.commands[name](argument);
  }

  /** @param {KeyboardEvent} e */
  space(e) {
    e.preventDefault();
    if (e.repeat) return;
    this.labelling = e.target === this.canvas;
    if (this.labelling && this.stage.point.press()) return;
    this.pans(true);
  }

  /** Space is held so that a drag pans, or it is not. @param {boolean} held */
  pans(held) {
    this.stage.space = held;
    this.canvas.toggleAttribute('data-space', held);
  }

  /** @param {KeyboardEvent} e */
  up(e) {
    const { stage } = this;
    if (keyOf(e) === 'h' && this.peeking >= 0) {
      if (e.timeStamp - this.peeking >= HOLD) this.commands.overlay('');
      this.peeking = -1;
    }
    if (keyOf(e) === 'z') this.include();
    if (e.key === ' ') {
      const label = this.labelling && e.target === this.canvas;
      this.labelling = false;
      this.pans(false);
      if (!stage.point.release() && label) this.label(stage.painter.marks.cursor);
    }
  }

  /** Z is let go. */
  include() {
    if (this.excluding) this.stage.tools.exclude(false);
    this.excluding = false;
  }

  /** The window has lost the focus: no key is down any more. */
  lost() {
    this.labelling = false;
    this.pans(false);
    this.stage.point.release();
    this.include();
    if (this.peeking >= 0) this.commands.overlay('');
    this.peeking = -1;
  }
}
