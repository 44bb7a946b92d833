import { Problem } from '../ui/api.js';
import { apart } from './apart.js';
import { App } from './app.js';
import { byId, closeButtons, colourSwatches } from '../ui/dom.js';
import { connectButtons, hypothesisCommands, labelCommands, viewCommands, workCommands } from './commands.js';
import { Keyboard } from './keyboard.js';
import { handBack } from './handback.js';
import { Layout } from './layout.js';
import { fetchAhead, load } from './load.js';
import { recalled, remember, TAB } from '../ui/memory.js';
import { Menu } from '../ui/menu.js';
import { moreTools } from './moretools.js';
import { insist, pause, waitText } from '../ui/patience.js';
import { followOrder } from '../project/order.js';
import { newID } from '../evidence/protocol.js';
import { Queue } from '../exchange/queue.js';
import { refuseFiles } from '../ui/files.js';
import { themeToggle } from '../ui/theme.js';
import { toast } from '../ui/toast.js';

/** Where the tab keeps that the person knows why cards have no photograph. */
const UNREAD = 'collie-unread';

const data = byId('app').dataset;
closeButtons();
colourSwatches(); // of the classes, until their panel is there
themeToggle();
byId('extent').before(byId('toasts')); // not over the image
followOrder(data);
new Layout({ width: Number(data.width), height: Number(data.height) });
refuseFiles();

try {
  const queue = new Queue(data.image ?? '', newID());
  const opening = insist(() => load(data.display ?? '', data.superpixels ?? ''), {
    wait: (problem, seconds) => void (byId('loading-text').textContent = waitText(problem, seconds)),
    pause,
  });
  const [parts, left] = await Promise.all([opening, queue.open()]);
  const app = new App(data, parts, queue);
  app.resume(left);
  queue.inherited = (found) => app.resume(found);
  listen(app, queue);
  byId('loading').hidden = true;
  fetchAhead(data.next ?? '');
  if (!queue.lasting) toast('Edits are kept in this page only', 'This window has no storage, which is usual for private windows. Check that it says “Saved” before you close the page.');
  if (!app.strip.thumbnails.pictured && !recalled(UNREAD, '', TAB)) {
    remember(UNREAD, 'true', TAB);
    toast('Cards come without the photograph', 'This browser doesn’t let pages read what they have drawn. Allow Collie to use canvas data, then reload; until then, the history has colours of its own.');
  }
  byId('canvas').focus({ preventScroll: true });
} catch (error) {
  console.error(error);
  byId('loading').classList.add('failed');
  byId('loading-again').hidden = false;
  byId('loading-again').addEventListener('click', () => location.reload());
  byId('loading-text').textContent =
    error instanceof Problem ? `${error.title}. ${error.detail}` : 'This image could not be opened.';
  byId('status').textContent = 'The image could not be opened';
}

/**
 * Connects keys and buttons with what they do.
 *
 * @param {App} app
 * @param {Queue} queue
 */
function listen(app, queue) {
  const { session, stage, classes, acceptance, doubt, guess, history, layers, tones, labelling, saying } = app;
  const page = {
    pick: (/** @type {number} */ superpixel) => labelling.pick(superpixel),
    clear: (/** @type {number} */ superpixel) => labelling.touchUp('clear', superpixel),
    unbox: () => saying.unbox(stage.point.at ?? stage.drawing.pointer),
    travel: (/** @type {'undo' | 'redo'} */ kind) => labelling.travel(kind),
    openExport: () => {
      if (session.mayAsk()) app.exporting.open();
    },
    go: (/** @type {'next' | 'previous'} */ side) => app.leaving.go(side),
    copyOn: () => app.leaving.copyOn(),
    approveOn: () => app.review.approveOn(),
    say: (/** @type {string} */ text) => app.say(text),
  };
  const commands = {
    ...labelCommands({ session, classes, stage, doubt, page }),
    ...hypothesisCommands({ session, stage, acceptance, doubt, guess, history, page }),
    ...viewCommands({ stage, layers, doubt, tones, granularity: app.regrain.control, page }),
    ...workCommands({ session, stage, acceptance, lasting: () => queue.lasting, history, page }),
  };
  connectButtons(commands);
  handBack();
  apart(history, tones);
  const more = new Menu(byId('more-menu'), (id) => byId(id).click());
  byId('more').addEventListener('click', () => more.open(byId('more')));
  moreTools();
  new Keyboard(commands, stage, (s) => stage.listener.tapped(s) || labelling.touchUp(stage.tools.mode, s));
  byId('accept-region').addEventListener('click', () => app.waitFor('accept', !acceptance.picking));
  byId('ask-region').addEventListener('click', () => app.waitFor('ask', !doubt.popup.picking));
  for (const id of ['accept-region', 'ask-region']) byId(id).addEventListener('click', () => byId('canvas').focus({ preventScroll: true })); // where the region is
  addEventListener('beforeunload', (e) => {
    if (classes.unsent || (session.evidence.pending.length > 0 && !queue.lasting)) e.preventDefault();
  });
}
