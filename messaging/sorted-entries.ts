/**
 * Entries in the order of a list, for readers that come again and again: each pays for what changed since the one
 * before, not for sorting everything. Those that did not change are in order already, so that sorting is little more
 * than looking at each.
 */

export class SortedEntries<Value extends object> {
  readonly #entries = new Map<string, Value>();
  readonly #compare: (one: Value, other: Value) => number;
  #sorted: readonly Value[] = [];
  /** What has changed since the last reader, with what stood there then. */
  readonly #changed = new Map<string, Value | undefined>();

  constructor(compare: (one: Value, other: Value) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Undefined: it is there no more. What stood there before. */
  set(key: string, value: Value | undefined): Value | undefined {
    const before = this.#entries.get(key);
    if (!this.#changed.has(key)) this.#changed.set(key, before);
    // One that came and went between two readers concerns neither: nobody may ever come.
    else if (value === undefined && this.#changed.get(key) === undefined) this.#changed.delete(key);
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, value);
    return before;
  }

  /** In no order. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** All of them in order; the array is not changed later. */
  sorted(): readonly Value[] {
    if (this.#changed.size === 0) return this.#sorted;
    const gone = new Set(this.#changed.values());
    const changed = [...this.#changed.keys()].flatMap((key) => this.#entries.get(key) ?? []);
    this.#sorted = [...this.#sorted.filter((value) => !gone.has(value)), ...changed].sort(this.#compare);
    this.#changed.clear();
    return this.#sorted;
  }
}
