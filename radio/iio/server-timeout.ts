/**
 * How long an iiod is asked to wait for a buffer. It keeps one such time for all its clients (up to 0.26), so that what
 * a short transfer asks for would cut a long one.
 *
 * T1. What is asked covers every transfer under way; each keeps its own time besides.
 */

export class ServerTimeout {
  readonly #wanted = new Set<{ readonly timeoutMs: number }>();

  /** Takes part with a transfer; gives what to ask for, and how to leave. */
  join(timeoutMs: number): { readonly askedMs: number; leave(): void } {
    const mine = { timeoutMs };
    this.#wanted.add(mine);
    const askedMs = Math.max(...[...this.#wanted].map((wanted) => wanted.timeoutMs));
    return { askedMs, leave: () => void this.#wanted.delete(mine) };
  }
}
