/**
 * The files of what was dropped or pasted, those in folders included, each named by its
 * path from the folder on. Must be called while the event is being handled.
 *
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return [...transfer.files];
  /** @type {File[]} */
  const files = [];
  for (const entry of entries) {
    if (entry) await collect(entry, '', files);
  }
  return files;
}

/** @param {FileSystemEntry} entry @param {string} folder @param {File[]} files */
async function collect(entry, folder, files) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
    files.push(renamed(file, folder + entry.name));
    return;
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const inside = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break; // a reader gives about a hundred at a time
    inside.push(...some);
  }
  inside.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const one of inside) await collect(one, `${folder}${entry.name}/`, files);
}

/** Files that operating systems put into folders. */
const CLUTTER = /(^|\/)(\.[^/]*|Thumbs\.db|desktop\.ini|__MACOSX\/.*)$/i;

/**
 * The chosen files without system files, named by their paths when they came as a folder.
 *
 * @param {readonly File[]} files
 * @returns {File[]}
 */
export function meant(files) {
  return files
    .map((file) => (file.webkitRelativePath ? renamed(file, file.webkitRelativePath) : file))
    .filter((file) => !CLUTTER.test(file.name));
}

/** Endings of the lists and annotations of data sets, and their folders of masks; as in segment/beside. */
const LIST = /\.(txt|json|xml|ya?ml|csv|md|np[yz])$/i;
const MASKS = /(^|\/)(Segmentation(Class|Object)\w*|masks|annotations)\//i;
const MASK = /_(cp_masks|masks?|gt(fine|coarse)_(color|(label|instance)(train)?ids))\.(?!jpe?g$)[^.]*$/i;

/** Whether a file can be a mask by its name. @param {{name: string}} file */
export const likeMask = ({ name }) => MASKS.test(name) || MASK.test(name);

/**
 * The photographs among files, without lists, annotations, and masks, which have a namesake elsewhere, or, unless
 * they are JPEGs, among the images there; all files if none would be left, except when there are masks of images there.
 *
 * @template {{name: string}} F
 * @param {readonly F[]} files
 * @param {readonly {name: string}[]} [there]
 * @returns {F[]}
 */
export function photographs(files, there = []) {
  const stem = (/** @type {{name: string}} */ { name }) => name.slice(name.lastIndexOf('/') + 1).replace(/(_leftImg8bit)?\.[^.]*$/i, '').toLowerCase();
  const of = (/** @type {F} */ { name }) => stem({ name: MASKS.test(name) ? name : name.replace(MASK, '.') });
  const elsewhere = new Set(files.filter(({ name }) => !LIST.test(name) && !MASKS.test(name)).map(stem));
  const known = new Set(there.filter(({ name }) => !MASKS.test(name)).map(stem));
  const ofThere = (/** @type {F} */ file) => likeMask(file) && !/\.jpe?g$/i.test(file.name) && known.has(of(file));
  const left = files.filter((file) => !LIST.test(file.name) && !(likeMask(file) && elsewhere.has(of(file))) && !ofThere(file));
  return left.length > 0 || files.some(ofThere) ? left : [...files];
}

/**
 * The files named without the folders that they have in common.
 *
 * @param {readonly File[]} files
 * @returns {File[]}
 */
export function shortened(files) {
  const folders = files.map(({ name }) => name.split('/').slice(0, -1));
  const shared = folders.reduce((all, some) => {
    const ends = all.findIndex((folder, i) => folder !== some[i]);
    return ends < 0 ? all : all.slice(0, ends);
  }, folders[0] ?? []);
  return files.map((file) => renamed(file, file.name.split('/').slice(shared.length).join('/')));
}

/** @param {File} file @param {string} name @returns {File} */
function renamed(file, name) {
  return name === file.name ? file : new File([file], name, { type: file.type, lastModified: file.lastModified });
}
