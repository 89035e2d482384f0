/**
 * What the executor and the API ask of drivers and gateways over the bus (JSON, request and reply). A reply is a
 * `Result`: refusals travel, outages do not answer.
 */

import { isInstant, readInstant } from './instant.ts';
import type { LinkBinding } from './mode.ts';
import { asObject, type Foreign, isListOf, oneOf, readReply, readResult, textIn } from './reply.ts';
import type { Result } from './result.ts';
import type { SimulatedFile } from './simulation.ts';
import type { NeededHold } from './target-holds.ts';
import type { DecodedSample, ResolvedValue } from './telecommand.ts';

export const DRIVER_VERBS = ['encode', 'decode', 'cfdp'] as const;
export type DriverVerb = (typeof DRIVER_VERBS)[number];
/** What may be asked of a driver twice: at most a sequence count is left out by it. */
export type RepeatableVerb = Exclude<DriverVerb, 'cfdp'> | 'state';

export interface LinkAddress {
  readonly target: string;
  readonly link: string;
  readonly environment?: string;
}

export interface EncodeCall extends LinkAddress {
  readonly component: string;
  readonly instance?: string;
  readonly telecommand: string;
  readonly args: Readonly<Record<string, ResolvedValue>>;
}

export interface EncodeReply {
  /** Hexadecimal: the frame of the medium on a link without transport, else the unit handed to the transport. */
  readonly frame: string;
  /** How reports of the spacecraft will name this telecommand, when the protocol has such reports. */
  readonly reference?: string;
  /** The frame as text when it is printable. */
  readonly text?: string;
}

export interface DecodeCall extends LinkAddress {
  /** Hexadecimal, without spaces. */
  readonly frame: string;
}

export interface DecodeReply {
  readonly samples: readonly DecodedSample[];
}

export interface DriverFault {
  readonly code: 'driver::encode-failed' | 'driver::decode-failed' | 'driver::no-verb';
  readonly message: string;
}

export type DriverAnswer<Value> = Result<Value, DriverFault>;

export const DRIVER_CODES = ['driver::encode-failed', 'driver::decode-failed', 'driver::no-verb'] as const;

/** What a driver answered to `encode`; undefined for a malformed reply. */
export function readEncodeReply(bytes: Uint8Array): DriverAnswer<EncodeReply> | undefined {
  const isOptional = (value: unknown): boolean => value === undefined || typeof value === 'string';
  return readResult(
    bytes,
    ({ frame, reference, text }) => typeof frame === 'string' && isOptional(reference) && isOptional(text),
    DRIVER_CODES,
  );
}

/** What a driver answered to `decode`; undefined for a malformed reply. */
export function readDecodeReply(bytes: Uint8Array): DriverAnswer<DecodeReply> | undefined {
  return readResult(bytes, ({ samples }) => isListOf(samples, isDecodedSample), DRIVER_CODES);
}

function isDecodedSample(sample: Foreign): boolean {
  return ['component', 'measure'].every((field) => textIn(sample, field) !== undefined);
}

/** Reply of the verb `state` of a driver: it is alive. */
export interface DriverState {
  readonly driver: string;
  readonly protocol: string;
  /** How its links are bound now, as far as this process knows. */
  readonly bindings?: readonly LinkBinding[];
}

/**
 * A frame to send. `key` is the idempotency key of the effect: a gateway that knows it answers as it did before and
 * sends nothing. `epoch` fences: a gateway refuses an epoch below one it has seen for the target.
 */
export interface SendCall {
  readonly target: string;
  readonly key: string;
  readonly epoch: number;
  readonly frame: string;
  /**
   * After this (ms since 1970) it must not leave any more: nobody waits for it. A gateway that has not sent it by then
   * refuses.
   */
  readonly notAfter: number;
  /**
   * Set when an earlier owner may already have asked. A gateway that has been up since before `since` (ms since 1970)
   * knows whether it sent the key; one that started later answers `unknown` and sends nothing.
   */
  readonly recovering?: { readonly since: number };
  /**
   * For a telecommand of a run: the hold it needs. A gateway reads the holds of the target (bucket `mcs_leases`) itself
   * and refuses when that hold is over. One that does not know this field is bounded by `notAfter`.
   */
  readonly hold?: NeededHold;
  /**
   * Where the bus stood before the frame was handed over: a gateway remembers it with the key, and answers with that of
   * the first.
   */
  readonly handed?: BusPosition;
}

/**
 * Verb `fence` of a gateway: of what this run submitted to the target, nothing up to `upTo` (position in TC_COMMANDS)
 * shall leave any more. It is answered once nothing of that is on its way to the radio.
 */
export interface FenceCall {
  readonly target: string;
  readonly run: string;
  readonly upTo: number;
}

export interface FenceReply {
  readonly fenced: true;
}

/** What a gateway answered to `fence`; undefined for a malformed reply, as of one that has no fence. */
export function readFenceReply(bytes: Uint8Array): FenceReply | undefined {
  return readReply(bytes)?.fenced === true ? { fenced: true } : undefined;
}

/**
 * The last messages of the streams that lead to the values of a target; what is received from then on stands behind all
 * of them.
 */
export interface BusPosition {
  /** In the stream of frames, of the gateways that receive the target. */
  readonly frames: number;
  /** In the stream of decoded samples, of the target. */
  readonly decoded: number;
  /** In the stream of values, of the target. */
  readonly values: number;
}

export function isBusPosition(value: unknown): value is BusPosition {
  const { frames, decoded, values } = (value ?? {}) as Partial<Record<keyof BusPosition, unknown>>;
  return [frames, decoded, values].every((seq) => Number.isSafeInteger(seq) && (seq as number) >= 0);
}

export type SendReply =
  | {
      readonly outcome: 'sent';
      readonly at: number;
      /** `handed` of the call under which the frame left. */
      readonly handed?: BusPosition;
    }
  | {
      readonly outcome: 'refused';
      readonly detail: string;
      /** It is being handed over to another process, which is asked next. */
      readonly leaving?: true;
    }
  | { readonly outcome: 'unknown'; readonly detail: string };

/** What a gateway answered to `send`; undefined for a malformed reply. */
export function readSendReply(bytes: Uint8Array): SendReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['sent', 'refused', 'unknown']);
  if (reply === undefined || outcome === undefined) return undefined;
  if (outcome !== 'sent') {
    const detail = textIn(reply, 'detail');
    if (detail === undefined) return undefined;
    return outcome === 'refused' && reply.leaving === true
      ? { outcome, detail, leaving: true }
      : { outcome, detail };
  }
  const { at, handed } = reply;
  if (!isTime(at)) return undefined;
  return { outcome, at, ...(isBusPosition(handed) && { handed }) };
}

/** Whether something that came over the bus is a time the log can write: every number but a few is. */
export function isTime(at: unknown): at is number {
  return typeof at === 'number' && !Number.isNaN(new Date(at).getTime());
}

/**
 * Message on `mcs.gw.echo.<gateway>`: a frame the gateway received back. The gateway receives echoes in the order it
 * sent, so it names the sending it takes this one for.
 */
export interface EchoMessage {
  readonly target: string;
  /** Idempotency key of the sending. */
  readonly key: string;
  /** Hexadecimal, as received. */
  readonly frame: string;
  /** Whether it equals what was sent. */
  readonly conforming: boolean;
  readonly at: number;
}

/**
 * Message on `mcs.gw.sent.<gateway>`: a frame that was handed over to leave, and what became of it. Once for each key.
 * Gateways of a version before write `at` as ms since 1970 (`reportedMoment`).
 */
export interface SentMessage {
  readonly target: string;
  /** Idempotency key of the sending. */
  readonly key: string;
  /** Hexadecimal. */
  readonly frame: string;
  readonly outcome: SendReply['outcome'];
  readonly detail?: string;
  /** RFC 3339 */
  readonly at: string;
}

export const LINK_STATES = ['up', 'silent', 'connecting', 'down'] as const;
/**
 * How a gateway stands to its radio. `silent`: there, and nothing received for longer than the mission expects;
 * `connecting`: trying; `down`: it cannot work as it is.
 */
export type LinkState = (typeof LINK_STATES)[number];

export interface LinkCondition {
  readonly state: LinkState;
  /** ms since 1970 */
  readonly since: number;
  readonly reason?: string;
}

/** A time in a report, ms since 1970; gateways of a version before write it so. Undefined for what is no time. */
export function reportedMoment(value: unknown): number | undefined {
  if (typeof value === 'string') return readInstant(value);
  return typeof value === 'number' && isInstant(value) ? value : undefined;
}

/** The same on the bus, with a time of RFC 3339; versions before wrote ms since 1970. */
export interface ReportedCondition extends Omit<LinkCondition, 'since'> {
  readonly since: string;
}

/** Since the gateway started, and a second of the time since the last report. */
export interface Throughput {
  readonly frames: number;
  readonly bytes: number;
  readonly frames_per_second: number;
  readonly bytes_per_second: number;
}

/** Reply of the verb `state` of a gateway: its report, and how its links are bound now. */
export interface GatewayState extends GatewayReport {
  readonly bindings: readonly LinkBinding[];
}

/** Message on `mcs.metrics`, every `GATEWAY_METRICS_MS` and when the link changes. */
export interface GatewayReport {
  readonly gateway: string;
  readonly kind: string;
  /** RFC 3339. */
  readonly at: string;
  readonly link: ReportedCondition;
  readonly downlink: Throughput;
  readonly uplink: Throughput;
  /** Frames received that wait for the bus, and frames that wait to leave. */
  readonly queued: { readonly downlink: number; readonly uplink: number };
  /** Connections after the first. */
  readonly reconnects: number;
  readonly lost: {
    /** Frames dropped because the bus was away or too slow. */
    readonly dropped: number;
    /** Frames cut off by the end of a connection or datagram. */
    readonly cut: number;
    /** Bytes that are in no frame. */
    readonly skipped_bytes: number;
    /** Datagrams and connections of strangers. */
    readonly foreign: number;
    /** Datagrams that the kernel dropped before the gateway saw them; absent from gateways of others. */
    readonly kernel?: number;
  };
}

/** Simulation control of a gateway: verb `faults` lists, verb `fault` switches. */
export interface FaultCall {
  readonly fault: string;
  readonly on: boolean;
  readonly run?: string;
  /** Which fault of the program of the run. */
  readonly index?: number;
  /** The caller, for the event that reports the switch. */
  readonly by?: string;
}

interface SimulationFault {
  readonly code: 'sim::refused' | 'sim::not-simulated';
  readonly message: string;
}
export type SimulationRefusal = Extract<Result<never, SimulationFault>, { readonly ok: false }>;

export type FaultReply = Result<
  { readonly faults: readonly { readonly fault: string; readonly on: boolean }[] },
  SimulationFault
>;

/** Reply of the verb `files` of a simulated gateway. */
export type FileReply = Result<{ readonly files: readonly SimulatedFile[] }, SimulationFault>;

/** What a gateway answered to `fault` or `faults`; undefined for a malformed reply. */
export function readFaultReply(bytes: Uint8Array): FaultReply | undefined {
  const isFault = (each: Foreign): boolean =>
    textIn(each, 'fault') !== undefined && typeof each.on === 'boolean';
  return readResult(bytes, ({ faults }) => isListOf(faults, isFault), ['sim::refused', 'sim::not-simulated']);
}

/** What a gateway answered to `files`; undefined for a malformed reply. */
export function readFileReply(bytes: Uint8Array): FileReply | undefined {
  const isFile = (each: Foreign): boolean =>
    ['id', 'crc32', 'sha256'].every((text) => textIn(each, text) !== undefined) &&
    ['file_type', 'generation', 'size'].every((number) => Number.isSafeInteger(each[number]));
  return readResult(bytes, ({ files }) => isListOf(files, isFile), ['sim::refused', 'sim::not-simulated']);
}

/** How a gateway says that its link is; undefined where it does not say: gateways of others need not. */
export function linkStateIn(reply: Foreign): Pick<LinkCondition, 'state' | 'reason'> | undefined {
  const link = asObject(reply.link);
  const state = link && oneOf(link, 'state', LINK_STATES);
  const reason = link && textIn(link, 'reason');
  return state && { state, ...(reason !== undefined && { reason }) };
}
