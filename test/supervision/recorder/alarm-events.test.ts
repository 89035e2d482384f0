import { expect, it } from 'vitest';
import type { AlarmEvent } from '../../../contract/alarm.ts';
import { alarmEvent } from '../../../supervision/recorder/alarm-events.ts';

const RAISED = {
  target: 'sat1',
  component: 'battery',
  instance: '1',
  alarm: 'voltage',
  cause: 'condition',
  state: 'ACTIVE_UNACK',
  previous: 'NORMAL',
  severity: 'critical',
  at: '2026-01-02T03:04:05.678Z',
  seq: 1,
} as unknown as AlarmEvent;

it.each([
  [6.983_000_000_000_000_5, 'value 6.983.'],
  [1_234_567_890, 'value 1234567890.'],
  ['SAFE', 'value SAFE.'],
  [undefined, 'critical.'],
])('shown-value.W2 the text of a raised alarm says the value as people read it: %s', (value, end) => {
  const { text } = alarmEvent({ at: 0 }, { ...RAISED, ...(value !== undefined && { value }) } as AlarmEvent);
  expect(text.endsWith(end), text).toBe(true);
});
