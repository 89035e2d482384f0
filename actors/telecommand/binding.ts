/**
 * Binds the telecommand chart to the world: which effect is carried out by what. Mission Control Service, section 3.1
 * (acknowledgement chain).
 *
 * W1. While the bus is away an effect waits for it: the outage is not the fault of the driver or of the gateway.
 * W2. How a frame is handed to its gateway, and who may hand it over: `sending.ts`.
 * W3. Every effect that the chain waits for ends in an event, whatever was answered: drivers and gateways may be of
 *     others.
 * W4. What leads to leaving waits for the turn of its telecommand; one that stands has it already (lane.J1). Only the
 *     driver may be asked before (effects/encode.E4).
 */

import { telecommandLabel } from '../../contract/telecommand-label.ts';
import { TELECOMMAND_VERSION } from '../../machines/telecommand/fold.ts';
import { type TelecommandEffect, telecommandMachine } from '../../machines/telecommand/telecommand.ts';
import { defineBinding } from '../../ports/define-binding.ts';
import type { Binding, EffectRun, Store } from '../../ports/entity.ts';
import { createCheck } from './effects/check.ts';
import { createEncoder } from './effects/encode.ts';
import { createSend } from './effects/send.ts';
import { telecommandLog } from './replay.ts';
import type { Handler, LaneServices, TelecommandPorts } from './services.ts';
import { fromCellId } from './work.ts';

interface BindingOptions extends TelecommandPorts {
  readonly store: Store;
  readonly servicesOf: (cell: string) => LaneServices | undefined;
  /** Whether its lane is still this process's, now. */
  readonly isOwned: (cell: string) => boolean;
}

export function createTelecommandBinding(options: BindingOptions): Binding<typeof telecommandMachine> {
  const { bus, store, servicesOf, isOwned } = options;
  const bound =
    <Type extends TelecommandEffect['type']>(handler: Handler<Type>) =>
    async (effect: Extract<TelecommandEffect, { type: Type }>, run: EffectRun) => {
      const services = servicesOf(run.id);
      return services && handler(effect, services, run);
    };
  /** W4 */
  const inTurn = <Type extends TelecommandEffect['type']>(handler: Handler<Type>) =>
    bound<Type>(async (effect, services, run) => {
      await services.turn;
      return run.signal.aborted ? undefined : handler(effect, services, run);
    });

  const encoder = createEncoder(options);
  const check = inTurn(createCheck(options));
  return defineBinding({
    kind: 'telecommand',
    version: TELECOMMAND_VERSION,
    chart: telecommandMachine,
    store,
    durability: 'log',
    restart: 'transient',
    endsTooLarge: true,
    idleMs: null,
    migrations: {},
    targetOf: (cell) => fromCellId(cell).target,
    labelOf: (cell) => telecommandLabel(servicesOf(cell)?.work.submission),
    kept: { isOwned },
    history: (cell) => telecommandLog(bus, cell),
    effects: {
      'effect.check': async (effect, run) => {
        const services = servicesOf(run.id);
        if (services !== undefined) encoder.ahead(services, run.signal);
        return check(effect, run);
      },
      'effect.encode': inTurn(encoder.encode),
      'effect.send': inTurn(createSend(options)),
      'effect.verify': bound((effect, services, { signal }) => services.verify(effect, signal)),
      'effect.release': bound(async (_effect, services) => {
        services.release();
        return undefined;
      }),
    },
  });
}
