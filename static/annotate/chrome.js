import { byId, ownDirection } from '../ui/dom.js';
import { statusLine, viewedLine } from '../choosing/status.js';

/**
 * @typedef {import('../exchange/session.js').Session} Session
 * @typedef {import('../choosing/acceptance.js').Acceptance} Acceptance
 */

const SAVE_TEXT = { connecting: 'Connecting', saved: 'Saved', saving: 'Saving', failed: 'Failed', offline: 'Offline', 'signed-out': 'Signed out', trashed: 'In the trash' };
const SAVE_ICON = { connecting: 'cloud', saved: 'check', saving: 'cloud', failed: 'warn', offline: 'offline', 'signed-out': 'warn', trashed: 'warn' };

/**
 * Says in place of the status when something other than the labelling is shown.
 *
 * @param {Acceptance} acceptance
 * @param {object} now
 * @param {number} now.past the step of the history that is shown, or -1
 * @param {boolean} now.covered whether the person has hidden the labelling
 * @param {boolean} now.touch whether there is probably no keyboard
 */
export function paintBadge(acceptance, { past, covered, touch }) {
  const { shown, hovered } = acceptance.choice;
  const differs = shown !== null && acceptance.differs(shown.card);
  const preview = differs && !acceptance.eager; // what is shown may not be what is accepted
  byId('stage').classList.toggle('previewing', differs);
  byId('badge').hidden = past < 0 && !covered && !preview;
  byId('badge').title = '';
  const says = (/** @type {string} */ kind, /** @type {string} */ text, how = '') => {
    byId('badge-kind').textContent = kind;
    byId('badge-text').textContent = text;
    byId('badge-how').textContent = how;
  };
  if (past >= 0) says('History', past === 0 ? 'the start' : `after step ${past}`);
  else if (covered) says('Hidden', 'the labelling', touch ? '' : ' · H shows it');
  else if (shown) {
    const how = acceptance.barred ? ' · made for earlier clicks' : touch ? ' · tap again to accept' : ' · Enter accepts';
    says('Preview', acceptance.numberOf(shown), hovered || acceptance.ports.session.readOnly ? '' : how);
    if (differs) byId('badge').title = acceptance.whatOf(shown.card);
  }
}

/**
 * Enables the buttons whose commands would do something.
 *
 * @param {Session} session
 * @param {Acceptance} acceptance
 */
export function paintButtons(session, acceptance) {
  const { selected } = acceptance.choice;
  const { undo, redo } = session.evidence.depth();
  const last = session.hypotheses.cards.length - 1;
  disable('undo', undo <= 0 || session.readOnly);
  disable('redo', redo <= 0 || session.readOnly);
  disable('walk-back', last < 0 || selected?.place === 0);
  disable('walk-on', last < 0 || selected?.place === last);
  const differs = acceptance.preview !== '' && !session.readOnly;
  const barred = session.readOnly || acceptance.barred;
  disable('accept', !differs || barred);
  const { running, present } = session.hypotheses;
  const agreed = !running && last >= 0 && present.every((card) => !acceptance.differs(card)); // all is accepted
  disable('accept-next', barred || !(differs || agreed));
  const partial = differs && acceptance.acceptable();
  disable('accept-region', !partial);
  if (!partial && acceptance.picking) acceptance.pickRegion(false);
  disable('ask-region', session.hypotheses.classes < 2 || session.hypotheses.fresh === 0 || session.readOnly);
}

/**
 * Writes the line above the strip and the button beside it.
 *
 * @param {string} line
 * @param {import('../evidence/hypotheses.js').Hypotheses} hypotheses
 */
export function paintStatus(line, hypotheses) {
  if (byId('status').title !== line) { // its text may have been translated by the browser
    byId('status').replaceChildren(...namesApart(line));
    byId('status').title = line; // it may be cut
  }
  byId('running').hidden = !hypotheses.running;
  const button = byId('search');
  disable('search', !hypotheses.running && hypotheses.more === 0);
  const name = hypotheses.running ? 'Stop searching' : 'Search for more hypotheses';
  if (button.getAttribute('aria-label') === name) return;
  button.setAttribute('aria-label', name);
  button.title = `${name} (M)`;
  button.querySelector('use')?.setAttribute('href', hypotheses.running ? '#i-stop' : '#i-more');
}

/** A text with the isolated names in elements of their own, which lose their ends and not their beginnings where the text is cut. @param {string} line */
function namesApart(line) {
  return line.split(/(\u2068.*?\u2069)/).filter(Boolean).map((part) => (part.startsWith('\u2068') ? ownDirection(part) : part));
}

/**
 * What the line above the strip says.
 *
 * @param {object} now
 * @param {Session} now.session
 * @param {readonly {id: number, name: string}[]} now.classes in order
 * @param {number} now.active the id of the active class
 * @param {number} now.rest the id of the class that nobody need click, or -1
 * @param {boolean} now.lasting whether unsaved edits outlive the page
 * @param {boolean} now.touch whether there is probably no keyboard
 */
export function statusOf({ session, classes, active, rest, lasting, touch }) {
  const { evidence, hypotheses, save } = session;
  if (save === 'connecting') return 'Connecting';
  if (save === 'trashed' && evidence.pending.length === 0) return 'This image is in the trash';
  if (save === 'offline' || save === 'signed-out' || save === 'trashed') {
    const kept = lasting ? 'Your edits are kept in this browser' : 'Keep this page open: it has your edits';
    return `${{ offline: session.link.blocked ? 'Offline: no websocket gets through to the server' : 'Offline', 'signed-out': 'Signed out', trashed: 'This image is in the trash' }[save]}. ${kept}`;
  }
  const { clicks, labels, said } = evidence.present;
  if (session.readOnly) return viewedLine({ clicks, labels, hypotheses });
  return statusLine({ clicks, labels, boxed: said.boxes.length > 0 || session.guess !== null, classes, active, rest, hypotheses, touch });
}

/** @param {Session} session */
export function paintSave({ save, evidence }) {
  const queued = evidence.pending.length;
  byId('save').dataset.state = save;
  byId('sign-in').hidden = save !== 'signed-out';
  const waiting = queued > 0 && save !== 'saving';
  byId('save-state').textContent = SAVE_TEXT[save] + (waiting ? ' ' : '');
  byId('save-queued').textContent = waiting ? `(${queued} queued)` : '';
  byId('save').querySelector('use')?.setAttribute('href', `#i-${SAVE_ICON[save]}`);
}

/** @param {string} id @param {boolean} off */
function disable(id, off) {
  /** @type {HTMLButtonElement} */ (byId(id)).disabled = off;
}
