import { call } from '../ui/api.js';
import { restore } from './discard.js';
import { byId, stamp } from '../ui/dom.js';
import { arrange, stepTo, tally, windowOf } from './gallery.js';
import { keepOrder } from './order.js';
import { percent } from '../ui/percent.js';
import { toast, toastProblem } from '../ui/toast.js';

/** @typedef {import('./gallery.js').ImageRecord} ImageRecord */

const STATUS = { untouched: 'Untouched', started: 'Started', done: 'Done' };

/**
 * The images of a project: a grid of which only what the window sees is in the
 * page, so that ten thousand are as quick as ten. What is asked for stands in
 * the address and survives a reload.
 *
 * @param {string} project
 */
export function imageList(project) {
  const list = byId('images');
  const form = /** @type {HTMLFormElement} */ (byId('image-filter'));
  const text = /** @type {HTMLInputElement} */ (byId('find-image'));
  const order = /** @type {HTMLSelectElement} */ (byId('image-order'));
  /** @type {ImageRecord[]} */
  let images = [];
  /** @type {ImageRecord[]} */
  let shown = [];
  /** @type {Map<string, HTMLElement>} */
  let cards = new Map();
  /** @type {Set<string>} */
  const chosen = new Set();
  let drawing = 0;

  const wish = () => ({ text: text.value, status: String(new FormData(form).get('status') ?? ''), order: order.value });

  const filter = () => {
    const asked = wish();
    shown = arrange(images, asked);
    keepOrder(project, shown);
    const counts = tally(images);
    for (const place of form.querySelectorAll('[data-count]')) {
      if (place instanceof HTMLElement) place.textContent = String(counts[place.dataset.count ?? '']);
    }
    byId('image-count').textContent = shown.length === images.length ? '' : `${shown.length} of ${images.length} shown`;
    byId('no-images').hidden = shown.length > 0 || images.length === 0;
    byId('progress-text').textContent = `${counts.done} of ${images.length} ${images.length === 1 ? 'image' : 'images'} done`;
    const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
    bar.max = Math.max(1, images.length);
    bar.value = counts.done;
    form.hidden = images.length === 0;
    chose();
    draw();
  };

  /** Puts the cards that the window sees into the list. */
  const draw = () => {
    drawing = 0;
    if (shown.length === 0) {
      list.replaceChildren();
      cards = new Map();
      list.style.paddingBlock = '';
      return;
    }
    const style = getComputedStyle(list);
    const columns = style.gridTemplateColumns.split(' ').length;
    const row = Number.parseFloat(style.gridAutoRows) + Number.parseFloat(style.rowGap);
    const { from, to, above, below } = windowOf({
      count: shown.length, columns, row, height: innerHeight, top: -list.getBoundingClientRect().top,
    });
    /** @type {Map<string, HTMLElement>} */
    const next = new Map();
    for (let i = from; i < to; i++) {
      const im = shown[i];
      const element = cards.get(im.id) ?? card(im);
      element.dataset.at = String(i);
      element.setAttribute('aria-posinset', String(i + 1));
      element.setAttribute('aria-setsize', String(shown.length));
      next.set(im.id, element);
    }
    cards = next;
    list.style.paddingBlock = `${above * row}px ${below * row}px`;
    const wanted = [...next.values()];
    if (wanted.length !== list.children.length || wanted.some((element, i) => list.children[i] !== element)) {
      const focused = document.activeElement;
      list.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && list.contains(focused)) focused.focus({ preventScroll: true });
    }
  };
  const soon = () => {
    drawing ||= requestAnimationFrame(draw);
  };

  /** @param {ImageRecord} im @returns {HTMLElement} */
  const card = (im) => {
    const { element, slot } = stamp('image-template');
    const link = /** @type {HTMLAnchorElement} */ (slot('link'));
    link.href = `/images/${im.id}`;
    /** @type {HTMLImageElement} */ (slot('cover')).src = `/api/v1/images/${im.id}/thumbnail`;
    slot('name').textContent = im.name;
    slot('name').title = im.name;
    slot('status').classList.add(`status-${im.status}`);
    slot(`icon-${im.status}`).hidden = false;
    const doubtful = im.status === 'started' && im.expected_wrong_area !== undefined ? ` · ${percent(im.expected_wrong_area)} in doubt` : '';
    slot('state').textContent = (im.status === 'started' ? `${percent(im.decided)} decided` : STATUS[im.status]) + doubtful;
    slot('size').textContent = `${im.width} × ${im.height}`;
    const bar = /** @type {HTMLProgressElement} */ (slot('bar'));
    bar.value = im.decided;
    bar.setAttribute('aria-label', `${percent(im.decided)} decided`);
    const box = /** @type {HTMLInputElement} */ (slot('choose'));
    box.checked = chosen.has(im.id);
    box.setAttribute('aria-label', `Select ${im.name}`);
    box.addEventListener('change', () => {
      if (box.checked) chosen.add(im.id);
      else chosen.delete(im.id);
      chose();
    });
    return element;
  };

  /** The images that are selected and shown, which is what can be done something with. */
  const selected = () => shown.filter((im) => chosen.has(im.id)).map((im) => im.id);
  const chose = () => {
    const count = selected().length;
    byId('selection').hidden = count === 0;
    byId('selection-text').textContent = `${count} ${count === 1 ? 'image' : 'images'} selected`;
    list.classList.toggle('choosing', count > 0);
  };
  const chooseNone = () => {
    chosen.clear();
    cards = new Map();
    chose();
    draw();
  };

  /** @param {string[]} ids @param {ImageRecord[]} gone */
  const bringBack = async (ids, gone) => {
    for (const id of ids) await restore(id);
    images.push(...gone);
    await load();
  };
  const trash = async () => {
    const ids = selected();
    /** @type {string[]} */
    const done = [];
    try {
      for (const id of ids) {
        await call('DELETE', `/api/v1/images/${id}`);
        done.push(id);
      }
    } catch (error) {
      toastProblem(error);
    }
    const gone = images.filter((im) => done.includes(im.id));
    images = images.filter((im) => !done.includes(im.id));
    chooseNone();
    filter();
    list.querySelector('a')?.focus();
    if (done.length === 0) return;
    const what = done.length === 1 ? gone[0].name : `${done.length} images`;
    toast('Moved to the trash', what, 'info', { label: 'Undo', run: () => bringBack(done, gone) });
  };

  const load = async () => {
    try {
      images = await call('GET', `/api/v1/projects/${encodeURIComponent(project)}/images`);
      cards = new Map();
    } catch (error) {
      toastProblem(error);
    }
    list.removeAttribute('aria-busy');
    filter();
  };

  restoreWish(form, text, order);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    rememberWish(wish());
    filter();
  });
  byId('show-all').addEventListener('click', () => {
    form.reset();
    text.value = '';
    rememberWish(wish());
    filter();
    text.focus();
  });
  byId('choose-none').addEventListener('click', chooseNone);
  byId('choose-all').addEventListener('click', () => {
    for (const im of shown) chosen.add(im.id);
    cards = new Map();
    chose();
    draw();
  });
  byId('trash-chosen').addEventListener('click', trash);
  list.addEventListener('keydown', (event) => {
    const element = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-at]'));
    const columns = getComputedStyle(list).gridTemplateColumns.split(' ').length;
    const to = element ? stepTo(event.key, Number(element.dataset.at), columns, shown.length) : -1;
    if (to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    reveal(to, columns);
  });
  /** @param {number} at @param {number} columns */
  const reveal = (at, columns) => {
    const style = getComputedStyle(list);
    const row = Number.parseFloat(style.gridAutoRows) + Number.parseFloat(style.rowGap);
    const box = list.getBoundingClientRect();
    const y = box.top + Math.floor(at / columns) * row;
    if (y < 0 || y + row > innerHeight) scrollBy({ top: y - (innerHeight - row) / 2, behavior: 'instant' });
    draw();
    cards.get(shown[at].id)?.querySelector('a')?.focus({ preventScroll: true });
  };
  addEventListener('scroll', soon, { passive: true });
  addEventListener('resize', soon);
  // Coming back from an image, what was done there shows.
  addEventListener('pageshow', (event) => event.persisted && load());

  return {
    load,
    /** @returns {readonly ImageRecord[]} */
    all: () => images,
    /** @returns {string[]} the ids of the images that are selected, in the order of the list */
    selected,
  };
}

/** @param {import('./gallery.js').Wish} wish */
function rememberWish(wish) {
  const address = new URL(location.href);
  for (const [key, value] of Object.entries({ q: wish.text, status: wish.status, order: wish.order === 'upload' ? '' : wish.order })) {
    if (value) address.searchParams.set(key, value);
    else address.searchParams.delete(key);
  }
  history.replaceState(null, '', address);
}

/** @param {HTMLFormElement} form @param {HTMLInputElement} text @param {HTMLSelectElement} order */
function restoreWish(form, text, order) {
  const asked = new URL(location.href).searchParams;
  text.value = asked.get('q') ?? '';
  for (const radio of form.querySelectorAll('input[name="status"]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === (asked.get('status') ?? '');
  }
  const wanted = asked.get('order') ?? 'upload';
  if ([...order.options].some((o) => o.value === wanted)) order.value = wanted;
}
