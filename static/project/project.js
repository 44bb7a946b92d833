import { call } from '../ui/api.js';
import { byId, closeButtons, colourSwatches, ownDirection } from '../ui/dom.js';
import { ClassText } from './classtext.js';
import { ExportDialog } from '../transfer/export.js';
import { ImageList } from './images.js';
import { LearningPanel } from './learning.js';
import { ImportDialog } from '../transfer/importdialog.js';
import { MembersDialog } from './members.js';
import { RestChoice } from '../classes/rest.js';
import { keyOf } from '../ui/keys.js';
import { keepPictures } from '../ui/pictures.js';
import { themeToggle } from '../ui/theme.js';
import { toast, toastProblem } from '../ui/toast.js';
import { discarded } from './discard.js';
import { dropZone, offerFirst, UploadQueue } from '../transfer/upload.js';

colourSwatches();
themeToggle();
keepPictures();
closeButtons();

const project = byId('main').dataset.project ?? '';
const address = `/api/v1/projects/${encodeURIComponent(project)}`;
const renameDialog = /** @type {HTMLDialogElement} */ (byId('rename-dialog'));
const trashDialog = /** @type {HTMLDialogElement} */ (byId('trash-dialog'));
const input = /** @type {HTMLInputElement} */ (byId('rename-input'));

const images = new ImageList(project, () => void learning.load());
const exporting = new ExportDialog();
const openExport = () => exporting.open(images.selection);
byId('export').addEventListener('click', openExport);
document.addEventListener('keydown', (e) => {
  if ((e.ctrlKey || e.metaKey) && keyOf(e) === 'e' && !document.querySelector('dialog[open]')) {
    e.preventDefault();
    openExport();
  }
});

byId('rename').addEventListener('click', () => {
  input.value = input.defaultValue; // the browser may have translated the name that is shown
  renameDialog.showModal();
  input.select();
});
renameDialog.addEventListener('close', async () => {
  const name = input.value.trim();
  if (renameDialog.returnValue !== 'rename' || name === '') return;
  renameDialog.returnValue = '';
  try {
    const answer = await call('PATCH', address, { name });
    byId('project-name').textContent = byId('trash-name').textContent = input.defaultValue = answer.name;
    document.title = `${answer.name} – Collie`;
    toast('Renamed');
  } catch (error) {
    toastProblem(error);
  }
});

const members = new MembersDialog(address);
byId('members').addEventListener('click', () => members.open());

byId('trash').addEventListener('click', () => trashDialog.showModal());
trashDialog.addEventListener('close', async () => {
  if (trashDialog.returnValue !== 'trash') return;
  trashDialog.returnValue = '';
  try {
    await call('DELETE', address);
    discarded(project, input.defaultValue);
    location.assign('/');
  } catch (error) {
    toastProblem(error);
  }
});

byId('export-chosen').addEventListener('click', openExport);
const learning = new LearningPanel(project, images);
const importing = new ImportDialog(project, async (classes) => {
  await images.load();
  void learning.load();
  if (classes) legend(await call('GET', address));
});
byId('import').addEventListener('click', () => importing.open());
await images.load();
if (location.hash === '#import') { // from the start page, after an upload
  history.replaceState(null, '', location.pathname);
  importing.open();
}
void learning.load();

const uploads = new UploadQueue();
dropZone((files) => {
  if (!uploads.follow(files)) uploads.run(files, () => project, uploaded).catch(toastProblem);
}, importing);

/** Shows what has been uploaded. @param {import('../transfer/upload.js').Sent} sent */
async function uploaded(sent) {
  await images.load();
  void learning.load();
  offerFirst(sent);
}

const rest = new RestChoice(address);
rest.show([...byId('legend').children].map((item, id) => ({ id, name: item.textContent ?? '' })), JSON.parse(rest.field.dataset.rest ?? 'null'));

const classText = new ClassText(address, legend);
byId('edit-classes').addEventListener('click', () => classText.open());

// A list that scrolls can be scrolled by keys; Safari doesn't see to that.
new ResizeObserver(([{ target }]) => {
  /** @type {HTMLElement} */ (target).tabIndex = target.scrollHeight > target.clientHeight ? 0 : -1;
}).observe(byId('legend'));

/** Shows the classes of the project. @param {import('../evidence/protocol.js').ProjectRecord} record */
function legend({ classes, rest: what }) {
  rest.show(classes, what);
  byId('legend').replaceChildren(
    ...classes.map(({ name, color }) => {
      const item = document.createElement('li');
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.dataset.color = color;
      item.append(swatch, ownDirection(name));
      return item;
    }),
  );
  colourSwatches();
}
