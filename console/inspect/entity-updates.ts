/**
 * The frames of one entity on their way to the screen: whatever their rate, once per animation frame everything that
 * came is one change, the newest state with every transition on the way.
 *
 * F1. Nothing waits without bound: while the page is hidden and draws nothing, the newest `WAITING` frames are kept.
 */

import { parseExact } from '../../contract/exact-json.ts';
import type { InspectionUpdate } from '../../contract/inspection.ts';
import { oncePerFrame } from '../browser-clock.ts';
import { LiveSocket, type SocketState } from '../live-socket.ts';
import { changeOf, type EntityChange } from './entity-change.ts';

const WAITING = 64;
interface UpdateListener {
  changed(change: EntityChange): void;
  connection(state: SocketState): void;
}

export class EntityUpdates {
  readonly #listener: UpdateListener;
  readonly #socket: LiveSocket;
  readonly #turn = oncePerFrame(() => this.#draw());
  #waiting: string[] = [];
  #closed = false;

  constructor(path: string, listener: UpdateListener) {
    this.#listener = listener;
    this.#socket = new LiveSocket({
      path: `${path}/events`,
      message: (text) => this.#take(text),
      changed: (state) => listener.connection(state),
    });
  }

  close(): void {
    this.#closed = true;
    this.#socket.close();
  }

  #take(text: string): void {
    this.#waiting.push(text);
    if (this.#waiting.length > WAITING) this.#waiting.shift();
    this.#turn();
  }

  #draw(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const updates = this.#waiting.map((text) => parseExact(text) as InspectionUpdate);
    this.#waiting = [];
    const change = changeOf(updates);
    if (change !== undefined) this.#listener.changed(change);
  }
}
