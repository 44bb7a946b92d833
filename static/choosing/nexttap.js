import { byId } from '../ui/dom.js';
import { toast } from '../ui/toast.js';

/** Whether the next tap on the image is for something else than drawing, which its button and a message show. */
export class NextTap {
  /** @param {string} button its id @param {string} title of the message @param {string} detail */
  constructor(button, title, detail) {
    this.button = button;
    this.title = title;
    this.detail = detail;
    this.awaited = false;
    /** Removes the message. */
    this.remove = () => {};
  }

  /** @param {boolean} on */
  wait(on) {
    this.awaited = on;
    byId(this.button).setAttribute('aria-pressed', String(on));
    this.remove();
    this.remove = on ? toast(this.title, this.detail) : () => {};
  }
}
