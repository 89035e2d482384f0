/**
 * A follower of the twin: where it is in its stream, also where the store went back. As `bus/follow.ts`, over a queue
 * on the side of the server.
 *
 * F1. A store goes back while the server is away. Until the process has its connection again nothing is queued for it.
 * F2. Then it goes on behind the last message that it took, if the stream still holds that one; else at the end, or,
 *     where others have written since, behind it by time. It says so.
 * F3. What a full stream discards is not handed over, but for what is being handed over.
 */

import type { Outage } from '../../../contract/outage.ts';
import type { Follower, FollowFrom, StreamMessage } from '../../../ports/bus.ts';
import { promised } from './promised.ts';
import type { Pump } from './pump.ts';
import type { StoredMessage, StoredStream } from './stored-stream.ts';

interface FollowOptions {
  readonly stream: StoredStream;
  readonly matches: (subject: string) => boolean;
  readonly from: FollowFrom;
  /** Last position of the stream when it was asked for. */
  readonly stands: number;
  readonly handle: (message: StreamMessage) => void | Promise<void>;
  /** Called with the time at which the last message that it took was stored. */
  readonly wentBack: (takenAt: number | undefined) => void;
  readonly pump: (
    handle: (message: StoredMessage, pending: number) => void | Promise<void>,
  ) => Pump<StoredMessage>;
  readonly onConnection: (listener: (connected: boolean) => void) => () => void;
  readonly stopper: (
    pump: { stop(): void },
    forget: () => void,
    reject: (error: Outage) => void,
  ) => () => Promise<void>;
}

export function followTwin(options: FollowOptions): Follower {
  const { stream, matches, from, stands, handle, wentBack } = options;
  const place = new Place(from, stands);
  const caught = promised<number>();
  let [isStale, isThere] = [false, false];
  const pump = options.pump((message, pending) => {
    place.taken = message;
    return handle(shown(message, pending));
  });
  const fill = (): void => {
    for (const message of stream.messages)
      if (matches(message.subject) && place.wants(message)) pump.push(message);
    if (isThere) return;
    pump.mark(() => {
      isThere = true;
      caught.resolve(stands);
    });
  };
  const stops = [
    stream.onStored((message) => {
      if (!isStale && matches(message.subject) && place.wants(message)) pump.push(message);
    }),
    stream.onRewound(() => {
      isStale = true;
      pump.clear();
    }),
    stream.onDiscarded((upTo) => pump.drop(({ seq }) => seq <= upTo)),
    options.onConnection((connected) => {
      if (!connected || !isStale) return;
      isStale = false;
      const takenAt = place.taken?.at;
      if (place.resume(stream)) wentBack(takenAt);
      fill();
    }),
  ];
  fill();
  const forget = (): void => {
    for (const stop of stops) stop();
  };
  return { caughtUp: caught.promise, stop: options.stopper(pump, forget, caught.reject) };
}

/** Behind the last message it took or, before the first one, where it was to begin. */
class Place {
  taken: { readonly seq: number; readonly at: number } | undefined;
  #from: FollowFrom;

  constructor(from: FollowFrom, stands: number) {
    this.#from = from.from === 'now' ? { from: 'seq', seq: stands + 1 } : from;
  }

  wants({ seq, at }: StoredMessage): boolean {
    if (this.#from.from === 'seq') return seq >= this.#from.seq;
    return this.#from.from !== 'time' || at >= this.#from.at;
  }

  /** F2: goes on in the stream as it stands now, and says whether that went back behind its place. */
  resume(stream: StoredStream): boolean {
    const before = this.taken?.seq ?? (this.#from.from === 'seq' ? this.#from.seq - 1 : 0);
    const { taken } = this;
    this.taken = undefined;
    if (stream.lastSeq < before) this.#from = { from: 'seq', seq: stream.lastSeq + 1 };
    else if (taken === undefined) return false;
    else if (stream.at(taken.seq)?.at !== taken.at) this.#from = { from: 'time', at: taken.at + 1 };
    else {
      this.taken = taken;
      this.#from = { from: 'seq', seq: taken.seq + 1 };
      return false;
    }
    return true;
  }
}

export function shown({ subject, data, headers, seq, at }: StoredMessage, pending: number): StreamMessage {
  return { subject, data, headers, seq, at, pending };
}
