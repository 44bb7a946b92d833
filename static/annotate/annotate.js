import { Problem } from '../ui/api.js';
import { App } from './app.js';
import { byId, closeButtons } from '../ui/dom.js';
import { listen } from './commands.js';
import { load } from './load.js';
import { followOrder } from '../project/order.js';
import { newID } from '../evidence/protocol.js';
import { Queue } from '../evidence/queue.js';
import { themeToggle } from '../ui/theme.js';
import { toast } from '../ui/toast.js';

const data = byId('app').dataset;
closeButtons();
themeToggle();
followOrder(data);
for (const type of /** @type {const} */ (['dragover', 'drop'])) {
  document.addEventListener(type, (e) => {
    if (!e.dataTransfer?.types.includes('Files')) return;
    e.preventDefault(); // a browser would leave the page for the file
    if (type === 'drop') toast('Files are not taken here', 'Images and masks are added on the page of the project.');
  });
}

try {
  const queue = new Queue(data.image ?? '', newID());
  const [parts, left] = await Promise.all([load(data.display ?? '', data.superpixels ?? ''), queue.open()]);
  const app = new App(data, parts, queue);
  app.resume(left);
  queue.inherited = (found) => app.resume(found);
  listen(app);
  byId('loading').hidden = true;
  if (!queue.lasting) toast('Edits are kept in this page only', 'This window gives no storage, as private windows do. Before you close it, look that the state says Saved.');
  byId('canvas').focus({ preventScroll: true });
} catch (error) {
  console.error(error);
  byId('loading').classList.add('failed');
  byId('loading-text').textContent =
    error instanceof Problem ? `${error.title}. ${error.detail}` : 'This image could not be opened. Reload the page to try again.';
  byId('status').textContent = 'The image could not be opened';
}
