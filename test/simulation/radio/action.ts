/** What people and runs ask of the radio in a simulated scenario, and how it is asked. */

import type { BoardHolder, BoardUser, ScriptedAction } from '../../../actors/sdr/radio/board-user.ts';
import type { RadioBench } from '../../../actors/sdr/radio/radio.ts';
import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { FrequencyBody, GainBody, ResetScope } from '../../../contract/bench/radio.ts';
import type { Result } from '../../../contract/result.ts';
import { prbs } from '../../../radio/prbs.ts';
import type { Chance } from '../chance.ts';

export type Action =
  | { readonly do: 'apply'; readonly profile: string }
  | { readonly do: 'condition'; readonly target?: ChainTarget; readonly profile?: string }
  | ({ readonly do: 'tune' } & FrequencyBody)
  | ({ readonly do: 'gain' } & GainBody)
  | { readonly do: 'loopback'; readonly enabled: boolean }
  | { readonly do: 'reset'; readonly scope: ResetScope }
  | {
      readonly do: 'capture';
      readonly blocks: number;
      readonly timeout_ms: number;
      readonly release: boolean;
    }
  | { readonly do: 'feed'; readonly timeoutMs: number }
  | { readonly do: 'measure'; readonly timeoutMs: number }
  | { readonly do: 'transmit'; readonly bytes: number; readonly force: boolean }
  | { readonly do: 'flush'; readonly blocks: number }
  | { readonly do: 'recover' | 'enable' | 'disable' }
  /** Of reading, which goes on beside every command. */
  | { readonly do: 'state'; readonly target: ChainTarget }
  | { readonly do: 'status' | 'clocks' };

export type Verb = Action['do'];
export type Outcome = Result<unknown, BenchFault>;

export const PROFILE_NAMES = ['fast', 'other'] as const;
const TARGETS = ['air', 'device-loopback', 'pl-loopback'] as const;
/** Short, and unlike itself everywhere. */
const PAYLOAD = prbs(15, 512);

export function drawAction(chance: Chance): Action {
  const kind = chance.one<Verb>([
    ...(['apply', 'apply', 'condition', 'condition', 'condition', 'condition'] as const),
    ...(['tune', 'gain', 'loopback', 'reset', 'recover', 'enable', 'disable'] as const),
    ...(['capture', 'feed', 'measure', 'measure', 'transmit', 'flush'] as const),
    ...(['state', 'state', 'status', 'clocks'] as const),
  ]);
  switch (kind) {
    case 'apply':
      return { do: kind, profile: chance.one([...PROFILE_NAMES, ...PROFILE_NAMES, 'nobody']) };
    case 'condition':
      return drawCondition(chance);
    case 'tune':
      return {
        do: kind,
        // Some of them out of reach.
        center_frequency_hz: Math.round(chance.happens(0.9) ? chance.between(1e9, 5e9) : 9e9),
        channel: chance.one(['rx', 'tx', 'both']),
        tune_lo: chance.happens(0.7),
      };
    case 'gain':
      return { do: kind, ...drawGains(chance) };
    case 'loopback':
      return { do: kind, enabled: chance.happens(0.6) };
    case 'reset':
      return { do: kind, scope: chance.one(['rx', 'tx', 'all']) };
    case 'capture':
      return { do: kind, blocks: chance.whole(1, 3), timeout_ms: 200, release: chance.happens(0.3) };
    case 'feed':
    case 'measure':
      return { do: kind, timeoutMs: chance.whole(100, 800) };
    case 'transmit':
      return { do: kind, bytes: chance.whole(1, 5_000), force: chance.happens(0.3) };
    case 'flush':
      return { do: kind, blocks: chance.whole(0, 2) };
    case 'state':
      return { do: kind, target: chance.one(TARGETS) };
    default:
      return { do: kind };
  }
}

function drawCondition(chance: Chance): Action {
  const target = chance.one(TARGETS);
  const profile = chance.one(PROFILE_NAMES);
  const isNamed = chance.happens(0.4);
  return { do: 'condition', target, ...(isNamed && { profile }) };
}

function drawGains(chance: Chance): GainBody {
  const body = { rx_gain_db: chance.whole(0, 90), tx_gain_db: chance.whole(-95, 0) };
  const which = chance.whole(0, 2);
  if (which === 0) return body;
  return which === 1 ? { rx_gain_db: body.rx_gain_db } : { tx_gain_db: body.tx_gain_db };
}

/** Asks as a route does. */
export function askOf(action: Action, bench: RadioBench): Promise<Outcome> {
  switch (action.do) {
    case 'apply':
      return bench.profiles.apply(action.profile);
    case 'condition':
      return bench.chain.condition(without(action));
    case 'tune':
      return bench.radio.tune(without(action));
    case 'gain':
      return bench.radio.gain(without(action));
    case 'loopback':
      return bench.radio.loopback(action.enabled);
    case 'reset':
      return bench.radio.reset(action.scope);
    case 'recover':
      return bench.chain.recover();
    case 'enable':
      return bench.datapath.enable();
    case 'disable':
      return bench.datapath.disable();
    case 'capture':
      return bench.datapath.capture(without(action));
    case 'feed':
      return bench.datapath.loopback(PAYLOAD, { timeoutMs: action.timeoutMs });
    case 'measure':
      return bench.datapath.measure(PAYLOAD, { timeoutMs: action.timeoutMs });
    case 'transmit':
      return bench.datapath.transmit(transmission(action));
    case 'flush':
      return bench.datapath.flush({ blocks: action.blocks });
    case 'state':
      return bench.chain.state(action.target);
    case 'status':
      return bench.radio.status();
    case 'clocks':
      return bench.radio.clocks();
  }
}

/** Asks in the name of a run, as a script does; what no script can ask is asked as its route does. */
export function performFor(
  action: Action,
  by: BoardHolder,
  {
    user,
    bench,
    signal,
  }: { readonly user: BoardUser; readonly bench: RadioBench; readonly signal: AbortSignal },
): Promise<Outcome> {
  const scripted = scriptOf(action);
  return scripted === undefined ? askOf(action, bench) : user.perform(scripted, by, signal);
}

/** Whether a run asks it in its own name. */
export function isScripted(action: Action): boolean {
  return scriptOf(action) !== undefined;
}

function scriptOf(action: Action): ScriptedAction | undefined {
  switch (action.do) {
    case 'apply':
      return { do: 'profile.apply', with: { profile: action.profile } };
    case 'condition':
      return { do: 'chain.condition', with: without(action) };
    case 'tune':
      return { do: 'radio.frequency', with: without(action) };
    case 'gain':
      return { do: 'radio.gain', with: without(action) };
    case 'loopback':
      return { do: 'radio.loopback', with: without(action) };
    case 'reset':
      return { do: 'radio.reset', with: without(action) };
    case 'recover':
      return { do: 'chain.recover', with: {} };
    case 'enable':
      return { do: 'datapath.enable', with: {} };
    case 'disable':
      return { do: 'datapath.disable', with: {} };
    case 'measure':
      return {
        do: 'datapath.measure',
        with: { blocks: 4, payload_hex: hexOf(PAYLOAD), timeout_ms: action.timeoutMs },
      };
    case 'transmit':
      return { do: 'datapath.transmit', with: transmission(action) };
    case 'flush':
      return { do: 'datapath.flush', with: { blocks: action.blocks } };
    default:
      return undefined;
  }
}

function transmission({ bytes, force }: Extract<Action, { do: 'transmit' }>) {
  const payload_hex = hexOf(PAYLOAD.subarray(0, Math.min(bytes, PAYLOAD.length)));
  return { packets: [{ protocol: 'raw' as const, payload_hex }], force };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function without<Body extends { readonly do: string }>({ do: _, ...body }: Body): Omit<Body, 'do'> {
  return body;
}
