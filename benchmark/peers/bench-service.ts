/** The bench under measure: its radio in the real runtime, its front end, a board that never waits, no bus. */

import { Registry } from 'prom-client';
import { RADIO_ID } from '../../actors/sdr/radio/binding.ts';
import { createRadio } from '../../actors/sdr/radio/radio.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import { startBenchFrontEnd } from '../../http/bench/front-end.ts';
import type { radioMachine } from '../../machines/bench/radio.ts';
import type { Store } from '../../ports/entity.ts';
import { createDeadLetters } from '../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../supervision/cells/host.ts';
import { Kind } from '../../supervision/cells/kind.ts';
import { realClock } from '../../supervision/clock.ts';
import { realRandom } from '../../supervision/random.ts';
import { until } from '../../test/support/until.ts';
import { answerCalls } from '../peer-side.ts';
import { createPromptBoard } from '../prompt-board.ts';
import { silentLog as log } from '../silent-log.ts';
import { StubBus } from '../stub-bus.ts';

const PROFILE: Profile = {
  name: 'fast',
  modulation: 'qpsk',
  symbol_rate_baud: 7_680_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40, bandwidth_hz: 14_000_000 },
  tx: { gain_db: -10, bandwidth_hz: 14_000_000 },
  framing: { kind: 'slot', frame_len: 256, sync_word_hex: '1acffc1d', scrambler: 'ccsds' },
};

/** Acknowledges at once and keeps nothing: the bus is not what is measured. */
const store: Store = {
  load: async () => undefined,
  commit: async ({ envelope, position }) => {
    envelope();
    return { outcome: 'committed', position: position + 1 };
  },
};

/** The board conditioned to the loopback of its part; resolves to the port. */
async function start(): Promise<number> {
  const [clock, random] = [realClock, realRandom];
  const radio = createRadio({
    board: { kind: 'given', open: async () => createPromptBoard(clock) },
    store,
    profiles: new Map([[PROFILE.name, PROFILE]]),
    eventRecords: new StubBus().bucket(),
    clock,
    random,
    log,
  });
  const kind = new Kind({
    binding: radio.binding,
    clock,
    random,
    log,
    deadLetters: createDeadLetters(undefined, log),
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
  kind.start(RADIO_ID, undefined, 1);
  const cells = cellsOf<typeof radioMachine>(kind);
  await radio.start(cells);
  await until(() => cells.context(RADIO_ID)?.board !== undefined, { what: 'the board' });
  const { profiles, chain } = radio.bench;
  const conditioned = await chain.condition({ target: 'device-loopback', profile: profiles.list()[0]!.name });
  if (!conditioned.ok) throw new Error(conditioned.faults[0].message);
  const bench = { ...radio.bench, scenarios: NOT_HERE, campaigns: NOT_HERE };
  const frontEnd = await startBenchFrontEnd({ bench, clock, log, registry: new Registry() });
  return frontEnd.port;
}

/** Runs are not measured here, and nothing reaches them. */
const NOT_HERE = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no runs in this benchmark');
    },
  },
) as never;

answerCalls({ start });
