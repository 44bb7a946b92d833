import { byId } from '../ui/dom.js';
import { findClass } from '../classes/find.js';
import { helpSheet } from './help.js';
import { belongsTo, commandOf } from './keys.js';
import { recalled, remember } from '../ui/memory.js';
import { toast } from '../ui/toast.js';

/** Where the browser keeps whether patterns are wanted. */
const PATTERNED = 'collie-patterns';

/** Milliseconds after which a held key is a hold and not a tap. */
const HOLD = 220;

/** Commands of keys that mean something else beside the image. */
const ON_IMAGE = ['move', 'move-far', 'pan'];

/**
 * Connects keys and buttons with what they do.
 *
 * @param {import('./app.js').App} app
 */
export function listen(app) {
  const { painter, stage, session, classes } = app;
  const opacity = /** @type {HTMLInputElement} */ (byId('opacity'));
  const openFind = findClass(() => classes.classes, (i) => classes.choose(i));
  const openHelp = helpSheet();

  /** @param {'boundaries' | 'labelled'} layer @param {string} button @param {boolean} on */
  const toggle = (layer, button, on) => {
    painter[layer] = on;
    byId(button).setAttribute('aria-pressed', String(on));
    painter.touch();
  };
  /** @param {number} value */
  const setOpacity = (value) => {
    painter.opacity = Math.min(1, Math.max(0.1, value));
    opacity.value = String(painter.opacity);
    if (!painter.labelled) toggle('labelled', 'overlay', true);
    painter.touch();
  };
  /** @param {'next' | 'previous'} side */
  const go = async (side) => {
    const id = app.data[side];
    if (!id) {
      toast(side === 'next' ? 'This is the last image of the project' : 'This is the first image of the project');
    } else if (await app.saved()) {
      location.assign(`/images/${id}`);
    }
  };

  /** @param {boolean} on */
  const setPatterns = (on) => {
    app.patterned = on;
    app.recolor();
    byId('app').classList.toggle('patterned', on);
    byId('patterns').setAttribute('aria-pressed', String(on));
    remember(PATTERNED, String(on));
  };
  if (recalled(PATTERNED, String(matchMedia('(prefers-contrast: more)').matches)) === 'true') setPatterns(true);

  /** @type {Record<string, (argument: string) => void>} */
  const commands = {
    class: (i) => {
      if (classes.choose(Number(i))) app.doubt.answer();
    },
    pick: () => app.pick(stage.focus),
    find: openFind,
    'add-class': () => classes.add(),
    'rename-class': () => classes.edit(classes.activeKey),
    'walk-on': () => app.walk(1),
    'walk-back': () => app.walk(-1),
    search: () => {
      if (session.hypotheses.running) session.stop();
      else if (session.hypotheses.more > 0) session.run(session.hypotheses.more);
    },
    accept: () => {
      if (!stage.drawing.close() && !stage.point.finish()) app.accept();
    },
    'accept-region': () => app.acceptRegion(),
    'accept-next': () => {
      app.accept();
      void go('next');
    },
    cancel: () => {
      if (app.history.leave()) return;
      if (app.picking) app.pickRegion(false);
      else if (stage.cancel()) app.say('Cancelled');
      else if (!app.doubt.popup.close() && !app.doubt.forget()) app.select(-1);
    },
    tool: (kind) => stage.tools.take(/** @type {import('../tools/strokes.js').ToolKind} */ (kind)),
    history: () => app.history.toggle(),
    exact: () => stage.tools.toggleExact(),
    thinner: () => stage.tools.resize(stage.tools.place - 1),
    wider: () => stage.tools.resize(stage.tools.place + 1),
    fit: () => stage.fit(),
    'full-size': () => stage.fullSize(),
    fainter: () => setOpacity(painter.opacity - 0.1),
    stronger: () => setOpacity(painter.opacity + 0.1),
    boundaries: () => toggle('boundaries', 'boundaries', !painter.boundaries),
    overlay: () => toggle('labelled', 'overlay', !painter.labelled),
    uncertainty: () => app.doubt.toggle(),
    'next-click': () => app.doubt.next(),
    alternatives: () => {
      if (!app.doubt.popup.ask()) toast('No alternatives here', 'Point at a part of the image on which the hypotheses differ; U shows where.');
    },
    tones: () => app.tones.toggle(),
    patterns: () => setPatterns(!app.patterned),
    move: (direction) => stage.move(direction, false),
    'move-far': (direction) => stage.move(direction, true),
    pan: (direction) => stage.pan(direction),
    clear: () => stage.drawing.back() || app.touchUp('clear', stage.focus),
    undo: () => app.travel('undo'),
    redo: () => app.travel('redo'),
    export: () => app.openExport(),
    saved: () => {
      const queued = session.evidence.pending.length;
      if (session.save === 'saved') toast('Everything is saved');
      else toast(`${queued} ${queued === 1 ? 'step is' : 'steps are'} waiting to be saved`, `They are kept in this ${app.queue.lasting ? 'browser' : 'page'} until the server has them.`, 'problem');
    },
    coarser: () => app.regrain.control.step(-1),
    finer: () => app.regrain.control.step(1),
    next: () => void go('next'),
    previous: () => void go('previous'),
    help: openHelp,
  };

  /** When H went down, or -1. */
  let peeking = -1;
  /** Whether Space is down and meant for the keyboard alone, however long: a hand may be slow. */
  let labelling = false;
  byId('canvas').addEventListener('pointerdown', () => {
    labelling = false;
  });
  document.addEventListener('keydown', (e) => {
    if (document.querySelector('dialog[open]') || belongsTo(e.target, e.key)) return;
    if (e.key === ' ') {
      e.preventDefault();
      if (!e.repeat) {
        labelling = e.target === byId('canvas');
        if (labelling && stage.point.press()) return;
        stage.space = true;
        byId('canvas').dataset.space = '';
      }
      return;
    }
    const given = commandOf(e);
    if (!given) return;
    const [name, argument = ''] = given.split(' ');
    if (ON_IMAGE.includes(name) && !document.activeElement?.matches('body, #main, #canvas')) return;
    e.preventDefault();
    if (e.repeat && ![...ON_IMAGE, 'undo', 'redo', 'walk-on', 'walk-back', 'fainter', 'stronger', 'coarser', 'finer', 'thinner', 'wider'].includes(name)) return;
    if (name === 'overlay') peeking = e.timeStamp;
    commands[name](argument);
  });
  document.addEventListener('keyup', (e) => {
    if (e.key.toLowerCase() === 'h' && peeking >= 0) {
      if (e.timeStamp - peeking >= HOLD) commands.overlay('');
      peeking = -1;
    }
    if (e.key === ' ') {
      const label = labelling && e.target === byId('canvas');
      labelling = stage.space = false;
      delete byId('canvas').dataset.space;
      if (stage.point.release() || !label) return;
      app.touchUp(stage.tools.kind === 'eraser' ? 'clear' : 'paint', painter.marks.cursor);
    }
  });
  addEventListener('blur', () => {
    labelling = stage.space = false;
    stage.point.release();
    if (peeking >= 0) commands.overlay('');
    peeking = -1;
  });

  for (const id of ['undo', 'redo', 'export', 'help', 'walk-on', 'walk-back', 'accept', 'find', 'boundaries', 'overlay', 'uncertainty', 'next-click', 'patterns', 'search']) {
    byId(id).addEventListener('click', () => commands[id](''));
  }
  byId('accept-region').addEventListener('click', () => app.pickRegion(!app.picking));
  opacity.addEventListener('input', () => setOpacity(Number(opacity.value)));
  addEventListener('beforeunload', (e) => {
    if (session.evidence.pending.length > 0 && !app.queue.lasting) e.preventDefault();
  });
}
