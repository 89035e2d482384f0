/** Kinds and severities of events, without their schemas: pages need the names alone. */

export const EVENT_KINDS = [
  'telecommand',
  'run',
  'alarm',
  'mode',
  'pass',
  'schedule',
  'transfer',
  'link',
  'unit',
  'connector',
  'configuration',
  'request',
  'log',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** In rising order. */
export const EVENT_SEVERITIES = ['detail', 'info', 'warning', 'critical'] as const;
export type EventSeverity = (typeof EVENT_SEVERITIES)[number];
