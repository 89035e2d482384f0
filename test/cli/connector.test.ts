/** `mcs connector`: the table, and malformed command lines. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connector } from '../../cli/connector.ts';
import { connectorColumns, rowsOf } from '../../cli/connector-columns.ts';
import type { ConnectorView } from '../../contract/connector.ts';

const LAG: ConnectorView['lags'][number] = {
  connector: 'wh',
  kind: 'alarms',
  stream: 'ALARMS',
  consumer: 'wh-alarms',
  active: true,
  at: '2026-01-02T03:04:05.000Z',
  at_risk: false,
  pending: 3,
  unacked: 1,
  lag_seconds: 90,
  fill: 0.25,
};
const WH: ConnectorView = {
  name: 'wh',
  data: ['alarms'],
  targets: ['sat1'],
  instance: {
    kind: 'connector',
    instance: 'wh-1',
    software: { name: 'warehouse', version: '2.1.0' },
    alive: true,
    health: { state: 'degraded', reason: 'read-only' },
    last_heard: '2026-01-02T03:04:05.000Z',
  },
  lags: [LAG],
};

const plain = { colour: false, width: undefined };
function tableOf(...connectors: ConnectorView[]): string[] {
  const columns = connectorColumns(false);
  const rows = rowsOf(connectors);
  for (const row of rows) columns.add(row);
  return [columns.heading(plain), ...rows.map((row) => columns.line(row, 0, plain))].map((line) =>
    line.trimEnd(),
  );
}

it('MC-CONN-002 MC-CONN-003 a line for each reader, with what waits and how old it is', () => {
  const dead = { ...WH, name: 'gone', instance: { ...WH.instance!, alive: false } };
  const left = { ...WH, name: 'left', instance: null, lags: [{ ...LAG, at_risk: true, reason: 'soon' }] };
  const [heading, first, second, third] = tableOf(WH, dead, left);
  expect(heading).toMatch(
    /^NAME +ALIVE +HEALTH +HEARD +DATA +CONSUMER +STREAM +FILL +UNREAD +LAG +HELD +STORES +RISK$/,
  );
  expect(first).toMatch(/^wh +yes +degraded: read-only +.* alarms +wh-alarms +ALARMS +25 % +3 +1:30 +1$/);
  expect(second).toMatch(/^gone +NO /);
  expect(third).toMatch(/^left +left .* AT RISK$/);
});

it('tells what a reader has taken and stores later from what it has not taken', () => {
  const archive = { ...LAG, pending: 120, unacked: 0, lag_seconds: 240, held: 118, behind_seconds: 0.5 };
  const [, row] = tableOf({ ...WH, lags: [{ ...archive, stores_at: '2026-01-02T03:05:00.000Z' }] });
  expect(row).toMatch(/ALARMS +25 % +2 +0:01 +118 +.*03:05:00Z?$/);
});

let errors = '';
beforeEach(() => {
  errors = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += text;
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

it.each([[[]], [['what']], [['list', 'x']], [['remove']], [['remove', 'a', 'b']]])(
  '%j is answered with how it is called',
  async (args) => {
    expect(await connector(args)).toBe(2);
    expect(errors).toContain(args[0] === 'remove' ? 'mcs connector remove NAME' : 'mcs connector list');
  },
);
