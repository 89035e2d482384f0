/**
 * A feed of the bench while it is looked at.
 *
 * V1. Closed while the page is hidden or the person has paused it: the bench makes no picture that nobody sees.
 */

import type { FeedMessage, FeedName } from '../../contract/bench/feed.ts';
import { LiveSocket, type SocketState } from '../live-socket.ts';
import { readFeed } from './feed-message.ts';

export interface FeedWatchOptions {
  readonly feed: FeedName;
  readonly message: (message: FeedMessage) => void;
  readonly changed: (state: SocketState | 'paused') => void;
}

export class FeedWatch {
  readonly #options: FeedWatchOptions;
  #socket: LiveSocket | undefined;
  #isPaused = false;

  constructor(options: FeedWatchOptions) {
    this.#options = options;
    document.addEventListener('visibilitychange', () => this.#settle());
    this.#settle();
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#settle();
  }

  #settle(): void {
    const isWanted = !this.#isPaused && document.visibilityState === 'visible';
    if (isWanted && this.#socket === undefined) this.#open();
    if (isWanted || this.#socket === undefined) return;
    this.#socket.close();
    this.#socket = undefined;
    this.#options.changed('paused');
  }

  #open(): void {
    this.#socket = new LiveSocket({
      path: `/ws/${this.#options.feed}`,
      message: () => undefined,
      bytes: (bytes) => {
        const message = readFeed(bytes);
        if (message !== undefined) this.#options.message(message);
      },
      changed: (state) => this.#options.changed(state),
    });
  }
}
