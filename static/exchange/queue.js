/**
 * @typedef {import('../evidence/evidence.js').Kept} Kept
 * @typedef {Kept & {id: string, image: string, page: string, order: number}} Row
 */

const DATABASE = 'collie';
const EDITS = 'edits';

/** Milliseconds after which a store that does not answer counts as missing. */
const PATIENCE = 2000;

/**
 * The edits of one image that the server has not acknowledged, in IndexedDB, so
 * that they outlive the page. Each page keeps its own rows and holds a lock as
 * long as it lives; a page that gets another's lock takes over what that one left
 * behind. Without a store, as in some private windows, nothing is kept and
 * lasting is false.
 */
export class Queue {
  /**
   * @param {string} image
   * @param {string} page random identifier of this page
   */
  constructor(image, page) {
    this.image = image;
    this.page = page;
    this.lasting = false;
    this.order = 0;
    /** @type {IDBDatabase | null} */
    this.database = null;
    /** @type {(found: Kept[]) => void} what happens to edits that another page leaves behind later */
    this.inherited = () => {};
  }

  /**
   * Opens the store.
   *
   * @returns {Promise<Kept[]>} what pages that are gone have left behind, in order
   */
  async open() {
    try {
      await within(PATIENCE, own(this.page));
      this.database = await within(PATIENCE, openDatabase());
      this.database.onversionchange = () => this.fail();
      this.database.onclose = () => this.fail();
      this.lasting = true;
      return await this.inherit();
    } catch (error) {
      console.info('Edits are kept in this page only:', error);
      this.fail();
      return [];
    }
  }

  fail() {
    this.lasting = false;
    this.database?.close();
    this.database = null;
  }

  /** Takes over the edits of pages that are gone, and those of the others once they are. */
  async inherit() {
    const pages = new Set((await this.rows()).map((row) => row.page));
    /** @type {Row[]} */
    const found = [];
    for (const page of pages) found.push(...((await whenGone(page, true, () => this.take(page))) ?? []));
    this.meet();
    return found.sort((a, b) => a.order - b.order);
  }

  /** Finds out which other pages have the image open, now and from now on. */
  meet() {
    /** @type {Set<string>} */
    const known = new Set([this.page]);
    const channel = new BroadcastChannel(`collie-edits-${this.image}`);
    channel.onmessage = ({ data: page }) => {
      if (known.has(page)) return;
      known.add(page);
      channel.postMessage(this.page);
      void whenGone(page, false, async () => this.inherited(await this.take(page)));
    };
    channel.postMessage(this.page);
  }

  /** @param {string} page whose rows become ours @returns {Promise<Row[]>} */
  async take(page) {
    const rows = (await this.rows()).filter((row) => row.page === page);
    for (const { order } of rows) this.order = Math.max(this.order, order); // the computer's clock may have been set back
    await this.change((edits) => {
      for (const row of rows) edits.put({ ...row, page: this.page });
    });
    return rows;
  }

  /** @returns {Promise<Row[]>} of the image, in order */
  async rows() {
    const { database } = this;
    if (!database) return [];
    const request = database.transaction(EDITS).objectStore(EDITS).index('image').getAll(this.image);
    const rows = await within(PATIENCE, answered(request));
    return rows.sort((a, b) => a.order - b.order);
  }

  /**
   * Keeps an edit; resolved when it is stored, or can't be.
   *
   * @param {Kept} kept
   */
  async put(kept) {
    this.order = Math.max(this.order + 1, Date.now());
    const row = { ...kept, id: kept.event.id, image: this.image, page: this.page, order: this.order };
    try {
      await this.change((edits) => edits.put(row));
    } catch (error) {
      console.info('Edits are kept in this page only:', error);
      this.fail();
    }
  }

  /** Forgets an edit that the server has, or that was given up. @param {string} id */
  async drop(id) {
    try {
      await this.change((edits) => edits.delete(id));
    } catch {
      // It is sent once more after a reload, which changes nothing.
    }
  }

  /** @param {(edits: IDBObjectStore) => void} act */
  async change(act) {
    const { database } = this;
    if (!database) return;
    const transaction = database.transaction(EDITS, 'readwrite', { durability: 'relaxed' });
    act(transaction.objectStore(EDITS));
    await within(PATIENCE, new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    }));
  }
}

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(EDITS, { keyPath: 'id' }).createIndex('image', 'image');
  };
  return answered(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function within(milliseconds, promise) {
  let timer = 0;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = window.setTimeout(() => reject(new Error('The browser’s storage doesn’t respond.')), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** @param {string} page */
const lockOf = (page) => `collie-edits-${page}`;

/** Holds the lock of this page as long as it lives. Locks exist only on https and loopback; browsers that block cookies refuse them. @param {string} page */
function own(page) {
  if (!navigator.locks) return Promise.resolve();
  return new Promise((resolve, reject) => {
    navigator.locks.request(lockOf(page), () => {
      resolve(undefined);
      return new Promise(() => {});
    }).catch(reject);
  });
}

/**
 * Acts once a page is gone. Without locks none is known to live, and what it
 * has sent already is sent again, which the server stores once.
 *
 * @template T
 * @param {string} page
 * @param {boolean} now whether to act only when it is gone already
 * @param {() => Promise<T>} act
 * @returns {Promise<T | null>} null when it lives
 */
async function whenGone(page, now, act) {
  if (!navigator.locks) return now ? act() : null;
  return navigator.locks.request(lockOf(page), { ifAvailable: now }, async (lock) => (lock ? act() : null));
}
