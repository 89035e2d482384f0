/** Whether a run is at rest, whatever is logged behind its suspension. */

import { describe, expect, it } from 'vitest';
import { RunRest } from '../../../actors/run/rest.ts';
import { RUN_EVENT_KINDS, type RunEventKind } from '../../../contract/run-event.ts';
import type { Bus, StreamMessage } from '../../../ports/bus.ts';

class Log {
  readonly #stored: StreamMessage[] = [];
  reads = 0;

  add(...kinds: RunEventKind[]): this {
    for (const event of kinds) {
      // Other runs write to the stream, too.
      const seq = (this.#stored.at(-1)?.seq ?? 0) + 3;
      const data = Buffer.from(JSON.stringify({ run: 'r', seq, at: '', event }));
      this.#stored.push({ subject: '', headers: {}, data, seq, at: 0, pending: 0 });
    }
    return this;
  }

  get bus(): Bus {
    return {
      last: async () => this.#stored.at(-1),
      follow: async (
        _stream: object,
        _subject: string,
        { seq }: { seq: number },
        handle: (m: StreamMessage) => void,
      ) => {
        for (const each of this.#stored) {
          if (each.seq < seq) continue;
          this.reads += 1;
          handle(each);
        }
        return { caughtUp: Promise.resolve(0), stop: async () => undefined };
      },
    } as unknown as Bus;
  }
}

const NEUTRAL: RunEventKind[] = ['answer_refused', 'taken_over', 'logged'];

describe('a run', () => {
  it('without a log is not at rest', async () => {
    expect(await new RunRest(new Log().bus, 'r').now()).toBe(false);
  });

  it.each(RUN_EVENT_KINDS)(
    'rest.Z1 is at rest behind its suspension and %s, or is not, as the event says',
    async (kind) => {
      const log = new Log().add('started', 'step_started', 'suspended', kind);
      const isAtRest = kind === 'suspended' || kind === 'finished' || NEUTRAL.includes(kind);
      expect(await new RunRest(log.bus, 'r').now()).toBe(isAtRest);
    },
  );

  it.each(NEUTRAL)('rest.Z1 that goes on is not at rest behind %s', async (kind) => {
    expect(await new RunRest(new Log().add('started', 'suspended', 'continued', kind).bus, 'r').now()).toBe(
      false,
    );
    expect(await new RunRest(new Log().add('started', kind, kind).bus, 'r').now()).toBe(false);
  });

  it('is looked at from where the last look ended', async () => {
    const log = new Log().add('started', 'step_started', ...Array<RunEventKind>(50).fill('logged'));
    const rest = new RunRest(log.bus, 'r');
    expect(await rest.now()).toBe(false);
    log.reads = 0;
    for (const kinds of [['suspended', 'answer_refused'], ['logged'], ['taken_over']] as RunEventKind[][]) {
      log.add(...kinds);
      expect(await rest.now()).toBe(true);
      expect(await rest.now()).toBe(true);
    }
    expect(log.reads).toBe(4);
  });
});
