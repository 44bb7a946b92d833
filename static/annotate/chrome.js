import { byId } from '../ui/dom.js';
import { shares } from '../evidence/shares.js';
import { statusLine } from './status.js';

const SAVE_TEXT = { connecting: 'Connecting', saved: 'Saved', saving: 'Saving', failed: 'Failed', offline: 'Offline' };
const SAVE_ICON = { connecting: 'cloud', saved: 'check', saving: 'cloud', failed: 'warn', offline: 'offline' };

/** @typedef {import('./app.js').App} App */

/**
 * Brings everything around the canvas in line with what is known.
 *
 * @param {App} app
 */
export function paintChrome(app) {
  const { session, choice, classes } = app;
  const { hypotheses, evidence } = session;
  const { selected, shown } = choice;
  app.strip.update({ hypotheses, labels: app.labels, colors: classes.colors, selected: selected?.place ?? -1 });
  classes.count(shares(app.labels, app.painter.map, app.overlay.repairs));
  app.doubt.update();

  const differs = shown !== null && app.differs(shown.card);
  const past = app.history.shown;
  byId('badge').hidden = !differs && past < 0;
  byId('badge-kind').textContent = past < 0 ? 'Preview' : 'Earlier';
  byId('stage').classList.toggle('previewing', differs);
  if (past >= 0) byId('badge-text').textContent = past === 0 ? 'the start' : `after step ${past}`;
  else if (shown) byId('badge-text').textContent = `${app.nameOf(shown.place)}${choice.hovered || app.touch ? '' : ' · Enter accepts'}`;

  const line = statusOf(app);
  if (byId('status').textContent !== line) byId('status').textContent = line;
  byId('running').hidden = !hypotheses.running;
  paintSearch(hypotheses);

  app.regrain.control.update(evidence.granularity, session.asked);
  const { undo, redo } = evidence.depth();
  const last = hypotheses.cards.length - 1;
  disable('undo', undo <= 0 || session.readOnly);
  disable('redo', redo <= 0 || session.readOnly);
  disable('walk-back', last < 0 || selected?.place === 0);
  disable('walk-on', last < 0 || selected?.place === last);
  const acceptable = selected !== null && app.differs(selected.card) && !session.readOnly;
  disable('accept', !acceptable);
  disable('accept-region', !acceptable);
  paintSave(app);
  app.history.changed();
}

/**
 * What the line above the strip says.
 *
 * @param {App} app
 */
export function statusOf({ session, classes, clicks, touch, queue }) {
  if (session.save === 'connecting') return 'Connecting';
  if (session.save === 'offline') {
    const kept = `Your work is kept in this ${queue.lasting ? 'browser' : 'page, which must stay open,'}`;
    if (session.link.signedOut) return `You are signed out. ${kept} and sent when you sign in again, in another tab`;
    return `Offline. ${kept} and sent later`;
  }
  return statusLine({ clicks, classes: classes.classes, hypotheses: session.hypotheses, touch });
}

/** @param {import('../evidence/hypotheses.js').Hypotheses} hypotheses */
function paintSearch(hypotheses) {
  const button = byId('search');
  button.hidden = !hypotheses.running && hypotheses.more === 0;
  const name = hypotheses.running ? 'Stop looking for hypotheses' : 'Look for more hypotheses';
  if (button.getAttribute('aria-label') === name) return;
  button.setAttribute('aria-label', name);
  button.title = `${name} (M)`;
  button.querySelector('use')?.setAttribute('href', hypotheses.running ? '#i-stop' : '#i-more');
}

/** @param {App} app */
function paintSave({ session }) {
  const { save, evidence } = session;
  const queued = evidence.pending.length;
  byId('save').dataset.state = save;
  const waiting = queued > 0 && save !== 'saving';
  byId('save-state').textContent = SAVE_TEXT[save] + (waiting ? ' ' : '');
  byId('save-queued').textContent = waiting ? `(${queued} queued)` : '';
  byId('save').querySelector('use')?.setAttribute('href', `#i-${SAVE_ICON[save]}`);
}

/** @param {string} id @param {boolean} off */
function disable(id, off) {
  /** @type {HTMLButtonElement} */ (byId(id)).disabled = off;
}
