import { Problem } from './api.js';
import { App } from './app.js';
import { byId, closeButtons } from './dom.js';
import { listen } from './commands.js';
import { load } from './load.js';
import { themeToggle } from './theme.js';

const data = byId('app').dataset;
closeButtons();
themeToggle();

try {
  const parts = await load(data.display ?? '', data.superpixels ?? '');
  const app = new App(data, parts);
  listen(app);
  byId('loading').hidden = true;
  byId('canvas').focus({ preventScroll: true });
} catch (error) {
  console.error(error);
  byId('loading').classList.add('failed');
  byId('loading-text').textContent =
    error instanceof Problem ? `${error.title}. ${error.detail}` : 'This image could not be opened. Reload the page to try again.';
  byId('status').textContent = 'The image could not be opened';
}
