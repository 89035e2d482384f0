/** One life of the daemon: the whole radio in the real runtime, over records that outlive it. */

import type { AsyncLocalStorage } from 'node:async_hooks';
import { RADIO_ID } from '../../../actors/sdr/radio/binding.ts';
import type { RadioCells } from '../../../actors/sdr/radio/own-cell.ts';
import { createRadio, type Radio } from '../../../actors/sdr/radio/radio.ts';
import type { radioMachine } from '../../../machines/bench/radio.ts';
import type { RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Binding, Emitted, Store } from '../../../ports/entity.ts';
import type { IioContext } from '../../../radio/iio/context.ts';
import { measure } from '../../../radio/measure/measure.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../../supervision/cells/host.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { FAST, OTHER } from '../../actors/sdr/bench-world.ts';
import type { KeptBucket } from '../../actors/sdr/kept-bucket.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { Chance } from '../chance.ts';

export interface LifeOptions {
  readonly seed: number;
  readonly life: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly eventRecords: KeptBucket;
  readonly open: () => Promise<IioContext>;
  /** Called with each event for the chart, before it has it. */
  readonly telling: (event: RadioEvent) => void;
  /** Runs a command under its identifier, so that what it does can be attributed to it. */
  readonly working: AsyncLocalStorage<string>;
  readonly wrapRadio: (radio: Radio) => Radio;
}

export interface DaemonLife {
  readonly radio: Radio;
  readonly log: KeptLog;
  readonly ready: Promise<void>;
  /** As a process that is killed: not a word, and no effect any more. */
  kill(): void;
}

export function startLife(options: LifeOptions): DaemonLife {
  const { seed, life, clock, store, eventRecords, open, telling, working } = options;
  const log = keptLog();
  const random = new Chance(seed, `daemon ${life}`);
  const radio = options.wrapRadio(
    createRadio({
      board: { kind: 'given', open },
      store,
      eventRecords,
      clock,
      random,
      log,
      profiles: new Map([FAST, OTHER].map((profile) => [profile.name, profile])),
      measurer: IN_PLACE,
    }),
  );
  const hosted = new Kind({
    binding: underNames(radio.binding, working, telling),
    clock,
    log,
    random,
    deadLetters: createDeadLetters(undefined, log),
    onEscalated: (reason) => log.error({ reason }, 'the radio is beyond repair'),
  });
  const cells = cellsOf<typeof radioMachine>(hosted);
  const watched: RadioCells = {
    tell: (id, event) => {
      telling(event);
      return cells.tell(id, event);
    },
    context: (id) => cells.context(id),
  };
  const begin = async (): Promise<void> => {
    const stored = await store.load(RADIO_ID);
    if (stored === undefined) hosted.start(RADIO_ID, undefined, 1);
    else hosted.restore(RADIO_ID, stored, 1);
    await radio.start(watched);
  };
  return { radio, log, ready: begin(), kill: () => hosted.drop(RADIO_ID) };
}

/** Compares at once: a thread would answer in a time of its own. */
const IN_PLACE = {
  prepare: () => undefined,
  measure: async (payload: Uint8Array, captured: Uint8Array, warmup: number) =>
    measure(payload, captured, { warmup }),
  stop: async () => undefined,
};

/** Whose command it is that writes does not depend on what the chart takes for the running one. */
function underNames(
  binding: Binding,
  working: AsyncLocalStorage<string>,
  telling: (event: RadioEvent) => void,
): Binding {
  const command = binding.effects['effect.command']!;
  const attach = binding.effects['effect.attach']!;
  return {
    ...binding,
    effects: {
      ...binding.effects,
      'effect.attach': async (effect, run) => {
        const event = await attach(effect, run);
        if (event !== undefined) telling(event as RadioEvent);
        return event;
      },
      'effect.command': (effect, run) =>
        working.run((effect as Emitted & { id: string }).id, () => command(effect, run)),
    },
  };
}
