/**
 * What is filtered as a file: every page of it, not only what is on the screen.
 *
 * X1. So many events go into a file at most, and the page says where it ends: the past of years is for the archive.
 */

import type { EventPage, LogEvent } from '../../../contract/event.ts';
import { now } from '../../browser-clock.ts';
import { ask, askText } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { refusalOf } from '../parts/refusal.ts';
import { saveFile } from '../parts/save-file.ts';
import { type EventFilter, questionOf } from './event-filter.ts';

const PAGE = 1_000;
const MOST = 100_000;
const NEXT = 'x-mcs-next';

export type ExportFormat = 'csv' | 'json';

export class EventExport {
  readonly #changed: () => void;
  /** Events read so far; undefined: nothing is under way. */
  underWay: number | undefined;
  /** What became of the last one, in words. */
  outcome = '';
  refusal: ServiceError | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  async save(filter: EventFilter, format: ExportFormat): Promise<void> {
    if (this.underWay !== undefined) return;
    this.underWay = 0;
    this.outcome = '';
    this.#changed();
    const path = `/v1/events?limit=${PAGE}&${questionOf(filter)}`;
    const name = `events-${new Date(now()).toISOString().slice(0, 19).replaceAll(':', '')}`;
    let count = 0;
    this.refusal = await refusalOf(async () => {
      count = format === 'csv' ? await this.#csv(path, name) : await this.#json(path, name);
    });
    this.underWay = undefined;
    if (this.refusal === undefined)
      this.outcome = `${count} events saved${count >= MOST ? `, the newest ${MOST}: narrow the time for older ones` : ''}`;
    this.#changed();
  }

  async #csv(path: string, name: string): Promise<number> {
    const parts: string[] = [];
    let count = 0;
    for (let cursor = ''; count < MOST; ) {
      const { text, headers } = await askText(at(path, cursor), 'text/csv');
      const begin = text.indexOf('\n') + 1;
      parts.push(parts.length === 0 ? text : text.slice(begin));
      // A text of an event may have lines of its own; a row begins with its time.
      count += text.slice(begin).match(/^\d{4}-\d\d-\d\dT/gm)?.length ?? 0;
      this.#read(count);
      cursor = headers.get(NEXT) ?? '';
      if (cursor === '') break;
    }
    saveFile(`${name}.csv`, 'text/csv', parts.join(''));
    return count;
  }

  async #json(path: string, name: string): Promise<number> {
    const events: LogEvent[] = [];
    for (let cursor = ''; events.length < MOST; ) {
      const page = await ask<EventPage>(at(path, cursor));
      events.push(...page.events);
      this.#read(events.length);
      cursor = page.next ?? '';
      if (cursor === '') break;
    }
    saveFile(`${name}.json`, 'application/json', `${JSON.stringify(events, undefined, 1)}\n`);
    return events.length;
  }

  #read(count: number): void {
    this.underWay = count;
    this.#changed();
  }
}

function at(path: string, cursor: string): string {
  return cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
}
