import { call, textOf } from '../ui/api.js';
import { byId, stamp } from '../ui/dom.js';
import { folded } from '../ui/names.js';

/** @typedef {{name: string, role: string}} Member */

/** Milliseconds without a move before a role counts as chosen: arrow keys pass through those in between. */
const CALM = 400;

/**
 * The dialog in which owners choose the members of a project and their roles.
 * Every change is made at once; the line below the list says what came of it.
 */
export class MembersDialog {
  /** @param {string} address of the project in the interface */
  constructor(address) {
    this.address = `${address}/members`;
    this.dialog = /** @type {HTMLDialogElement} */ (byId('members-dialog'));
    this.list = byId('members-list');
    this.stepDown = /** @type {HTMLDialogElement} */ (byId('step-down-dialog'));
    /** @type {Member[]} */
    this.members = [];
    this.name = /** @type {HTMLInputElement} */ (byId('members-name'));
    const form = /** @type {HTMLFormElement} */ (byId('members-add'));
    const role = /** @type {HTMLSelectElement} */ (form.querySelector('select'));
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      await this.add(this.name.value.trim(), role.value);
      this.name.focus();
    });
  }

  async open() {
    this.say('');
    this.dialog.showModal();
    await this.load();
  }

  /** Makes a user a member. Who is one already keeps their role: it is changed in the list. @param {string} name @param {string} role */
  async add(name, role) {
    await this.load(); // someone else may have added them meanwhile
    const had = this.members.find((member) => folded(member.name) === folded(name));
    if (had) this.say(`${had.name} is a member already: ${had.role}. The role can be changed in the list above.`);
    else if (await this.change('PUT', name, { role }, (member) => `${member.name} is a member now: ${member.role}.`)) this.name.value = '';
  }

  /** Shows the members as they are now. */
  async load() {
    try {
      this.members = await call('GET', this.address);
      this.list.replaceChildren(...this.members.map((member) => this.row(member)));
      byId('members-none').hidden = this.members.length > 0;
    } catch (error) {
      this.say(textOf(error), true);
    }
  }

  /** @param {Member} member */
  row({ name, role }) {
    const { element, slot } = stamp('member-template');
    slot('name').textContent = name;
    const select = /** @type {HTMLSelectElement} */ (slot('role'));
    select.value = role;
    select.setAttribute('aria-label', `Role of ${name}`);
    let timer = 0;
    select.addEventListener('change', () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void this.set(name, select, role), CALM);
    });
    const remove = slot('remove');
    remove.setAttribute('aria-label', `Remove ${name}`);
    remove.title = `Remove ${name}`;
    remove.addEventListener('click', async () => {
      clearTimeout(timer);
      if ((await this.mayLose(name)) && (await this.change('DELETE', name, undefined, () => `${name} was removed. What they did stays.`))) this.name.focus();
    });
    element.dataset.member = name;
    return element;
  }

  /** Gives a member the chosen role. @param {string} name @param {HTMLSelectElement} select @param {string} role that they had */
  async set(name, select, role) {
    if (select.value === role) return;
    const held = select === document.activeElement;
    const changed = (await this.mayLose(name)) && (await this.change('PUT', name, { role: select.value }, (member) => `${member.name}: ${member.role}`));
    if (!changed) select.value = role;
    else if (held) this.focus(name, 'select');
  }

  /**
   * Asks before an owner gives their own role away. The only one can't: the server says so.
   *
   * @param {string} name of whoever gets another role, or none
   * @returns {Promise<boolean>} whether to go on
   */
  async mayLose(name) {
    const owners = this.members.filter(({ role }) => role === 'owner');
    if (name !== this.list.dataset.self || owners.length < 2) return true;
    const { stepDown } = this;
    stepDown.returnValue = '';
    stepDown.showModal();
    await new Promise((resolve) => stepDown.addEventListener('close', resolve, { once: true }));
    return stepDown.returnValue === 'step-down';
  }

  /**
   * @param {'PUT' | 'DELETE'} method
   * @param {string} name
   * @param {object | undefined} body
   * @param {(member: Member) => string} done what to say then
   * @returns {Promise<boolean>} whether it was done
   */
  async change(method, name, body, done) {
    try {
      const member = await call(method, `${this.address}/${encodeURIComponent(name)}`, body);
      if (name === this.list.dataset.self) location.assign(member ? location.href : '/'); // the page is that of an owner
      await this.load();
      this.say(done(member));
      return true;
    } catch (error) {
      this.say(textOf(error), true);
      return false;
    }
  }

  /** @param {string} name @param {string} what */
  focus(name, what) {
    for (const row of this.list.children) {
      if (row instanceof HTMLElement && row.dataset.member === name) /** @type {HTMLElement | null} */ (row.querySelector(what))?.focus();
    }
  }

  /** @param {string} text @param {boolean} [refused] whether it says why something was not done */
  say(text, refused = false) {
    const state = byId('members-state');
    state.textContent = text;
    state.classList.toggle('problem-text', refused);
  }
}
