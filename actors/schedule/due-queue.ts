/**
 * What is to be looked at when: names by their times, the earliest first. A name that is put again has two entries;
 * looking at it once more costs little, finding the other one would cost more.
 */

export interface Due {
  readonly at: number;
  readonly name: string;
}

export class DueQueue {
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** When the earliest is due; undefined: nothing is. */
  get next(): number | undefined {
    return this.#heap[0]?.at;
  }

  put(at: number, name: string): void {
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
  take(now: number): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    return first;
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
