/**
 * The passes, schedules, rules and transfers of a cell as one process reads them, each watched once: passes from the
 * start, the others from when somebody asks for them, since many processes never do.
 */

import type { Stoppable } from '../ports/bus.ts';
import { PassBook } from './pass-book.ts';
import { RuleBook } from './rule-book.ts';
import { ScheduleBook, type ScheduleBookOptions } from './schedule-book.ts';
import { TransferBook } from './transfer-book.ts';

export interface Books {
  readonly passes: PassBook;
  readonly schedules: ScheduleBook;
  readonly rules: RuleBook;
  readonly transfers: TransferBook;
}

export function openBooks(options: ScheduleBookOptions): Books & Stoppable {
  const passes = new PassBook(options);
  let schedules: ScheduleBook | undefined;
  let rules: RuleBook | undefined;
  let transfers: TransferBook | undefined;
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
    async stop() {
      await Promise.all([passes.stop(), schedules?.stop(), rules?.stop(), transfers?.stop()]);
    },
  };
}
