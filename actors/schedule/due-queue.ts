/**
 * What is to be looked at when: names by their times, the earliest first.
 *
 * D1. A name is taken once, at the earliest time it was put at: whoever looks puts it again for what is later. Else
 *     each look would be followed by several, and each of those by several more.
 */

interface Due {
  readonly at: number;
  readonly name: string;
}

export class DueQueue {
  readonly #heap: Due[] = [];
  /** When each name is taken; another entry of it is skipped. */
  readonly #times = new Map<string, number>();

  get size(): number {
    return this.#times.size;
  }

  /** When the earliest is due; undefined: nothing is. */
  get next(): number | undefined {
    return this.#heap[0]?.at;
  }

  put(at: number, name: string): void {
    const known = this.#times.get(name);
    if (known !== undefined && known <= at) return;
    this.#times.set(name, at);
    const heap = this.#heap;
    const due = { at, name };
    let place = heap.push(due) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (heap[above]!.at <= at) break;
      heap[place] = heap[above]!;
      place = above;
    }
    heap[place] = due;
  }

  /** Takes the earliest out if it is due. */
  take(now: number): string | undefined {
    const heap = this.#heap;
    for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
      const last = heap.pop()!;
      if (heap.length > 0) this.#sink(last);
      if (this.#times.get(first.name) !== first.at) continue;
      this.#times.delete(first.name);
      return first.name;
    }
    return undefined;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1]!.at < heap[below]!.at) below += 1;
      if (heap[below]!.at >= due.at) break;
      heap[place] = heap[below]!;
      place = below;
    }
    heap[place] = due;
  }
}
