/** Conventions over the whole service, on the demo mission. Mission Control Service, "Conventions". */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell();
});
afterAll(() => cell.stop());

const RFC_3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe('conventions', () => {
  it('MC-GEN-002 every time is an RFC 3339 UTC string', async () => {
    const values = await until(async () => {
      const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/sat1/values`);
      return body.values?.length > 10 && body.values;
    });
    for (const { sample } of values) {
      expect(sample.time).toMatch(RFC_3339_UTC);
      expect(sample.ground_time).toMatch(RFC_3339_UTC);
    }
    const { body } = await call<TcReply>('POST', `${cell.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'camera.ping',
    });
    const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${body.id}/events`);
    for (const { at } of followed) expect(at).toMatch(RFC_3339_UTC);
  });

  it('MC-GEN-029 imposes no rate limit', async () => {
    const statuses = new Set<number>();
    for (let burst = 0; burst < 20; burst += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => call('GET', `${cell.api}/v1/targets/sat1/catalogue`)),
      );
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
  });
});
