/**
 * The acknowledgement chains of telecommands: those sent from this page, each followed to its end, and what others
 * send to the target from now on.
 *
 * C1. A chain is what the service reports of it; nothing is concluded from silence.
 */

import type { TcEvent } from '../../../contract/telecommand.ts';
import { isFinalTcState } from '../../../contract/telecommand-state.ts';
import type { SocketState } from '../../live-socket.ts';
import { Follower } from '../data/follower.ts';

const KEPT = 50;

export interface Chain {
  readonly id: string;
  readonly target: string;
  readonly events: TcEvent[];
  state: SocketState | 'watched';
}

export class Chains {
  readonly #changed: () => void;
  readonly #chains = new Map<string, Chain>();
  readonly #followers = new Map<string, Follower<TcEvent>>();
  #watch: Follower<TcEvent> | undefined;
  #target = '';

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Newest first. */
  get all(): Chain[] {
    return [...this.#chains.values()].reverse();
  }

  get isWatching(): boolean {
    return this.#watch?.state === 'open';
  }

  /** Everything that goes to the target from now on. */
  watch(target: string): void {
    if (target === this.#target) return;
    this.#target = target;
    this.#watch?.close();
    for (const [id, chain] of this.#chains) if (chain.state === 'watched') this.#chains.delete(id);
    this.#watch = new Follower<TcEvent>({
      path: `/v1/tc/watch?target=${encodeURIComponent(target)}`,
      message: (event) => this.#take(event, target, 'watched'),
      changed: this.#changed,
    });
  }

  leave(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#target = '';
  }

  /** From its first event to its end. */
  follow(target: string, id: string): void {
    if (this.#followers.has(id)) return;
    if (!this.#chains.has(id)) this.#put({ id, target, events: [], state: 'connecting' });
    const follower = new Follower<TcEvent>({
      path: `/v1/tc/${encodeURIComponent(target)}/${id}/events`,
      message: (event) => this.#take(event, target, 'open'),
      changed: (state) => {
        const known = this.#chains.get(id);
        if (known !== undefined) known.state = state;
        this.#changed();
      },
    });
    this.#followers.set(id, follower);
  }

  /** Everything is followed from its first event: what was reported meanwhile is in it. */
  reopen(): void {
    this.#watch?.reopen();
    for (const chain of this.#chains.values()) {
      if (endOf(chain) !== undefined) continue;
      const follower = this.#followers.get(chain.id);
      if (follower === undefined) this.follow(chain.target, chain.id);
      else follower.reopen();
    }
  }

  /** The service refused it: nothing will come of it. */
  drop(id: string): void {
    this.#followers.get(id)?.close();
    this.#followers.delete(id);
    this.#chains.delete(id);
  }

  #take(event: TcEvent, target: string, state: 'open' | 'watched'): void {
    const chain = this.#chains.get(event.tc) ?? { id: event.tc, target, events: [], state };
    if (!chain.events.some((each) => each.state === event.state && each.at === event.at)) {
      chain.events.push(event);
      chain.events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    }
    if (!this.#chains.has(event.tc)) this.#put(chain);
    this.#changed();
  }

  #put(chain: Chain): void {
    this.#chains.set(chain.id, chain);
    if (this.#chains.size <= KEPT) return;
    const [oldest] = this.#chains.keys();
    this.#chains.delete(oldest!);
    this.#followers.get(oldest!)?.close();
    this.#followers.delete(oldest!);
  }
}

/** The state it ended in; undefined while another one follows. */
export function endOf({ events }: Chain): TcEvent | undefined {
  return events.find(({ state }) => isFinalTcState(state));
}
