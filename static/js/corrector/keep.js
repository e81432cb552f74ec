/** What the browser keeps until the server has it: IndexedDB, or memory where there is none (then nothing outlives the tab). */

const DATABASE = "stet";
const STORE = "kept";
const OPEN_MS = 3000;

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBFactory|undefined} factory @returns {Promise<IDBDatabase>} */
async function openDatabase(factory) {
  if (!factory) throw new Error("no IndexedDB");
  const request = factory.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("IndexedDB does not open")), OPEN_MS));
  const database = await /** @type {Promise<IDBDatabase>} */ (Promise.race([answer(request), late]));
  database.onversionchange = () => database.close();
  return database;
}

export class Keep extends EventTarget {
  /** @param {IDBDatabase|null} database */
  constructor(database) {
    super();
    this.database = database;
    /** @type {Map<string, any>} what is kept in this tab alone */
    this.memory = new Map();
  }

  /** @param {IDBFactory} [factory] @returns {Promise<Keep>} */
  static async open(factory = globalThis.indexedDB) {
    return new Keep(await openDatabase(factory).catch(() => null));
  }

  /** Does what is kept here survive the tab? */
  get durable() {
    return this.database !== null;
  }

  /**
   * Run one transaction, in memory where the browser refuses it (no room, a private window, a closed database).
   * @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => Promise<T>} work @param {() => T} otherwise
   * @returns {Promise<T>}
   */
  async #run(mode, work, otherwise) {
    if (!this.database) return otherwise();
    try {
      const transaction = this.database.transaction(STORE, mode);
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = transaction.onerror = () => reject(transaction.error);
      });
      const result = await work(transaction.objectStore(STORE));
      await done;
      return result;
    } catch {
      this.database = null;
      this.dispatchEvent(new Event("lost"));
      return otherwise();
    }
  }

  /** @param {string} key @returns {Promise<any>} undefined where nothing is kept */
  get(key) {
    return this.#run("readonly", (store) => answer(store.get(key)), () => this.memory.get(key));
  }

  /** @param {string} key @param {any} value that can be cloned; undefined drops it */
  async put(key, value) {
    await this.change(key, () => value);
  }

  /** @param {string} key */
  async drop(key) {
    await this.change(key, () => undefined);
  }

  /** Replace a value by what `work` makes of it, with no other tab between. @param {string} key @param {(before: any) => any} work
   * @returns {Promise<any>} the new value */
  change(key, work) {
    return this.#run("readwrite", async (store) => {
      const value = work(await answer(store.get(key)));
      await answer(value === undefined ? store.delete(key) : store.put(value, key));
      return value;
    }, () => {
      const value = work(this.memory.get(key));
      if (value === undefined) this.memory.delete(key);
      else this.memory.set(key, value);
      return value;
    });
  }

  /** Keys and values that begin with `prefix`, by key. @param {string} prefix @returns {Promise<[string, any][]>} */
  all(prefix) {
    return this.#run("readonly", async (store) => {
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      const [keys, values] = await Promise.all([answer(store.getAllKeys(range)), answer(store.getAll(range))]);
      return keys.map((key, i) => /** @type {[string, any]} */ ([String(key), values[i]]));
    }, () => [...this.memory].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
