/**
 * The time of one transaction, which stands still while its link is down or it is suspended, and its deadlines.
 *
 * W1. While time stands still no deadline comes nearer: a gap between passes is no fault.
 */

type Stop = 'link' | 'suspended';

export class RunningTime {
  readonly #stops = new Set<Stop>();
  #stoppedAt = 0;
  /** ms that did not count so far. */
  #lost = 0;
  readonly #deadlines = new Map<string, number>();

  get running(): boolean {
    return this.#stops.size === 0;
  }

  isStopped(reason: Stop): boolean {
    return this.#stops.has(reason);
  }

  /** Running time at a moment. */
  at(now: number): number {
    return (this.running ? now : this.#stoppedAt) - this.#lost;
  }

  /** The moment at which running time will be `at`. */
  wall(at: number): number {
    return at + this.#lost;
  }

  stop(reason: Stop, now: number): void {
    if (this.running) this.#stoppedAt = now;
    this.#stops.add(reason);
  }

  /** Whether time runs again because of it. */
  start(reason: Stop, now: number): boolean {
    if (!this.#stops.delete(reason) || !this.running) return false;
    this.#lost += Math.max(0, now - this.#stoppedAt);
    return true;
  }

  /** Sets a deadline `ms` of running time from now. */
  set(name: string, now: number, ms: number): void {
    this.#deadlines.set(name, this.at(now) + ms);
  }

  /** Sets one unless it is set. */
  ensure(name: string, now: number, ms: number): void {
    if (!this.#deadlines.has(name)) this.set(name, now, ms);
  }

  clear(...names: readonly string[]): void {
    for (const name of names) this.#deadlines.delete(name);
  }

  clearAll(): void {
    this.#deadlines.clear();
  }

  /** Takes a deadline off when it is over; whether it was. */
  isOver(name: string, now: number): boolean {
    const due = this.#deadlines.get(name);
    if (!this.running || due === undefined || this.wall(due) > now) return false;
    this.#deadlines.delete(name);
    return true;
  }

  /** The moment of the next deadline; undefined without any, and while time stands still (W1). */
  get nextDue(): number | undefined {
    if (!this.running || this.#deadlines.size === 0) return undefined;
    return this.wall(Math.min(...this.#deadlines.values()));
  }
}
