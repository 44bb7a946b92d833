import { alternatives } from '../evidence/alternatives.js';
import { call } from '../ui/api.js';
import { divided } from '../evidence/division.js';
import { keepSteps, polyline, recorded, stepsOf, telling, verdict } from './curve.js';
import { byId } from '../ui/dom.js';
import { areasInWords } from './areas.js';
import { levels, ramp } from '../canvas/heat.js';
import { Overlay } from '../canvas/overlay.js';
import { AlternativesPopup } from './popup.js';
import { elsewhere } from './next.js';
import { suppose } from './whatif.js';
import { reached } from '../tools/steer.js';
import { VOID } from '../evidence/protocol.js';
import { percent } from '../ui/numbers.js';
import { clearToasts, toast, toastProblem } from '../ui/toast.js';
import { Uncertainty } from '../evidence/uncertainty.js';

/** Size of the curve in its SVG. */
const CURVE = { width: 60, height: 16 };

/** CSS pixels around the suggested superpixel that the question leaves free. */
const FREE = 40;

/**
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {import('../tools/stage.js').Stage} stage
 * @property {Pick<import('../classes/classes.js').ClassPanel, 'nameOf' | 'colorOf' | 'current'>} classes
 * @property {(superpixel: number) => void} label gives a superpixel the active class
 * @property {(superpixels: readonly number[], label: number) => void} propose shows what a region would become
 * @property {import('./acceptance.js').Acceptance} acceptance
 * @property {{exclude: (superpixels: number[], points: [number, number][], label: number) => void, inWords: (superpixel: number) => string}} saying
 * @property {(text: string) => void} say
 * @property {boolean} touch whether there is probably no keyboard
 */

/**
 * What the hypotheses of the current run leave open: the uncertainty overlay, the
 * next click, the curve of the area on which they disagree, and the alternatives
 * for a region.
 */
export class Doubt {
  /**
   * @param {string} image id
   * @param {Ports} ports
   */
  constructor(image, ports) {
    this.image = image;
    this.ports = ports;
    this.painter = ports.stage.painter;
    this.on = false;
    /** @type {Uncertainty | null} of the last run that has hypotheses */
    this.uncertainty = null;
    /** The superpixels suggested for the current clicks, so that the next one lies elsewhere. */
    this.suggested = { seq: -1, superpixels: /** @type {number[]} */ ([]) };
    /** The run and number of hypotheses that it was computed from. */
    this.source = '';
    this.steps = stepsOf(image);
    this.popup = new AlternativesPopup({
      stage: ports.stage,
      classes: ports.classes,
      propose: ports.propose,
      at: (superpixel) => (ports.session.readOnly ? null : this.at(superpixel)),
      tip: (superpixel, x, y) => this.tell(superpixel, x, y),
      exclude: ({ superpixels, label }) => {
        const bases = [...new Set(superpixels.map((s) => ports.session.evidence.division.baseOf(s)))];
        ports.saying.exclude(bases, bases.map((s) => ports.stage.pointIn(s)), label);
      },
      accept: ({ card, superpixels }) => ports.acceptance.takeRegion(card, superpixels),
      around: (superpixel) => {
        const { division, present: { clicks } } = ports.session.evidence;
        return division.numbers([superpixel]).filter((s) => clicks[s] === VOID);
      },
      suppose: (superpixels) => suppose(image, ports.session, superpixels, (id) => ports.classes.nameOf(id)),
      glance: (card) => ports.acceptance.glance(card),
      take: (card) => {
        ports.acceptance.offer(card);
        ports.acceptance.accept();
      },
      say: ports.say,
    });
    this.paintCurve();
  }

  /** Updates everything after the hypotheses or the labelling have changed. */
  update() {
    const { painter } = this;
    const { session } = this.ports;
    const { hypotheses, evidence } = session;
    const { area } = painter.parts;
    const source = `${hypotheses.run}/${hypotheses.received}/${area.length}`;
    byId('doubt').hidden = !telling(this.steps, hypotheses) || this.ports.acceptance.away || hypotheses.done?.reason === 'busy'; // the line says why none come
    if (this.uncertainty && this.uncertainty.n !== area.length) this.uncertainty = null;
    if (source === this.source || hypotheses.fresh === 0 || hypotheses.running || hypotheses.classes < 2) {
      if (this.on && !painter.heat) this.paintHeat();
      return;
    }
    this.source = source;
    this.uncertainty = new Uncertainty(hypotheses.present, area);
    if (this.asked >= 0 && this.uncertainty.shares(this.asked).length < 2) this.forget(); // nothing is open there any more
    if (hypotheses.done?.reason === 'complete') {
      this.steps = recorded(this.steps, { seq: evidence.seq, wrong: this.uncertainty.wrongArea });
      keepSteps(this.image, this.steps);
      this.paintCurve();
    }
    if (this.on) this.paintHeat();
  }

  paintCurve() {
    const last = this.steps.at(-1);
    byId('doubt').hidden = !telling(this.steps, this.ports.session.hypotheses);
    if (!last) return;
    byId('doubt-text').textContent = verdict(last.wrong);
    byId('doubt-curve').toggleAttribute('hidden', this.steps.length < 2);
    const points = polyline(this.steps, CURVE.width, CURVE.height);
    const line = byId('doubt-curve').querySelector('polyline');
    line?.setAttribute('points', points);
    const [x, y] = (points.split(' ').at(-1) ?? '0,0').split(',');
    const dot = byId('doubt-curve').querySelector('circle');
    dot?.setAttribute('cx', x);
    dot?.setAttribute('cy', y);
    const percents = this.steps.slice(-8).map(({ wrong }) => (wrong * 100).toFixed(1));
    byId('doubt-curve').setAttribute('aria-label', `Disagreement after the last ${percents.length === 1 ? 'step' : `${percents.length} steps`}, in percent: ${percents.join(', ')}`);
  }

  /** Shows or hides the uncertainty overlay. */
  toggle() {
    this.on = !this.on;
    byId('uncertainty').setAttribute('aria-pressed', String(this.on));
    byId('heat-legend').hidden = !this.on;
    if (this.on) {
      if (!this.uncertainty) toast('No hypotheses yet', 'Click superpixels of two classes. The overlay then shows where hypotheses differ.');
      this.paintHeat();
      this.ports.say('Uncertainty shown');
    } else {
      this.painter.heat = null;
      this.painter.touch();
      this.tell(-1, 0, 0);
      this.ports.say('Uncertainty hidden');
    }
  }

  paintHeat() {
    const { painter } = this;
    if (!painter.heat) {
      painter.heat = new Overlay(painter.map);
      painter.heat.recolor(ramp(), false);
    }
    if (this.uncertainty) {
      painter.heat.show(levels(this.uncertainty.entropy(), this.uncertainty.classes.length).subarray(0, painter.map.n));
      byId('heat-areas').textContent = areasInWords(this.uncertainty.areas(), (id) => this.ports.classes.nameOf(id));
    }
    painter.touch();
  }

  /**
   * Shows the class shares of a superpixel beside the pointer.
   *
   * @param {number} superpixel or -1
   * @param {number} x CSS pixels within the stage
   * @param {number} y
   */
  tell(superpixel, x, y) {
    const tip = byId('tip');
    tip.hidden = !this.on || superpixel < 0 || !this.uncertainty;
    if (tip.hidden) return;
    tip.textContent = this.inWords(superpixel);
    const { width, height } = this.ports.stage.size;
    tip.style.left = `${Math.max(4, Math.min(width - tip.offsetWidth - 4, x + 14))}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 10 : y + 18}px`;
  }

  /** @param {number} superpixel */
  inWords(superpixel) {
    return (this.uncertainty?.shares(superpixel) ?? []).map(({ label, share }) => `${this.ports.classes.nameOf(label)} ${percent(share)}`).join(', ');
  }

  /** Announces the superpixel in focus to screen readers. @param {number} s */
  describe(s) {
    const { painter, ports: { classes, saying, stage } } = this;
    if (s < 0 || painter.marks.cursor !== s || this.asked >= 0) return;
    const open = this.inWords(s);
    this.ports.say(reached(stage.pointIn(s), classes.nameOf(painter.overlay.labels[s]) + saying.inWords(s)) + (open.includes(',') ? `; hypotheses: ${open}` : ''));
  }

  /**
   * Goes to the superpixel whose answer is expected to help most, and when asked
   * again to the next one that lies elsewhere; the key of a class then labels it.
   * The server works them out from the evidence.
   */
  async next() {
    const { session } = this.ports;
    const { hypotheses, evidence } = session;
    if (!session.mayAsk()) return;
    if (hypotheses.classes < 2) {
      toast('No suggestion yet', 'Click superpixels of two classes first.');
      return;
    }
    try {
      const { map, suggestion, further_suggestions: further } = await call('GET', `/api/v1/images/${this.image}/hypotheses?count=0`);
      if (!suggestion) toast('No more suggestions', 'No further click is expected to help.');
      if (!suggestion || map !== evidence.map) return;
      const worth = [suggestion, ...further].map(({ superpixel }) => superpixel).filter((s) => evidence.present.clicks[s] === VOID).map((s) => evidence.division.baseOf(s));
      if (this.suggested.seq !== evidence.seq) this.suggested = { seq: evidence.seq, superpixels: [] };
      const next = elsewhere(worth, this.suggested.superpixels, this.ports.stage.graph);
      if (next < 0) return;
      if (this.suggested.superpixels.includes(next)) this.suggested.superpixels = []; // around again
      this.suggested.superpixels.push(next);
      this.ask(next);
    } catch (error) {
      toastProblem(error);
    }
  }

  /** @param {number} superpixel to be labelled next */
  ask(superpixel) {
    const { painter } = this;
    const { session, stage, touch, say } = this.ports;
    const fresh = session.hypotheses.present;
    if (fresh.length > 0) this.uncertainty ??= new Uncertainty(fresh, painter.parts.area);
    this.popup.close();
    this.tell(-1, 0, 0);
    stage.goTo(superpixel);
    painter.marks.suggested = superpixel;
    painter.touchMarks();
    clearToasts(); // they lie where the question does
    const wanted = touch ? 'choose its class, then tap it' : 'press the key of its class';
    const open = this.inWords(superpixel) || 'This superpixel';
    byId('asking-text').textContent = `${open} – ${wanted}`;
    const asking = byId('asking');
    asking.hidden = false;
    asking.classList.remove('above');
    asking.classList.toggle('above', stage.inWindow(painter.anchorOf(superpixel))[1] > asking.offsetTop - FREE);
    say(`Most useful next click: ${reached(stage.pointIn(superpixel), open)}. Press the key of its class.`);
  }

  /** The suggested superpixel, or -1. */
  get asked() {
    return this.painter.marks.suggested;
  }

  /** Labels the suggested superpixel with the active class. @returns {boolean} whether there was one */
  answer() {
    const { asked } = this;
    if (asked < 0) return false;
    this.forget();
    this.ports.label(asked);
    return true;
  }

  /** Withdraws the suggestion. @returns {boolean} whether there was one */
  forget() {
    const was = this.asked >= 0;
    byId('asking').hidden = true;
    this.painter.marks.suggested = -1;
    this.painter.touchMarks();
    return was;
  }

  /** The alternatives around a superpixel. @param {number} superpixel */
  at(superpixel) {
    const { session, stage } = this.ports;
    const { division, present: { clicks, labels } } = session.evidence;
    const cards = session.hypotheses.present;
    const open = division.numbers([superpixel]).find((s) => clicks[s] === VOID && cards.some((card) => card.labels[s] !== cards[0].labels[s]));
    return alternatives(open ?? superpixel, { cards, graph: divided(stage.graph, division), clicks, labels });
  }
}
