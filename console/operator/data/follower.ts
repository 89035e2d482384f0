/**
 * A follow route whose messages are JSON, that can be opened again from the beginning. Messages that cannot be read are
 * counted, not shown.
 */

import { parseExact } from '../../../contract/exact-json.ts';
import { LiveSocket, type SocketState } from '../../live-socket.ts';

export class Follower<Message> {
  readonly #options: FollowerOptions<Message>;
  #socket: LiveSocket | undefined;
  state: SocketState = 'connecting';
  /** Messages that could not be read. */
  unreadable = 0;

  constructor(options: FollowerOptions<Message>) {
    this.#options = options;
    this.reopen();
  }

  /** Whether it could not be opened, or is not open any more. */
  get isLost(): boolean {
    return this.state === 'lost' || this.state === 'ended';
  }

  reopen(): void {
    this.#socket?.close();
    this.#socket = new LiveSocket({
      path: this.#options.path,
      message: (text) => this.#take(text),
      changed: (state) => {
        this.state = state;
        this.#options.changed?.(state);
      },
    });
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #take(text: string): void {
    let message: Message;
    try {
      message = parseExact(text) as Message;
    } catch {
      this.unreadable += 1;
      return;
    }
    this.#options.message(message);
  }
}

interface FollowerOptions<Message> {
  readonly path: string;
  readonly message: (message: Message) => void;
  readonly changed?: (state: SocketState) => void;
}
