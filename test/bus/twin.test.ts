/**
 * The promises of the bus, kept by its twin in memory too: the same tests as on the real server, on the clock of the
 * machine.
 */

import { realClock } from '../../supervision/clock.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { busContract } from './contract.ts';

busContract('twin in memory', async () => {
  const server = new TwinServer({ now: () => realClock.now(), choose: (count) => count - 1 });
  const opened: TwinBus[] = [];
  return {
    open: async (name, settleMs = 0) => {
      const bus = new TwinBus({
        server,
        name,
        settleMs,
        outside: realClock,
        inside: realClock,
        weather: fairWeather,
        log: keptLog(),
      });
      opened.push(bus);
      await until(() => bus.connected);
      return bus;
    },
    lose: async () => server.turn(false),
    restore: async () => server.turn(true),
    close: async () => void (await Promise.all(opened.map((bus) => bus.close()))),
  };
});
