/** Events and telecommands of the log as lines and columns. Pure but for the zone, as `pass-look.ts`. */

import type { TelecommandEntry, WatchedEvent } from '../contract/event.ts';
import type { EventSeverity } from '../contract/event-kinds.ts';
import { isBadTcEnd } from '../contract/telecommand-state.ts';
import { Columns } from './columns.ts';
import { dressed, momentText, type Tone } from './pass-look.ts';
import { printable } from './printable.ts';

interface EventLook {
  readonly local: boolean;
  readonly colour: boolean;
}

const MARKS: Readonly<Record<EventSeverity, string>> = {
  detail: '  ',
  info: '  ',
  warning: '! ',
  critical: '!!',
};
const KIND_CHARACTERS = 'configuration'.length;

export function eventLine(
  { time, severity, kind, text }: WatchedEvent,
  { local, colour }: EventLook,
): string {
  const line = `${momentText(time, local)}  ${MARKS[severity]} ${kind.padEnd(KIND_CHARACTERS)}  ${printable(text)}`;
  const tone: Tone | undefined =
    severity === 'critical' || severity === 'warning' ? 'red' : severity === 'detail' ? 'dim' : undefined;
  return dressed(line, tone, { colour, width: undefined });
}

const LISTED = ['TIME', 'TARGET', 'TELECOMMAND', 'STATE', 'BY', 'RUN', 'ID', 'DETAIL'] as const;
type TelecommandColumn = (typeof LISTED)[number];

export function telecommandColumns(local: boolean): Columns<TelecommandColumn, TelecommandEntry> {
  return new Columns<TelecommandColumn, TelecommandEntry>({
    columns: LISTED,
    cell: (column, entry) => printable(cellOf(column, entry, local)),
    tone: ({ state }) => (state !== undefined && isBadTcEnd(state) ? 'red' : undefined),
    right: [],
    spared: ['RUN', 'ID', 'BY', 'DETAIL'],
  });
}

function cellOf(column: TelecommandColumn, entry: TelecommandEntry, local: boolean): string {
  switch (column) {
    case 'TIME':
      return momentText(entry.reached_at, local);
    case 'TARGET':
      return entry.target;
    case 'TELECOMMAND':
      return entry.telecommand ?? '';
    case 'STATE':
      return entry.state ?? '?';
    case 'BY':
      return entry.by ?? '';
    case 'RUN':
      return entry.run ?? '';
    case 'ID':
      return entry.id;
    case 'DETAIL':
      return entry.detail ?? '';
  }
}
