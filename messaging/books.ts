/**
 * The passes, schedules, rules, transfers and alarms of a cell as one process reads them, each watched once: passes
 * from the start, the others from when somebody asks for them, since many processes never do.
 */

import type { Stoppable } from '../ports/bus.ts';
import { AlarmBook } from './alarm-book.ts';
import { PassBook } from './pass-book.ts';
import { RuleBook } from './rule-book.ts';
import { ScheduleBook, type ScheduleBookOptions } from './schedule-book.ts';
import { TransferBook } from './transfer-book.ts';

export interface Books {
  readonly passes: PassBook;
  readonly schedules: ScheduleBook;
  readonly rules: RuleBook;
  readonly transfers: TransferBook;
  readonly alarms: AlarmBook;
}

export function openBooks(options: ScheduleBookOptions): Books & Stoppable {
  const passes = new PassBook(options);
  let schedules: ScheduleBook | undefined;
  let rules: RuleBook | undefined;
  let transfers: TransferBook | undefined;
  let alarms: AlarmBook | undefined;
  return {
    passes,
    get schedules() {
      schedules ??= new ScheduleBook(options);
      return schedules;
    },
    get rules() {
      rules ??= new RuleBook(options);
      return rules;
    },
    get transfers() {
      transfers ??= new TransferBook(options);
      return transfers;
    },
    get alarms() {
      alarms ??= new AlarmBook(options);
      return alarms;
    },
    async stop() {
      const opened = [passes, schedules, rules, transfers, alarms];
      await Promise.all(opened.map((book) => book?.stop()));
    },
  };
}
