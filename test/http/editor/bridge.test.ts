/** http/editor/bridge.B5: what waits of all WebSockets together, with editors that take a message only when the test says so. */

import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import {
  EDITOR_MESSAGE_BYTES,
  EDITOR_WAITING_ALL_BYTES,
  EDITOR_WAITING_BYTES,
  EDITOR_WAITING_OWN_BYTES,
} from '../../../contract/limits/editor.ts';
import { Bridge, type ClientSocket } from '../../../http/editor/bridge.ts';
import { realClock } from '../fixture.ts';

class FakeEditor extends EventEmitter {
  bufferedAmount = 0;
  isPaused = false;
  ended: 'closed' | 'cut' | undefined;
  readonly #waiting: (() => void)[] = [];

  send(message: Buffer, _options: object, taken?: () => void): void {
    this.bufferedAmount += message.length;
    this.#waiting.push(() => {
      this.bufferedAmount -= message.length;
      taken?.();
    });
  }

  /** The editor reads. */
  take(): void {
    for (const each of this.#waiting.splice(0)) each();
  }

  close(): void {
    this.ended ??= 'closed';
  }

  terminate(): void {
    this.ended ??= 'cut';
  }

  /** Its connection is no more. */
  go(): void {
    this.emit('close', 1006, Buffer.from(''));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

class FakeClient implements ClientSocket {
  code: number | undefined;
  waiting = 0;
  takes = true;

  send(message: Uint8Array): number {
    if (!this.takes) this.waiting += message.length;
    return 1;
  }

  getBufferedAmount(): number {
    return this.waiting;
  }

  end(code = 1005): void {
    this.code ??= code;
  }

  close(): void {
    this.code ??= 1006;
  }
}

interface Joined {
  readonly editor: FakeEditor;
  readonly client: FakeClient;
  readonly bridge: Bridge;
}

const PIECE = Buffer.alloc(EDITOR_MESSAGE_BYTES / 2, 7);
const SMALL = Buffer.alloc(EDITOR_WAITING_OWN_BYTES / 4, 7);
let all: Joined[] = [];
afterEach(() => {
  for (const { editor } of all) editor.go();
  all = [];
});

function join(): Joined {
  const editor = new FakeEditor();
  const client = new FakeClient();
  const bridge = new Bridge(editor as unknown as WebSocket, realClock);
  bridge.attach(client);
  const joined = { editor, client, bridge };
  all.push(joined);
  return joined;
}

/** Joins one after the other until one is closed, each with as much waiting as it may have; how many were not. */
function fill(wait: (joined: Joined) => void): { readonly count: number; readonly last: Joined } {
  for (let count = 0; count < 1_000; count += 1) {
    const last = join();
    for (let n = 0; n < 3; n += 1) wait(last);
    if (last.client.code !== undefined) return { count, last };
  }
  throw new Error('none was closed');
}

describe('what waits of all WebSockets together', () => {
  const mostOf = (bytes: number) => Math.floor(EDITOR_WAITING_ALL_BYTES / bytes);

  it('bridge.B5 is bounded: the one that adds beyond is closed with 1013, at the editor at once', () => {
    const { count, last } = fill(({ bridge }) => bridge.fromClient(PIECE, true));
    expect(count).toBe(mostOf(3 * PIECE.length));
    expect([last.client.code, last.editor.ended]).toEqual([1013, 'cut']);
    expect(all.slice(0, -1).filter(({ client }) => client.code !== undefined)).toEqual([]);
  });

  it('bridge.B5 a WebSocket whose editor keeps up is not closed for those whose editors do not', () => {
    fill(({ bridge }) => bridge.fromClient(PIECE, true));
    all.at(-1)!.editor.go();
    const { bridge, client, editor } = join();
    for (let n = 0; n < 100; n += 1) {
      bridge.fromClient(SMALL, true);
      editor.take();
    }
    expect(client.code).toBeUndefined();
  });

  it('bridge.B5 counts until it is taken, or the connection to the editor is no more', () => {
    const { count } = fill(({ bridge }) => bridge.fromClient(PIECE, true));
    // A client that goes leaves what it has sent on its way.
    for (const { bridge } of all) bridge.clientClosed(1000, '');
    all.at(-1)!.editor.go();
    expect(fill(({ bridge }) => bridge.fromClient(PIECE, true)).count).toBe(0);
    const half = all.length / 2;
    for (const [at, { editor }] of all.entries()) at < half ? editor.take() : editor.go();
    expect(fill(({ bridge }) => bridge.fromClient(PIECE, true)).count).toBe(count);
  });

  it('bridge.B5 is bounded for clients that do not read too, and until they have read', () => {
    const wait = ({ editor, client }: Joined): void => {
      client.takes = false;
      if (!editor.isPaused) editor.emit('message', PIECE, true);
    };
    const { count, last } = fill(wait);
    expect(count).toBe(mostOf(PIECE.length));
    expect([last.client.code, last.editor.ended]).toEqual([1013, 'cut']);
    for (const { client, bridge } of all) {
      client.waiting = 0;
      bridge.drained();
    }
    expect(fill(wait).count).toBe(count);
  });

  it('bridge.B5 counts what a message costs beside its bytes', () => {
    const { bridge, client } = join();
    const tiny = Buffer.from('.');
    const most = EDITOR_WAITING_BYTES / 100;
    for (let sent = 0; client.code === undefined && sent < most; sent += 1) bridge.fromClient(tiny, false);
    expect(client.code).toBe(1013);
  });
});
