/**
 * The requests of a pipeline that are under way: by identifier, and of each transfer in the order of their first bytes.
 * A chunk that arrives costs a look at those it touches, not at all that are under way.
 */

export interface Request {
  readonly id: string;
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly at: number;
  /** Bytes under way when it was made, with its own. */
  readonly ahead: number;
  sentAt: number | undefined;
}

export class Requests {
  readonly #byId = new Map<string, Request>();
  readonly #byKey = new Map<string, Request[]>();
  /** Bytes of the longest there ever was. */
  #longest = 0;
  readonly #gone: (id: string) => void;

  /** `gone` is called for each that is not under way any more. */
  constructor(gone: (id: string) => void) {
    this.#gone = gone;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Request | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<Request> {
    return this.#byId.values();
  }

  ofKey(key: string): readonly Request[] {
    return [...(this.#byKey.get(key) ?? [])];
  }

  /** Those of a transfer that have bytes of this range. */
  touching(key: string, start: number, end: number): readonly Request[] {
    const ofKey = this.#byKey.get(key) ?? [];
    const found: Request[] = [];
    for (let n = placeOf(ofKey, start - this.#longest); n < ofKey.length && ofKey[n]!.start < end; n += 1)
      if (ofKey[n]!.end > start) found.push(ofKey[n]!);
    return found;
  }

  add(request: Request): void {
    this.delete(request.id);
    this.#byId.set(request.id, request);
    const ofKey = this.#byKey.get(request.key) ?? [];
    this.#byKey.set(request.key, ofKey);
    ofKey.splice(placeOf(ofKey, request.start), 0, request);
    this.#longest = Math.max(this.#longest, request.end - request.start);
  }

  delete(id: string): void {
    const request = this.#byId.get(id);
    if (request === undefined) return;
    this.#byId.delete(id);
    const ofKey = this.#byKey.get(request.key)!;
    const index = ofKey.indexOf(request, placeOf(ofKey, request.start));
    // Most are answered in order, and the first of many is taken away without moving the others.
    if (index === 0) ofKey.shift();
    else ofKey.splice(index, 1);
    if (ofKey.length === 0) this.#byKey.delete(request.key);
    this.#gone(id);
  }
}

/** The first that does not begin before these bytes. */
function placeOf(requests: readonly Request[], start: number): number {
  let [low, high] = [0, requests.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (requests[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
