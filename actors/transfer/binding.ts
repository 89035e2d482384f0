/**
 * Binds the chart of a transfer to the world: its state as a measure, the file made of its parts, the checksum, the
 * driver that decodes it, the end. Mission Control Service, sections 3.5 and 4.7.
 *
 * W1. Each effect done again after a crash comes to the same: a message id, an object under its name, a removal.
 * W2. While the bus is away an effect waits for it. What waits for room says so in the record.
 */

import type { Outage } from '../../contract/outage.ts';
import { type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { TransferChartEvent, TransferEffect, TransferItem } from '../../machines/transfer/protocol.ts';
import { TRANSFER_VERSION } from '../../machines/transfer/record.ts';
import { transferMachine } from '../../machines/transfer/transfer.ts';
import { pause } from '../../messaging/pause.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { TransferPace } from '../../mission/transfer/pace.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { defineBinding } from '../../ports/define-binding.ts';
import type { Binding, EffectRun, Store } from '../../ports/entity.ts';
import type { DecodingOffers, OfferOutcome } from './decoding.ts';
import { transferHistory } from './history.ts';
import { PartGone } from './parts.ts';

type Of<Type extends TransferEffect['type']> = Extract<TransferEffect, { type: Type }>;

/** What who leads does for its cells. */
export interface TransferServices {
  /** As it is recorded; undefined where it is not open here. */
  recordOf(key: string): StoredTransfer | undefined;
  /** Throws `Outage`. */
  publish(effect: Of<'effect.publish'>): Promise<void>;
  /** Rejects with `PartGone` and `Outage`. */
  assemble(record: StoredTransfer): Promise<StoredTransfer['actor']['content']>;
  /** What its checksum came to; of an upload once it is listed. Rejects with `Outage`. */
  verify(
    record: StoredTransfer,
    signal: AbortSignal,
  ): Promise<Omit<Extract<TransferChartEvent, { type: 'checksum.compared' }>, 'at'> | undefined>;
  /** Removes what nobody needs any more. Throws `Outage`. */
  close(record: StoredTransfer): Promise<void>;
  /** How fast it may go now; undefined where nothing of it may be asked. */
  paceOf(record: StoredTransfer): TransferPace | undefined;
  /** What keeps a transfer from going on; undefined: nothing does any more. */
  hindered(key: string, reason: string | undefined): void;
}

interface BindingOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly store: Store<TransferItem>;
  readonly offers: Pick<DecodingOffers, 'offer'>;
  /** Undefined while this process does not lead. */
  readonly services: () => TransferServices | undefined;
}

type Handler<Type extends TransferEffect['type']> = (
  effect: Of<Type>,
  services: TransferServices,
  record: StoredTransfer,
  run: EffectRun,
) => Promise<TransferChartEvent | undefined>;

export function createTransferBinding(options: BindingOptions): Binding<typeof transferMachine> {
  const { bus, clock, store, offers, services } = options;
  const bound =
    <Type extends TransferEffect['type']>(handler: Handler<Type>) =>
    async (effect: Of<Type>, run: EffectRun): Promise<TransferChartEvent | undefined> => {
      const leading = services();
      const record = leading?.recordOf(transferKey(effect.name));
      return leading && record && handler(effect, leading, record, run);
    };
  /** Until the bus has let it happen (W2). */
  const patiently = async <Value>({ id, signal }: EffectRun, step: () => Promise<Value>) => {
    let isHindered = false;
    const waits = ({ message, remedy }: Outage): void => {
      if (remedy === undefined) return;
      isHindered = true;
      services()?.hindered(id, `${message}. ${remedy}`);
    };
    const done = await retryWhileBusIsAway({ clock, signal, waits }, step);
    if (isHindered) services()?.hindered(id, undefined);
    return done?.value;
  };
  const publish: Handler<'effect.publish'> = async (effect, leading, _, run) => {
    await patiently(run, () => leading.publish(effect));
    return undefined;
  };
  const assemble: Handler<'effect.assemble'> = async (_, leading, record, run) => {
    try {
      const content = await patiently(run, () => leading.assemble(record));
      return content && { type: 'file.assembled', at: clock.now(), content };
    } catch (error) {
      if (!(error instanceof PartGone)) throw error;
      return { type: 'bytes.gone', at: clock.now(), ranges: [error.range] };
    }
  };
  const verify: Handler<'effect.verify'> = async (_, leading, record, run) => {
    const compared = await patiently(run, () => leading.verify(record, run.signal));
    return compared && { ...compared, at: clock.now() };
  };
  const decode: Handler<'effect.decode'> = async ({ after }, _, record, { signal }) =>
    decoded(await offers.offer(record, after, signal), clock.now());
  const expire: Handler<'effect.expire'> = async ({ at }, _, __, { signal }) => {
    if (at > clock.now()) await pause(clock, at - clock.now(), signal);
    return signal.aborted ? undefined : { type: 'upload.expired', at: clock.now() };
  };
  const close: Handler<'effect.close'> = async (_, leading, record, run) => {
    await patiently(run, () => leading.close(record));
    return undefined;
  };
  return defineBinding({
    kind: 'transfer',
    version: TRANSFER_VERSION,
    chart: transferMachine,
    store,
    durability: 'log',
    effects: {
      'effect.publish': bound(publish),
      'effect.assemble': bound(assemble),
      'effect.verify': bound(verify),
      'effect.decode': bound(decode),
      'effect.expire': bound(expire),
      'effect.close': bound(close),
    },
    restart: 'permanent',
    // An open transfer lives with its leader: brought back it would publish its changes once more.
    idleMs: null,
    migrations: {},
    targetOf: (id) => id.split('.')[0],
    shownContext: ({ record }) => {
      const pace = services()?.paceOf(record);
      return { ...(pace !== undefined && { pace }), record };
    },
    labelOf: (id) => labelOf(services()?.recordOf(id)),
    history: (id) => transferHistory(bus, id),
  });
}

function decoded(said: OfferOutcome | undefined, at: number): TransferChartEvent | undefined {
  switch (said?.outcome) {
    case undefined:
      return undefined;
    case 'decoded': {
      const { samples, left_out } = said;
      return { type: 'file.decoded', at, samples, ...(left_out !== undefined && { leftOut: left_out }) };
    }
    case 'not_decodable':
      return { type: 'file.undecodable', at, ...(said.reason !== undefined && { reason: said.reason }) };
    case 'failed':
      return { type: 'decoding.failed', at, reason: said.reason };
    case 'left':
      return { type: 'file.left', at, reason: said.reason };
  }
}

function labelOf(record: StoredTransfer | undefined): string | undefined {
  return record && `${record.direction} of file ${record.file_id}`;
}
