/**
 * Acknowledge, shelve, unshelve: one request for each alarm, a few at a time, and what became of each.
 *
 * C1. Each alarm has its own outcome: a refusal of one stands beside it and stops none of the others.
 */

import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { refusalOf } from '../parts/refusal.ts';
import type { AlarmRow } from './alarm-rows.ts';

export type AlarmCommand = 'acknowledge' | 'shelve' | 'unshelve';

const AT_ONCE = 4;

export interface AlarmOutcome {
  readonly command: AlarmCommand;
  /** Undefined: accepted. */
  readonly refusal: ServiceError | undefined;
}

export class AlarmCommands {
  readonly outcomes = new Map<string, AlarmOutcome>();
  /** How many are under way. */
  underWay = 0;
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Resolves when each has its outcome. `term`: of `shelve`. */
  async give(
    command: AlarmCommand,
    rows: readonly AlarmRow[],
    term: string,
    operator: string,
  ): Promise<void> {
    const waiting = [...rows];
    this.underWay += rows.length;
    // What came of an earlier command says nothing of this one.
    for (const { key } of rows) this.outcomes.delete(key);
    this.#changed();
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        await this.#one(command, row, term, operator);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #one(
    command: AlarmCommand,
    { key, target, path }: AlarmRow,
    term: string,
    operator: string,
  ): Promise<void> {
    const route = `/v1/alarms/${encodeURIComponent(target)}/${encodeURIComponent(path)}/${command}`;
    const body = command === 'shelve' ? { for: term } : undefined;
    try {
      const refusal = await refusalOf(() => order(route, body, operator));
      this.outcomes.set(key, { command, refusal });
    } finally {
      this.underWay -= 1;
      this.#changed();
    }
  }
}
