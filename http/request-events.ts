/**
 * Who called what that changed something, for the log of events: recorded by the front end that answered it.
 *
 * C1. Nothing waits for it: a call that is answered is recorded a moment later, in order. What a front end had not
 *     recorded when it died is not in the log; what came of the call is.
 * C2. While the bus is away so many wait; what is beyond that is counted, and said when the bus is back.
 * C3. Of a telecommand the log has what was asked for, so that a person can ask for it again; what is longer than the
 *     log keeps is left out.
 */

import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { LoggedEvent } from '../contract/event.ts';
import {
  EVENT_BATCH,
  EVENT_BATCH_CHARACTERS,
  EVENT_DATA_CHARACTERS,
  EVENT_TEXT_CHARACTERS,
  REQUEST_EVENTS_WAITING,
} from '../contract/limits/event.ts';
import { NAME_CHARACTERS } from '../contract/limits/request.ts';
import { isToken } from '../contract/token.ts';
import { retryWhileBusIsAway } from '../messaging/while-bus-is-away.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Caller } from './caller.ts';
import { nameOf } from './identity.ts';
import type { Recorded } from './recorded.ts';
import type { Reply } from './reply.ts';

interface RequestEventsOptions {
  readonly bus: Pick<Bus, 'append'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
}

/** A call that was answered well. */
export interface Act {
  readonly route: {
    readonly method: string;
    readonly path: string;
    readonly operationId: string;
    readonly summary: string;
    readonly recorded?: Recorded;
  };
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly caller: Caller;
  readonly reply: Reply;
}

const SOURCE = 'requests';

export class RequestEvents implements Stoppable {
  readonly #options: RequestEventsOptions;
  readonly #ending = new AbortController();
  #waiting: LoggedEvent[] = [];
  #leftOut = 0;
  #sending: Promise<void> | undefined;

  constructor(options: RequestEventsOptions) {
    this.#options = options;
  }

  add(act: Act): void {
    if (this.#waiting.length >= REQUEST_EVENTS_WAITING) this.#leftOut += 1;
    else this.#waiting.push(requestEvent(act, this.#options));
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** What waits is recorded while the bus takes it. */
  async stop(): Promise<void> {
    this.#ending.abort('stopped');
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { bus, clock, log, newId } = this.#options;
    while (this.#waiting.length > 0) {
      const events = this.#waiting.splice(0, countOfBatch(this.#waiting));
      const data = Buffer.from(JSON.stringify({ events }));
      const id = newId();
      try {
        const append = () => bus.append(streams.events, subject.events(SOURCE), data, { id });
        await retryWhileBusIsAway({ clock, signal: this.#ending.signal }, append);
      } catch (error) {
        log.error({ err: error, events: events.length }, 'calls are not in the log of events');
      }
      this.#sayLeftOut();
    }
  }

  /** C2 */
  #sayLeftOut(): void {
    if (this.#leftOut === 0) return;
    const { clock, newId, log } = this.#options;
    const text = `${this.#leftOut} calls were not recorded: the bus was away.`;
    log.warn({ calls: this.#leftOut }, 'calls are not in the log of events');
    this.#leftOut = 0;
    const [time, id] = [new Date(clock.now()).toISOString(), newId()];
    this.#waiting.push({
      time,
      kind: 'log',
      severity: 'warning',
      subject: SOURCE,
      text,
      source: `${SOURCE}:${id}`,
    });
  }
}

/** How many of them make one message of the bus. */
function countOfBatch(waiting: readonly LoggedEvent[]): number {
  let characters = 0;
  let count = 0;
  while (count < Math.min(waiting.length, EVENT_BATCH) && characters < EVENT_BATCH_CHARACTERS) {
    characters += waiting[count]!.data?.length ?? 0;
    count += 1;
  }
  return count;
}

function requestEvent(
  act: Act,
  { clock, newId }: Pick<RequestEventsOptions, 'clock' | 'newId'>,
): LoggedEvent {
  const { route, params, caller } = act;
  const by = nameOf(caller);
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const target = targetOf(act);
  const about = route.recorded?.(act.body, 'body' in act.reply ? act.reply.body : undefined);
  const data = about === undefined ? undefined : JSON.stringify(about.data);
  const text = `${by ?? 'Somebody'}: ${route.summary} (${route.method} ${path}).`;
  return {
    time: new Date(clock.now()).toISOString(),
    kind: 'request',
    severity: 'detail',
    subject: about?.subject ?? route.operationId,
    text: text.length <= EVENT_TEXT_CHARACTERS ? text : `${text.slice(0, EVENT_TEXT_CHARACTERS - 1)}…`,
    source: `${SOURCE}:${newId()}`,
    ...(target !== undefined && { target }),
    ...(data !== undefined && data.length <= EVENT_DATA_CHARACTERS && { data }),
    ...(by !== undefined && { by: by.slice(0, EVENT_TEXT_CHARACTERS) }),
  };
}

/** The target of the path, or that of the body. */
function targetOf({ params, body }: Act): string | undefined {
  const named = params['target'] ?? (body as { readonly target?: unknown } | null | undefined)?.target;
  const isName = typeof named === 'string' && named.length <= NAME_CHARACTERS && isToken(named);
  return isName ? named : undefined;
}
