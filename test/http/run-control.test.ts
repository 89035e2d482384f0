/** What a command to a run is answered, whatever executors answer, sleep over or hand on; on a clock moved by hand. */

import { describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { RUN_ASK_PAUSE_MS, RUN_CONTROL_MS } from '../../contract/limits/run.ts';
import { Outage } from '../../contract/outage.ts';
import type { RunFact } from '../../contract/run-event.ts';
import type { ControlCall, ControlReply } from '../../contract/run-wire.ts';
import { askHolder } from '../../http/run-control.ts';
import type { Bus, Headers, StreamMessage } from '../../ports/bus.ts';
import { ManualClock } from '../support/manual-clock.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';

/** How an executor takes one asking. */
type Turn =
  | 'silent'
  /** The bus has only just come back, and whoever holds the run may be on his way (ask.Q4). */
  | 'nobody yet'
  | 'unheld'
  | 'gone'
  /** The command is carried out, and nobody says so. */
  | 'done in silence'
  | ControlReply
  | 'nonsense';

const ACCEPTED: ControlReply = { outcome: 'accepted' };
const AGAIN: ControlReply = { outcome: 'unknown', reason: 'it leaves', again: true };
const REFUSED: ControlReply = { outcome: 'refused', reason: 'the run is not suspended' };
const OVER: ControlReply = { outcome: 'over' };

const CALLS = {
  suspend: { action: 'suspend', by: 'ada' },
  resume: { action: 'resume', by: 'ada', choice: 'skip' },
  abort: { action: 'abort', by: 'ada' },
} as const satisfies Record<string, ControlCall>;
const DONE: Readonly<Record<keyof typeof CALLS, RunFact>> = {
  suspend: { event: 'suspended', path: 'a', by: 'bea' },
  resume: { event: 'continued', path: 'a', by: 'ada', choice: 'skip' },
  abort: { event: 'finished', ok: false, reason: 'aborted by bea' },
};

class World {
  readonly clock = new ManualClock(1_000_000);
  readonly asked: { at: number; headers: Headers; call: ControlCall }[] = [];
  readonly #log: StreamMessage[] = [];
  readonly #turns: Turn[];
  readonly #call: ControlCall;

  constructor(call: ControlCall, turns: readonly Turn[]) {
    this.#call = call;
    this.#turns = [...turns];
    this.log({ event: 'step_started', path: 'a', attempt: 1, inputs: {} });
  }

  log(fact: RunFact): void {
    const seq = this.#log.length + 1;
    const event = { run: RUN, seq, at: new Date(this.clock.now()).toISOString(), ...fact };
    const data = Buffer.from(JSON.stringify(event));
    this.#log.push({ subject: '', headers: {}, data, seq, at: this.clock.now(), pending: 0 });
  }

  async answer(): Promise<ControlReply> {
    let reply: ControlReply | Error | undefined;
    const bus = {
      request: (_subject: string, data: Uint8Array, how: { timeoutMs: number; headers?: Headers }) =>
        this.#request(data, how),
      last: async () => this.#log.at(-1),
      follow: async (
        _stream: object,
        _subject: string,
        _from: object,
        handle: (each: StreamMessage) => void,
      ) => {
        for (const each of this.#log) handle(each);
        return { caughtUp: Promise.resolve(0), stop: async () => undefined };
      },
    } as unknown as Bus;
    const asking = askHolder(RUN, this.#call, { bus, clock: this.clock, newId: () => 'one' });
    asking.then(
      (said) => {
        reply = said;
      },
      (error: Error) => {
        reply = error;
      },
    );
    for (let ms = 0; ms <= 2 * RUN_CONTROL_MS && reply === undefined; ms += 50) await this.clock.run(50, 50);
    if (reply instanceof Error) throw reply;
    return reply!;
  }

  async #request(data: Uint8Array, { timeoutMs, headers = {} }: { timeoutMs: number; headers?: Headers }) {
    const call = JSON.parse(Buffer.from(data).toString()) as ControlCall;
    this.asked.push({ at: this.clock.now(), headers, call });
    const turn = this.#turns.length > 1 ? this.#turns.shift()! : this.#turns[0]!;
    if (turn === 'unheld') throw new Outage('bus.no-responder', 'nobody');
    if (turn === 'gone') throw new Outage('bus.unavailable', 'away');
    if (turn === 'nonsense') return Buffer.from('[[');
    if (typeof turn === 'object') return Buffer.from(JSON.stringify(turn));
    if (turn === 'done in silence') this.log(DONE[call.action]);
    const silence = new Outage('bus.timeout', 'silence', { unsettled: turn === 'nobody yet' });
    return new Promise<Uint8Array>((_, reject) => this.clock.setTimeout(() => reject(silence), timeoutMs));
  }
}

type Row = [string, readonly Turn[], string];
const EVERY: readonly Row[] = [
  ['is answered as the executor says: accepted', [ACCEPTED], 'accepted'],
  ['is answered as the executor says: refused', [REFUSED], 'refused'],
  ['is answered as the executor says: over', [OVER], 'over'],
  ['MC-ANS-024 run-control.Q4 is not asked twice of nobody', ['unheld'], 'over'],
  [
    'MC-ANS-024 run-control.Q4 is not asked of nobody for longer than the bus takes to settle',
    ['nobody yet', 'nobody yet', 'nobody yet', 'unheld'],
    'over',
  ],
  [
    'run-control.Q4 is answered by one that comes back with the bus: refused',
    ['nobody yet', 'nobody yet', REFUSED],
    'refused',
  ],
  [
    'run-control.Q4 is asked again where somebody may have taken it while the bus settled',
    ['nobody yet', 'silent', 'unheld', ACCEPTED],
    'accepted',
  ],
  ['MC-ANS-023 run-control.Q1 is asked again of one that slept', ['silent', 'silent', ACCEPTED], 'accepted'],
  ['run-control.Q1 is asked of the heir of one that leaves', [AGAIN, AGAIN, ACCEPTED], 'accepted'],
  [
    'run-control.Q1 is asked again while the heir is not there yet',
    ['silent', 'unheld', 'unheld', ACCEPTED],
    'accepted',
  ],
  ['run-control.Q1 is asked again of one that answers nonsense', ['nonsense', ACCEPTED], 'accepted'],
  [
    'run-control.Q3 is what the log says where it was done in silence',
    ['done in silence', 'silent'],
    'accepted',
  ],
  ['run-control.Q3 is what the log says where the heir refuses it', ['done in silence', REFUSED], 'accepted'],
  [
    'run-control.Q3 is what the log says where the run is over by then',
    ['done in silence', OVER],
    'accepted',
  ],
  [
    'run-control.Q3 is what the log says where nobody holds the run then',
    ['done in silence', 'unheld'],
    'accepted',
  ],
  ['is refused where the heir refuses it and nothing was done', ['silent', REFUSED], 'refused'],
  ['MC-ANS-023 is not known after 30 s of silence', ['silent'], 'unknown'],
  ['MC-ANS-023 is not known where nobody takes over', [AGAIN], 'unknown'],
  [
    'is not known where its executor has it and says so',
    [{ outcome: 'unknown', reason: 'not yet' }],
    'unknown',
  ],
];

describe.each(Object.keys(CALLS) as (keyof typeof CALLS)[])('a command to %s', (action) => {
  it.each(EVERY)('%s', async (_what, turns, outcome) => {
    const world = new World(CALLS[action], turns);
    expect((await world.answer()).outcome).toBe(outcome);
    expect(world.clock.now() - 1_000_000).toBeLessThanOrEqual(RUN_CONTROL_MS + RUN_ASK_PAUSE_MS + 50);
    expect(new Set(world.asked.map(({ headers }) => headers[header.request])), 'one identifier').toEqual(
      new Set(['one']),
    );
    expect(new Set(world.asked.map(({ headers }) => headers[header.seen])), 'what the log had first').toEqual(
      new Set(['1']),
    );
  });

  it('meets a bus that is away as everything does', async () => {
    await expect(new World(CALLS[action], ['gone']).answer()).rejects.toThrow('away');
  });
});

describe('what the log shows', () => {
  it.each<[keyof typeof CALLS, RunFact]>([
    ['resume', { event: 'continued', path: 'a', by: 'eve', choice: 'skip' }],
    ['resume', { event: 'continued', path: 'a', by: 'ada', choice: 'replay' }],
    ['abort', { event: 'finished', ok: true }],
    ['abort', { event: 'finished', ok: false, reason: 'a step failed' }],
    ['suspend', { event: 'finished', ok: true }],
  ])('of somebody else does not answer %s: %j', async (action, fact) => {
    const world = new World(CALLS[action], ['silent', OVER]);
    const reply = world.answer();
    world.log(fact);
    expect(await reply).toEqual(OVER);
  });

  it('of before it was asked for does not answer it', async () => {
    const world = new World(CALLS.suspend, ['silent', REFUSED]);
    world.log(DONE.suspend);
    expect((await world.answer()).outcome).toBe('refused');
  });
});

it('run-control.Q5 a run that ended while its executor was on its way out is held by nobody', async () => {
  const world = new World(CALLS.suspend, ['silent', 'unheld']);
  world.log({ event: 'finished', ok: false, reason: 'aborted by ada' });
  expect(await world.answer()).toEqual(OVER);
  expect(world.asked).toHaveLength(2);
});

it('run-control.Q5 one that goes on is asked for until its time is over', async () => {
  const world = new World(CALLS.suspend, ['silent', 'unheld']);
  expect(await world.answer()).toMatchObject({ outcome: 'unknown' });
});
