/** Defects of the radio to be planted between it and its board, its records and those who ask it. */

import type { Radio, RadioBench } from '../../../actors/sdr/radio/radio.ts';
import type { ChainState } from '../../../contract/bench/chain.ts';
import { refused } from '../../../contract/result.ts';
import type { Store } from '../../../ports/entity.ts';
import type { IioAttribute, IioBuffer, IioContext } from '../../../radio/iio/context.ts';

/** The part with some of its calls replaced; what is not replaced goes through. */
function altered<Part extends object>(part: Part, replaced: Partial<Part>): Part {
  return new Proxy(part, {
    get: (_, name) => {
      const member: unknown = Reflect.get(name in replaced ? replaced : part, name);
      return typeof member === 'function' ? member.bind(part) : member;
    },
  });
}

type Writing = (write: IioContext['write'], at: IioAttribute, value: string) => Promise<void>;

function withWrites(context: IioContext, writing: Writing): IioContext {
  const write: IioContext['write'] = (at, value) => context.write(at, value);
  return altered(context, { write: (at, value) => writing(write, at, value) });
}

const isSwitch = ({ name }: IioAttribute, value: string): boolean =>
  name === 'loopback' || (name === 'direct_reg_access' && value.startsWith('0xc '));
/** Of the transmitter that the modem drives. */
const isLevel = (at: IioAttribute): boolean =>
  at.of === 'channel' && at.output && at.channel === 'voltage0' && at.name === 'hardwaregain';
const isControl = ({ name }: IioAttribute, value: string): boolean =>
  name === 'direct_reg_access' && value.startsWith('0x8 ');

/** Tunes the receiver once more behind each switch. */
export function fidgeting(context: IioContext): IioContext {
  return withWrites(context, async (write, at, value) => {
    await write(at, value);
    const oscillator = { device: 'ad9361-phy', of: 'channel', channel: 'altvoltage0', output: true } as const;
    if (isSwitch(at, value)) await write({ ...oscillator, name: 'frequency' }, '2400000000');
  });
}

/** Says that the transmitter is muted, and leaves it as it is. */
export function neverMute(context: IioContext): IioContext {
  return withWrites(context, async (write, at, value) => {
    if (!(isLevel(at) && Number.parseFloat(value) < -80)) await write(at, value);
  });
}

/** Neither mutes nor closes the egress. */
export function neverQuiet(context: IioContext): IioContext {
  return withWrites(neverMute(context), async (write, at, value) => {
    if (!(isControl(at, value) && value.endsWith(' 0x0'))) await write(at, value);
  });
}

/** Says that the egress is opened, and leaves it closed. */
export function neverOpen(context: IioContext): IioContext {
  return withWrites(context, async (write, at, value) => {
    if (!(isControl(at, value) && value.endsWith(' 0x4'))) await write(at, value);
  });
}

function withBench(radio: Radio, replaced: (bench: RadioBench) => Partial<RadioBench>): Radio {
  return { ...radio, bench: { ...radio.bench, ...replaced(radio.bench) } };
}

/** Looks at the whole radio a few times before it mutes. */
export function hesitant(radio: Radio): Radio {
  return withBench(radio, ({ radio: commands }) => ({
    radio: altered(commands, {
      gain: async (body) => {
        for (let looks = 0; looks < 20; looks += 1) await commands.status();
        return commands.gain(body);
      },
    }),
  }));
}

/** Keeps what is queued for the transmitter, whoever closes its buffer. */
export function clinging(context: IioContext): IioContext {
  let kept: Promise<IioBuffer> | undefined;
  return altered(context, {
    open: async (device, options) => {
      if (device !== 'modem-tx' || options.cyclic === true) return context.open(device, options);
      kept ??= context.open(device, options);
      return altered(await kept, { close: async () => undefined });
    },
  });
}

function withStates(radio: Radio, lie: (state: ChainState) => ChainState): Radio {
  return withBench(radio, ({ chain }) => ({
    chain: altered(chain, {
      state: async (target) => {
        const state = await chain.state(target);
        return state.ok ? { ok: true, value: lie(state.value) } : state;
      },
    }),
  }));
}

/** Shows every chain as ready. */
export function boasting(radio: Radio): Radio {
  return withStates(radio, (state) => ({ ...state, ready: true, next: null }));
}

/** Shows every path as that to the air. */
export function airy(radio: Radio): Radio {
  return withStates(radio, (state) => ({ ...state, reaches_the_connector: true }));
}

/** Says that a run holds the board, and lets everybody on. */
export function generous(radio: Radio): Radio {
  const boardUser = altered(radio.boardUser, { hold: async () => ({ ok: true, value: undefined }) });
  return { ...radio, boardUser };
}

/** Sets a gain and says that the board is busy. */
export function mumbling(radio: Radio): Radio {
  const fault = { code: 'board_busy', message: 'another run holds the board' } as const;
  return withBench(radio, (bench) => ({
    radio: altered(bench.radio, { gain: async (body) => bench.radio.gain(body).then(() => refused(fault)) }),
  }));
}

/** Never answers what a gain came to. */
export function mute(radio: Radio): Radio {
  return withBench(radio, (bench) => ({
    radio: altered(bench.radio, {
      gain: (body) => bench.radio.gain(body).then(() => new Promise(() => undefined)),
    }),
  }));
}

/** Shows every profile as clean. */
export function whitewashing(radio: Radio): Radio {
  return altered(radio, { applied: () => ({ ...radio.applied(), dirty: false }) });
}

/** Throws where it reads. */
export function throwing(radio: Radio): Radio {
  return withBench(radio, (bench) => ({
    radio: altered(bench.radio, { status: () => Promise.reject(new Error('planted')) }),
  }));
}

/** Knows nothing of an earlier life. */
export function forgetful(store: Store): Store {
  return {
    load: async () => undefined,
    commit: async (commit) => store.commit({ ...commit, position: await positionIn(store) }),
  };
}

async function positionIn(store: Store): Promise<number> {
  return (await store.load('board'))?.position ?? 0;
}
