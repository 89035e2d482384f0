/**
 * Who called what that changed something, for the log of events: recorded by the front end that answered it.
 *
 * C1. Nothing waits for it: a call that is answered is recorded a moment later, in order, and once (request-log.B1).
 *     What a front end had not recorded when it died is not in the log; what came of the call is.
 * C2. While the bus is away so many wait; what is beyond that is counted, and said when the bus is back.
 * C3. Of a telecommand the log has what was asked for, so that a person can ask for it again; what is longer than the
 *     log keeps is left out.
 */

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
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Caller } from './caller.ts';
import { nameOf } from './identity.ts';
import type { Recorded } from './recorded.ts';
import type { Reply } from './reply.ts';
import { REQUESTS, RequestLog } from './request-log.ts';

interface RequestEventsOptions {
  readonly bus: Pick<Bus, 'append' | 'last' | 'follow'>;
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

export class RequestEvents implements Stoppable {
  readonly #options: RequestEventsOptions;
  readonly #ending = new AbortController();
  readonly #stored: RequestLog;
  #waiting: LoggedEvent[] = [];
  #leftOut = 0;
  #sending: Promise<void> | undefined;

  constructor(options: RequestEventsOptions) {
    this.#options = options;
    const { bus, clock, newId } = options;
    this.#stored = new RequestLog({ bus, clock, newId, signal: this.#ending.signal });
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
    for (let events = this.#next(); events !== undefined; events = this.#next()) {
      if (!(await this.#isStored(events))) return;
      this.#sayLeftOut();
    }
  }

  #next(): readonly [LoggedEvent, ...LoggedEvent[]] | undefined {
    const [first, ...others] = this.#waiting.splice(0, countOfBatch(this.#waiting));
    return first && [first, ...others];
  }

  /** False where it ended while the bus was away: what still waits is not stored either. */
  async #isStored(events: readonly [LoggedEvent, ...LoggedEvent[]]): Promise<boolean> {
    const { log } = this.#options;
    try {
      if (await this.#stored.store(events)) return true;
      const lost = events.length + this.#waiting.splice(0).length;
      log.error({ events: lost }, 'calls are not in the log of events: the bus was away when it ended');
      return false;
    } catch (error) {
      log.error({ err: error, events: events.length }, 'calls are not in the log of events');
      return true;
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
      subject: REQUESTS,
      text,
      source: `${REQUESTS}:${id}`,
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
    source: `${REQUESTS}:${newId()}`,
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
