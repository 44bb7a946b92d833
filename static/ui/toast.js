import { Problem } from './api.js';
import { byId, stamp } from './dom.js';

/** Milliseconds that a short, plain message stays; problems and offers stay until dismissed or three times as long. */
const READABLE = 4000;

/** Milliseconds per character of a long one: slow readers manage about a hundred words a minute. */
const READING = 100;

/**
 * Shows a message in the corner.
 *
 * @param {string} title
 * @param {string} [detail]
 * @param {'info' | 'problem'} [kind]
 * @param {{label: string, run: () => void | Promise<void>}} [action] what a button of the message does
 * @returns {() => void} takes the message away
 */
export function toast(title, detail = '', kind = 'info', action = undefined) {
  const { element, slot } = stamp('toast-template');
  slot('title').textContent = title;
  slot('detail').textContent = detail;
  slot('detail').hidden = detail === '';
  element.dataset.kind = kind;
  if (kind === 'problem') {
    element.setAttribute('role', 'alert');
    element.querySelector('use')?.setAttribute('href', '#i-warn');
  }
  const list = byId('toasts');
  /** @type {EventTarget | null} what had the focus before a button of the message */
  let before = null;
  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) before = relatedTarget;
  });
  const close = () => {
    const focused = element.contains(document.activeElement);
    element.remove();
    if (focused) (before instanceof HTMLElement && before.checkVisibility() ? before : byId('main')).focus({ preventScroll: true });
  };
  slot('close').addEventListener('click', close);
  slot('action').hidden = !action;
  if (action) {
    slot('action').textContent = action.label;
    slot('action').addEventListener('click', async () => {
      close();
      try {
        await action.run();
      } catch (error) {
        toastProblem(error);
      }
    });
  }
  for (const old of [...list.children]) if (old.textContent === element.textContent) old.remove();
  list.append(element);
  while (list.children.length > 3) list.firstElementChild?.remove();
  const stay = () => setTimeout(expire, Math.max(kind === 'problem' || action ? READABLE * 3 : READABLE, READING * (title.length + detail.length)));
  /** Not while somebody is at the buttons, or nobody can see it. */
  const expire = () => {
    if (document.hidden) document.addEventListener('visibilitychange', stay, { once: true });
    else if (element.matches(':hover, :focus-within')) setTimeout(expire, READABLE);
    else close();
  };
  stay();
  return close;
}

/** Takes messages away that give way to a question, all but problems. */
export function clearToasts() {
  for (const message of byId('toasts').querySelectorAll('[data-kind="info"]')) message.remove();
}

/** Opens the sign-in page beside this one, which keeps what is on it. */
const signIn = { label: 'Sign in', run: () => void open('/login?next=/', '_blank', 'noopener') };

/**
 * Shows what went wrong.
 *
 * @param {unknown} error
 */
export function toastProblem(error) {
  if (error instanceof Problem && error.status === 401) toast('You are signed out', 'Sign in in another tab, then try again here.', 'problem', signIn);
  else if (error instanceof Problem) toast(error.title, error.detail, 'problem');
  else {
    console.error(error);
    toast('Something went wrong on this page', error instanceof Error ? error.message : String(error), 'problem');
  }
}
