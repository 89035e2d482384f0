/** Lives of a transfer manager that end at one of its writes. */

import type { Bus } from '../../../ports/bus.ts';
import type { TwinBus } from '../../simulation/twin/twin-bus.ts';

/** Calls `reached` before each write of a process, and before each answer of one that was done. */
export function counted(reached: () => void): (bus: TwinBus) => Bus {
  const around =
    (write: (...given: never[]) => Promise<unknown>) =>
    async (...given: never[]) => {
      reached();
      const done = await write(...given);
      reached();
      return done;
    };
  const proxied = <Port extends object>(port: Port, names: readonly string[]): Port =>
    new Proxy(port, {
      get: (on, name) => {
        const value: unknown = Reflect.get(on, name, on);
        if (typeof value !== 'function') return value;
        return names.includes(String(name)) ? around(value.bind(on)) : value.bind(on);
      },
    });
  return (bus) =>
    new Proxy(bus, {
      get: (on, name) => {
        if (name === 'bucket')
          return (definition: never) => proxied(on.bucket(definition), ['put', 'overwrite', 'remove']);
        if (name === 'objects')
          return (definition: never) => proxied(on.objects(definition), ['replace', 'remove']);
        const value: unknown = Reflect.get(on, name, on);
        if (typeof value !== 'function') return value;
        return name === 'append' ? around(value.bind(on) as never) : value.bind(on);
      },
    }) as unknown as Bus;
}
