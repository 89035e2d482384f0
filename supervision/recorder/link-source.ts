/**
 * Links as their gateways report them: what a report says of the state that is newer than the last one recorded.
 *
 * L1. Reports are in no stream: a state that came and went while nobody recorded is not in the log.
 */

import { subject } from '../../contract/bus/subjects.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import { parseJsonBytes } from '../../contract/json-bytes.ts';
import { type LinkCondition, linkStateIn, reportedMoment } from '../../contract/link.ts';
import { asObject, textIn } from '../../contract/reply.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import { eventOf } from './event-of.ts';
import type { LogWriter } from './log-writer.ts';

interface LinkSourceOptions {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly writer: LogWriter;
  readonly failed: (error: unknown) => void;
}

export class LinkSource {
  readonly #options: LinkSourceOptions;
  /** By gateway: since when it has its state. */
  readonly #since = new Map<string, number>();
  #recent: ReadonlySet<string> = new Set();
  #from = Number.NEGATIVE_INFINITY;
  #following: Stoppable | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LinkSourceOptions) {
    this.#options = options;
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, writer } = this.#options;
    const upTo = await writer.open();
    this.#recent = await writer.recent();
    this.#from = upTo?.seq ?? Number.NEGATIVE_INFINITY;
    this.#following = bus.subscribe(subject.metrics, ({ data }) => this.#reported(data));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#following?.stop();
    await this.#work;
  }

  #reported(data: Uint8Array): void {
    const report = reportIn(data);
    if (report === undefined || this.#stopped) return;
    const { gateway, link } = report;
    const known = this.#since.get(gateway);
    this.#since.set(gateway, link.since);
    const event = linkEvent(report);
    const isKnown =
      known === undefined ? link.since <= this.#from || this.#recent.has(event.source) : known === link.since;
    if (isKnown) return;
    this.#work = this.#work
      .then(async () => {
        const { writer } = this.#options;
        writer.add([event], { seq: Math.max(link.since, writer.upTo?.seq ?? 0), at: report.at });
        await writer.flush();
      })
      .catch((error: unknown) => {
        if (!this.#stopped) this.#options.failed(error);
        this.#stopped = true;
      });
  }
}

interface Reported {
  readonly gateway: string;
  /** ms since 1970 */
  readonly at: number;
  readonly link: LinkCondition;
}

function linkEvent({ gateway, link }: Reported): LoggedEvent {
  const because = link.reason === undefined ? '' : `: ${link.reason}`;
  return eventOf({
    time: new Date(link.since).toISOString(),
    kind: 'link',
    severity: link.state === 'down' ? 'warning' : 'info',
    subject: gateway,
    state: link.state,
    text: `The link of gateway ${gateway} is ${link.state}${because}.`,
    source: `${gateway}:${link.since}-${link.state}`,
  });
}

function reportIn(data: Uint8Array): Reported | undefined {
  try {
    const report = asObject(parseJsonBytes(data));
    const gateway = report && textIn(report, 'gateway');
    const condition = report && linkStateIn(report);
    const since = reportedMoment(asObject(report?.['link'])?.['since']);
    const at = reportedMoment(report?.['at']);
    if (gateway === undefined || condition === undefined || since === undefined || at === undefined)
      return undefined;
    return { gateway, at, link: { ...condition, since } };
  } catch {
    return undefined;
  }
}
