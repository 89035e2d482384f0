/** An alarm whose value is more than the bus takes in one message. */

import { expect, it } from 'vitest';
import { openBus } from '../../../bus/nats-bus.ts';
import { ALARM_VALUE_CHARACTERS } from '../../../contract/limits/alarm.ts';
import { startLimitedNats } from '../../support/limited-nats.ts';
import { quiet } from '../../support/nats.ts';
import { until } from '../../support/until.ts';
import { AskedReactions, eventsOf, lead, says } from './alarm-world.ts';

it('the reason of a reaction that failed is cut to what an alarm shows, and its alarm is raised (ALARM_VALUE_CHARACTERS)', async () => {
  const nats = await startLimitedNats(undefined, { maxPayload: '64KB' });
  const bus = openBus({ url: nats.url, name: 'test', log: quiet, settleMs: 0 });
  await until(() => bus.connected);
  const reactions = new AskedReactions();
  reactions.launched = () => ({ refused: 'x'.repeat(100_000) });
  const led = await lead({ bus, epoch: 1, reactions });
  await says(bus, [{ alarm: 'voltage', severity: 'critical', onRaise: 'p' }]);
  await until(async () => (await eventsOf(bus, 'voltage-reaction')).length > 0);
  const [raised] = await eventsOf(bus, 'voltage-reaction');
  expect(String(raised!.event.value)).toHaveLength(ALARM_VALUE_CHARACTERS);
  expect(led.failures).toEqual([]);
  expect(led.kind.trouble()).toEqual({});
  await led.stop();
  await bus.close();
  await nats.stop();
}, 60_000);
