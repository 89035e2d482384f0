/**
 * The store of telecommand cells: a revision is the events of one macrostep, appended in order (telecommand/history.G1,
 * append-behind.A2).
 */

import type { TelecommandInput, TelecommandRecord } from '../../machines/telecommand/telecommand.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Emitted, LoadOptions, Store, Stored } from '../../ports/entity.ts';
import { appendEvent, loggedTime, markOf } from './history.ts';
import { restored } from './restored.ts';
import { readStanding } from './standing.ts';
import { fromCellId } from './work.ts';

interface HistoryStoreOptions {
  readonly bus: Bus;
  /** What is kept beside the log; default: nothing. */
  readonly kept?: KeptEnvelopes;
  /** What the chart of a cell was started with. */
  readonly inputOf: (cell: string) => TelecommandInput | undefined;
  readonly now: () => number;
  /** Called with each event stored. */
  readonly appended: (cell: string, record: TelecommandRecord, seq: number) => void;
}

/** The store of telecommand cells. */
export function createHistoryStore({ bus, kept, inputOf, now, appended: told }: HistoryStoreOptions): Store {
  const load = async (cell: string, { fromLog = false }: LoadOptions = {}): Promise<Stored | undefined> => {
    const input = inputOf(cell);
    if (input === undefined) return undefined;
    const { target, id } = fromCellId(cell);
    const standing = await readStanding(bus, target, id, fromLog ? undefined : kept);
    const { unreadable, fold } = standing;
    if (unreadable !== undefined) throw new Error(`what stands at ${unreadable} of its history is no event`);
    return fold.revision === 0 ? undefined : restored(input, standing, now());
  };

  /** How far a commit that met an outage had come: it is asked for again as a whole. */
  const begun = new WeakMap<Commit, { done: number; last: number }>();

  const commit = async (wanted: Commit): Promise<Committed> => {
    const { id: cell, epoch, records, position } = wanted;
    const input = inputOf(cell);
    if (input === undefined) return { outcome: 'fenced' };
    const stands = begun.get(wanted) ?? { done: 0, last: position };
    begun.set(wanted, stands);
    for (const record of records.slice(stands.done) as (TelecommandRecord & Emitted)[]) {
      const seq = await appendEvent(bus, input, record, epoch, stands.last);
      if (seq === undefined) return { outcome: 'fenced' };
      told(cell, record, seq);
      stands.done += 1;
      stands.last = seq;
    }
    const last = records.at(-1) as TelecommandRecord | undefined;
    return {
      outcome: 'committed',
      position: stands.last,
      ...(last !== undefined && { mark: markOf(last.state, loggedTime(last.at), epoch) }),
    };
  };

  return { load, commit };
}
