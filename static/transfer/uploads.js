import { Problem } from '../ui/api.js';
import { counted } from '../ui/numbers.js';
import { insist } from '../ui/patience.js';

/**
 * An upload of many files: which to send, which exist already, and what to do
 * while the server is busy. The page and the network are passed in.
 */

/** @typedef {{id: string, present?: boolean, pictures?: number, left_out?: number}} Uploaded an image, whether it was there before, how many pictures are in its file if it is the first of several, and how many files beside the photographs of its archive were left out */

/** @typedef {{images: Uploaded[], problems: {name: string, problem: {title: string, detail: string}}[]}} Answer */

/**
 * @typedef {object} Row what a person sees of one file
 * @property {(share: number) => void} progress
 * @property {(problem: Problem, seconds: number) => void} wait
 * @property {(answer: Answer) => void} succeed
 * @property {() => void} skip
 * @property {(problem: Problem) => void} fail
 */

/**
 * @typedef {object} World
 * @property {() => Promise<{id: string, name: string, bytes: number}[]>} present the images that the project has
 * @property {(image: string, file: File) => Promise<boolean>} same whether the image's original has the content of the file
 * @property {(file: File, progress: (share: number) => void) => Promise<Answer>} send
 * @property {(milliseconds: number) => Promise<void>} pause
 * @property {(file: File) => Row} show
 * @property {(done: number, of: number) => void} tell
 */

export class Uploads {
  /** @param {File[]} files @param {World} world */
  constructor(files, world) {
    this.files = files;
    this.world = world;
    /** @type {{id: string, name: string, bytes: number}[]} images of the project that no file here stands for yet */
    this.there = [];
    /** @type {Set<string>} ids of images that were there or have been answered */
    this.known = new Set();
  }

  /**
   * Sends the files one after the other, so that the images are in their order.
   *
   * @returns {Promise<{images: Uploaded[], failed: number, skipped: number}>} failed and skipped count files in archives, too
   */
  async run() {
    this.there = [...await this.world.present().catch(() => [])];
    this.known = new Set(this.there.map((im) => im.id));
    /** @type {Uploaded[]} */
    const images = [];
    let failed = 0;
    let skipped = 0;
    for (const [i, file] of this.files.entries()) {
      const row = this.world.show(file);
      if (await this.take(file)) {
        skipped++;
        row.skip();
      } else {
        try {
          const send = () => this.world.send(file, row.progress);
          const answer = await insist(send, { wait: row.wait, pause: this.world.pause }, () => this.arrived(file));
          const fresh = answer.images.filter((im) => !im.present);
          images.push(...fresh);
          skipped += answer.images.length - fresh.length;
          failed += answer.problems.length;
          for (const im of answer.images) this.known.add(im.id);
          row.succeed(answer);
        } catch (error) {
          failed++;
          row.fail(error instanceof Problem ? error : new Problem('The upload failed', String(error)));
        }
      }
      this.world.tell(i + 1, this.files.length);
    }
    return { images, failed, skipped };
  }

  /** Whether an image is there that the file became; it stands for one file only. @param {File} file */
  async take(file) {
    const wanted = identity({ name: file.name, bytes: file.size });
    for (const [at, im] of this.there.entries()) {
      if (identity(im) !== wanted || !(await this.world.same(im.id, file).catch(() => false))) continue;
      this.there.splice(at, 1);
      return true;
    }
    return false;
  }

  /** The images that exist of a file whose answer did not arrive. @param {File} file @returns {Promise<Answer | undefined>} */
  async arrived(file) {
    const wanted = identity({ name: file.name, bytes: file.size });
    const images = await this.world.present().catch(() => []);
    const found = images.filter((im) => identity(im) === wanted && !this.known.has(im.id));
    return found.length > 0 ? { images: found, problems: [] } : undefined;
  }
}

/**
 * What a file and its image have in common: the end of the name without its folder,
 * which the server keeps, and the size. Cameras use names again, and some formats have
 * one size.
 *
 * @param {{name: string, bytes: number}} file
 */
function identity({ name, bytes }) {
  const base = name.replace(/^.*[/\\]/s, '');
  return `${[...base.trim()].slice(-100).join('').trim()}\n${bytes}`;
}

/**
 * What became of a file, in words; a zip archive can be many images.
 *
 * @param {Answer} answer
 */
export function outcome({ images, problems }) {
  const present = images.filter((im) => im.present).length;
  if (present === images.length && problems.length === 0) return 'Already uploaded';
  const others = [present > 0 ? `${present} already uploaded` : '', problems.length > 0 ? `${counted(problems.length, 'file')} failed` : ''].filter(Boolean);
  if (others.length > 0) return [counted(images.length - present, 'image'), ...others].join(', ');
  const stack = images.length === 1 && images[0].pictures;
  if (stack) return `The first of ${stack} pictures`;
  return images.length === 1 ? 'Ready' : counted(images.length, 'image');
}

/** What to do about files beside photographs, such as masks; empty without any. @param {number} n */
export function leftOut(n) {
  return n === 0 ? '' : `${counted(n, 'file that is no photograph was', 'files that are no photographs were')} left out. If ${n === 1 ? 'it has' : 'they have'} masks or annotations, choose the same files for Import masks on the page of the project.`;
}

/** What to do about files of which only the first picture is used; empty without such files. @param {Uploaded[]} images */
export function stacks(images) {
  const n = images.filter((im) => im.pictures).length;
  if (n === 0) return '';
  return `Only the first picture of ${n === 1 ? 'a file' : `${n} files`} with several can be labelled. Save the others as files of their own to add them.`;
}
