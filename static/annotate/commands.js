import { findClass } from '../classes/find.js';
import { editName } from '../classes/naming.js';
import { helpSheet } from './help.js';
import { byId } from '../ui/dom.js';
import { counted, percent } from '../ui/numbers.js';
import { rove } from '../ui/roving.js';
import { toast } from '../ui/toast.js';

/**
 * What keys and buttons do, by the names in keys.js; the argument is the rest of
 * the command.
 *
 * @typedef {Record<string, (argument: string) => void>} Group
 * @typedef {keyof (ReturnType<typeof labelCommands> & ReturnType<typeof hypothesisCommands> & ReturnType<typeof viewCommands> & ReturnType<typeof workCommands>)} CommandName
 * @typedef {Record<CommandName, (argument: string) => void>} Commands
 *
 * @typedef {import('../tools/stage.js').Stage} Stage
 * @typedef {import('../classes/classes.js').ClassPanel} ClassPanel
 * @typedef {import('../exchange/session.js').Session} Session
 * @typedef {import('../choosing/doubt.js').Doubt} Doubt
 * @typedef {import('../choosing/acceptance.js').Acceptance} Acceptance
 * @typedef {import('./history.js').HistoryPanel} HistoryPanel
 *
 * @typedef {object} Page what a person can do to the page as a whole
 * @property {(superpixel: number) => void} pick makes the class of a superpixel the active one
 * @property {(superpixel: number) => void} clear
 * @property {() => void} unbox takes away the box at the pointer
 * @property {(kind: 'undo' | 'redo') => void} travel
 * @property {() => void} openExport
 * @property {(side: 'next' | 'previous') => Promise<void>} go to another image, once everything is saved
 * @property {() => Promise<void>} copyOn copies the labelling to the next image and goes there
 * @property {() => Promise<void>} approveOn approves the image and goes to the next
 * @property {(text: string) => void} say
 */

/** @param {{session: Session, classes: ClassPanel, stage: Stage, doubt: Doubt, page: Page}} ports */
export function labelCommands({ session, classes, stage, doubt, page }) {
  const resize = (/** @type {1 | -1} */ by) => {
    stage.tools.resize(stage.tools.place + by);
    page.say(`Brush width ${stage.tools.width}`);
  };
  return /** @satisfies {Group} */ ({
    class: (i) => {
      if (classes.choose(Number(i))) doubt.answer();
    },
    pick: () => page.pick(stage.focus),
    find: findClass(() => classes.classes, (i) => classes.choose(i)),
    'add-class': () => classes.add(),
    'rename-class': () => editName(classes, classes.activeKey),
    'lock-class': () => classes.toggleLock(classes.active),
    exclude: () => stage.tools.exclude(true),
    clear: () => {
      if (stage.back()) return;
      if (stage.tools.kind === 'box') page.unbox();
      else page.clear(stage.focus);
    },
    tool: (kind) => {
      if (!session.mayChange()) return;
      stage.tools.take(/** @type {import('../tools/strokes.js').ToolKind} */ (kind));
      page.say(stage.tools.inWords);
    },
    exact: toggle('exact', () => stage.tools.toggleExact(), page),
    thinner: () => resize(-1),
    wider: () => resize(1),
  });
}

/** @param {{session: Session, stage: Stage, acceptance: Acceptance, doubt: Doubt, guess: import('./guess.js').GuessNote, history: HistoryPanel, page: Page}} ports */
export function hypothesisCommands({ session, stage, acceptance, doubt, guess, history, page }) {
  return /** @satisfies {Group} */ ({
    unguess: () => guess.remove(),
    'walk-on': () => acceptance.walk(1),
    'walk-back': () => acceptance.walk(-1),
    search: () => {
      if (session.hypotheses.running) session.stop();
      else if (session.hypotheses.more > 0) session.run(session.hypotheses.more);
    },
    accept: () => {
      if (!stage.drawing.close() && !stage.point.finish()) acceptance.accept();
    },
    'accept-region': () => acceptance.acceptRegion(),
    'accept-next': () => {
      acceptance.accept();
      void page.go('next');
    },
    cancel: () => {
      if (history.leave()) return;
      if (acceptance.picking) acceptance.pickRegion(false);
      else if (doubt.popup.picking) doubt.popup.pick(false);
      else if (stage.cancel()) page.say('Cancelled');
      else if (!doubt.popup.close() && !doubt.forget()) acceptance.select(-1);
    },
    'next-click': () => doubt.next(),
    alternatives: () => {
      if (session.mayChange()) doubt.popup.ask();
    },
  });
}

/**
 * The command of a button that is pressed or not, which says so to those who use its key and don't see it.
 *
 * @param {string} id of the button
 * @param {() => void} change
 * @param {Page} page
 */
function toggle(id, change, page) {
  return () => {
    change();
    const button = byId(id);
    page.say(`${button.getAttribute('aria-label') ?? button.textContent?.trim()} ${button.ariaPressed === 'true' ? 'on' : 'off'}`);
  };
}

/** @param {{stage: Stage, layers: import('./layers.js').Layers, doubt: Doubt, tones: import('./tones.js').Tones, granularity: import('./granularity.js').GranularityControl, page: Page}} ports */
export function viewCommands({ stage, layers, doubt, tones, granularity, page }) {
  const fade = (/** @type {number} */ by) => {
    layers.fade(by);
    page.say(`Labelling opacity ${percent(layers.painter.opacity)}`);
  };
  const zoomed = () => page.say(`Zoom ${byId('zoom-value').textContent}`);
  return /** @satisfies {Group} */ ({
    fit: () => {
      stage.fit();
      zoomed();
    },
    'full-size': () => {
      stage.fullSize();
      zoomed();
    },
    move: (direction) => stage.move(direction, false),
    'move-far': (direction) => stage.move(direction, true),
    pan: (direction) => stage.pan(direction),
    fainter: () => fade(-0.1),
    stronger: () => fade(0.1),
    boundaries: toggle('boundaries', () => layers.toggleBoundaries(), page),
    overlay: toggle('overlay', () => layers.toggleLabelling(), page),
    outlines: toggle('outlines', () => layers.toggleOutlines(), page),
    patterns: toggle('patterns', () => layers.togglePatterns(), page),
    uncertainty: () => doubt.toggle(),
    tones: () => tones.toggle(),
    coarser: () => granularity.step(-1),
    finer: () => granularity.step(1),
  });
}

/**
 * @param {{session: Session, stage: Stage, acceptance: Acceptance, lasting: () => boolean, history: HistoryPanel, page: Page}} ports lasting: whether unsaved edits outlive the page
 */
export function workCommands({ session, stage, acceptance, lasting, history, page }) {
  return /** @satisfies {Group} */ ({
    undo: () => {
      if (stage.back()) return;
      if (stage.cancel()) page.say('Cancelled'); // the stroke in progress is what was done last
      else page.travel('undo');
    },
    redo: () => {
      if (!stage.drawing.forth()) page.travel('redo');
    },
    history: () => history.toggle(),
    export: () => page.openExport(),
    saved: () => {
      const queued = session.evidence.pending.length;
      const { preview } = acceptance;
      if (queued === 0) toast('Everything is saved', preview && `The preview, ${preview}, is not accepted yet.`);
      else toast(`${counted(queued, 'edit is', 'edits are')} not saved yet`, `Kept in this ${lasting() ? 'browser' : 'page'} until then.`, 'problem');
    },
    'copy-next': () => void page.copyOn(),
    'approve-next': () => void page.approveOn(),
    next: () => void page.go('next'),
    previous: () => void page.go('previous'),
    help: helpSheet(),
  });
}

/** @type {CommandName[]} buttons, whose ids are the names of their commands */
const BUTTONS = ['undo', 'redo', 'export', 'help', 'walk-on', 'walk-back', 'accept', 'accept-next', 'copy-next', 'unguess', 'find', 'boundaries', 'overlay', 'uncertainty', 'next-click', 'patterns', 'search'];

/** @param {Commands} commands */
export function connectButtons(commands) {
  for (const id of ['tools', 'view-tools']) rove(byId(id), () => [...byId(id).querySelectorAll(':scope > button')].map((b) => /** @type {HTMLElement} */ (b)));
  for (const id of BUTTONS) byId(id).addEventListener('click', () => commands[id](''));
}
