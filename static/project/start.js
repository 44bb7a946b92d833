import { call } from '../ui/api.js';
import { discard, sayDiscarded } from './discard.js';
import { byId, colourSwatches } from '../ui/dom.js';
import { sendFile } from '../ui/sendfile.js';
import { keepPictures } from '../ui/pictures.js';
import { themeToggle } from '../ui/theme.js';
import { staying } from '../ui/staying.js';
import { toast, toastProblem } from '../ui/toast.js';
import { projectName } from './projectname.js';
import { filterProjects } from './projects.js';
import { photographs } from '../transfer/folders.js';
import { dropZone, offerFirst, offerImport, UploadQueue } from '../transfer/upload.js';
import { stacks } from '../transfer/uploads.js';

colourSwatches();
themeToggle();
keepPictures();

let busy = false;

/** @param {() => Promise<void>} work */
async function alone(work) {
  if (busy) return;
  busy = true;
  document.documentElement.classList.add('busy');
  try {
    await work();
  } catch (error) {
    toastProblem(error);
  } finally {
    busy = false;
    document.documentElement.classList.remove('busy');
  }
}

/** Opens a page. Until this one is shown again, or stays for long, nothing else begins here. @param {string} address */
function go(address) {
  location.assign(address);
  return new Promise((stays) => {
    addEventListener('pageshow', stays, { once: true });
    setTimeout(stays, 10_000);
  });
}

const uploads = new UploadQueue();
dropZone((files) => {
  if (uploads.follow(files)) return;
  if (busy) toast('Files can’t be added yet', 'Something else on this page is still running. Add them again when it is done.');
  else void alone(async () => ((await isBackup(files)) ? restore(files[0]) : create(files)));
});

/** Whether files are the backup of a project: the list of its images is nearly the last in it. @param {File[]} files */
async function isBackup(files) {
  const [file] = files;
  return files.length === 1 && /\.zip$/i.test(file.name) && (await file.slice(-1024).text().catch(() => '')).includes('backup.json');
}

/** Makes a project of files, and of those that come meanwhile, and opens its first image. @param {File[]} files */
async function create(files) {
  let id = '';
  const sent = await uploads.run(files, async () => {
    const name = projectName(photographs(files).map((file) => file.name), new Date());
    return ({ id } = await call('POST', '/api/v1/projects', { name })).id;
  });
  if (sent.images.length === 0) {
    await call('DELETE', `/api/v1/projects/${encodeURIComponent(id)}?empty=remove`);
  } else if (sent.failed === 0 && sent.leftOut === 0 && !sent.masks && !stacks(sent.images)) {
    await go(`/images/${sent.images[0].id}`);
  } else {
    if (sent.leftOut > 0) offerImport(id);
    else offerFirst(sent);
    byId('uploads-open').focus();
  }
}

byId('sample').addEventListener('click', () =>
  alone(async () => {
    const { open } = byId('sample').dataset;
    if (open) return go(open);
    toast('Preparing the sample image', 'This takes a moment the first time.');
    const { images } = await call('POST', '/api/v1/sample');
    await go(`/images/${images[0].id}`);
  }),
);

const backup = /** @type {HTMLInputElement} */ (byId('backup-file'));
byId('backup').addEventListener('click', () => backup.click());
backup.addEventListener('change', () =>
  alone(async () => {
    const [file] = backup.files ?? [];
    backup.value = '';
    if (file) await restore(file);
  }),
);

/** Makes the project of a backup and opens it. @param {File} file */
async function restore(file) {
  toast('Importing the backup', 'The project opens when it is ready.');
  const [project] = await staying(() => sendFile('/api/v1/imports', file));
  await go(`/projects/${encodeURIComponent(project.id)}`);
}

document.addEventListener('click', (event) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-trash]'));
  const card = /** @type {HTMLElement | null} */ (button?.closest('.card') ?? null);
  if (!button || !card) return;
  const { trash = '', name = '' } = button.dataset;
  void discard(`/api/v1/projects/${encodeURIComponent(trash)}`, trash, name, card, filterProjects);
});

const filter = document.getElementById('project-filter');
filter?.addEventListener('submit', (event) => event.preventDefault());
filter?.addEventListener('input', filterProjects);
sayDiscarded();
filterProjects(); // the browser may have filled the field in again
