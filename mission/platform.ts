/**
 * A platform (catalogue) as the roles use it: components with measures, parameters and telecommands, conditions and
 * layouts compiled to closures. Mission Control Service, section 2.11.
 *
 * L1. A platform is immutable.
 * L2. The ordinal of a measure is its place in the key order of its platform (`component[instance].measure`, compared
 *     segment by segment), so ordinals rise as keys do.
 */

import type { Severity } from '../contract/alarm.ts';
import type { BlockBuilder, FileSample } from '../contract/batch.ts';
import type { FileChunk } from '../contract/file-chunk.ts';
import type { FileMeasureName } from '../contract/file-sample.ts';
import type { Result } from '../contract/result.ts';
import type { ResolvedValue } from '../contract/telecommand.ts';
import type { Condition, ExpressionEvaluation } from './condition/condition.ts';
import type { FileDirectory } from './file-directory.ts';

export interface Platform {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Names the content, so that columns made with another content are recognised (batch.B2). */
  readonly digest: string;
  readonly enumerations: ReadonlyMap<string, Enumeration>;
  readonly components: ReadonlyMap<string, Component>;
  /** The on-board directory: its component, its types of files, and how files are listed, read and written. */
  readonly files: FileDirectory | undefined;
  /** Of the on-board directory, by name. */
  readonly fileTypes: ReadonlyMap<string, number>;
  /** By ordinal. */
  readonly measures: readonly Measure[];
  /** Ordinal of `component.measure` or `component[instance].measure`. */
  ordinal(key: string): number | undefined;
  /** Reads one packet of this platform; see `PacketReader`. */
  readonly packets: PacketReader;
  /** Reads the data of one CSP packet. */
  readonly datagrams: DatagramReader;
  /** Reads one line of text. */
  readonly lines: LineReader;
  /** The named alarms, by component and then in the order of the document; limits stand in the measures. */
  readonly alarms: readonly NamedAlarm[];
  /** The derived measures, each behind those it is derived from. */
  readonly derived: readonly Derived[];
}

/** A derived measure of one instance, with its expression compiled. */
export interface Derived {
  readonly ordinal: number;
  /** As written. */
  readonly source: string;
  /** Ordinals of the measures it reads, rising. */
  readonly reads: readonly number[];
  /** Whether it looks at history or time: then real-time samples only may be fed. */
  readonly temporal: boolean;
  /** How far back it looks, at most, ms. */
  readonly spanMs: number;
  /** An evaluation that knows no sample yet. */
  open(): ExpressionEvaluation;
}

/** A named condition that is an alarm (section 2.4), one for each instance of its component. */
export interface NamedAlarm {
  readonly component: string;
  /** Empty for a component without instances. */
  readonly instances: readonly string[];
  readonly name: string;
  readonly severity: Severity;
  readonly when: Condition;
  /** Whether it may turn without a sample. */
  readonly temporal: boolean;
  /** How far back the condition looks, at most, ms. */
  readonly spanMs: number;
  /** The procedure run as a reaction. */
  readonly onRaise: string | undefined;
}

export interface Component {
  readonly name: string;
  readonly description: string | undefined;
  /** Empty for a component without instances. */
  readonly instances: readonly string[];
  /** The component of the on-board directory: its instances are file identifiers, open-ended. */
  readonly files: boolean;
  /** In the order of the document. */
  readonly measures: readonly MeasureDefinition[];
  readonly telecommands: ReadonlyMap<string, Telecommand>;
  /** In the order of the document. */
  readonly parameters: readonly Parameter[];
}

/** A parameter of a component: what sets it and what reads it back (section 2.5). */
export interface Parameter {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: string;
  readonly enumeration: Enumeration | undefined;
  readonly unit: string | undefined;
  readonly set:
    | { readonly component: string; readonly telecommand: string; readonly argument: string }
    | undefined;
  readonly readback: { readonly component: string; readonly measure: string } | undefined;
}

export type ValueType =
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'i8'
  | 'i16'
  | 'i32'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'bool'
  | 'string'
  | 'bytes';

export interface Enumeration {
  readonly name: string;
  nameOf(number: number): string | undefined;
  numberOf(name: string): number | undefined;
  readonly names: readonly string[];
}

export interface MeasureDefinition {
  readonly name: string;
  readonly description: string | undefined;
  /** A value type or the name of an enumeration. */
  readonly type: string;
  readonly enumeration: Enumeration | undefined;
  readonly unit: string | undefined;
  readonly soft: readonly [number | null, number | null] | undefined;
  readonly hard: readonly [number | null, number | null] | undefined;
  readonly derived: string | undefined;
  /** Raw to physical; NaN where the calibration does not cover the raw value. Absent when raw is the value. */
  readonly calibrate: ((raw: number) => number) | undefined;
  /**
   * By how much the value moves when its raw value, a whole count, moves by one; where that can be determined from the
   * value.
   */
  readonly step?: (value: number) => number;
}

/** A measure of one instance. */
export interface Measure {
  readonly ordinal: number;
  readonly key: string;
  readonly component: string;
  readonly instance: string | undefined;
  readonly definition: MeasureDefinition;
  /**
   * Set where the instance is a file on board: its samples are named and have no ordinals (batch.FileSample); its
   * ordinal is of who asked.
   */
  readonly file?: FileMeasureName;
}

export interface Argument {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: string;
  readonly enumeration: Enumeration | undefined;
  readonly unit: string | undefined;
  readonly range: readonly [number | null, number | null] | undefined;
  /** As written in the document; undefined: the argument must be given. */
  readonly default: unknown;
}

export interface Telecommand {
  readonly component: string;
  readonly name: string;
  /** `component.name` */
  readonly path: string;
  readonly description: string | undefined;
  readonly args: readonly Argument[];
  readonly changesState: boolean;
  readonly hazardous: boolean;
  readonly requires: readonly Requirement[];
  readonly verify: Verification | undefined;
  /** Absent when the catalogue does not say how it is written: its driver then refuses to encode it. */
  readonly encoding: Encoding | undefined;
  /** Of a telecommand of the files component that names one file; `maxId` when identifiers are written as numbers. */
  readonly file?: { readonly maxId: number | undefined };
}

export interface Requirement {
  readonly that: Condition;
  readonly maxAgeMs: number;
}

/** Satisfied when everything it names is; failed as soon as `fail` holds or a report fails. */
export interface Verification {
  readonly expect: Condition | undefined;
  readonly fail: Condition | undefined;
  /** Which reports of the spacecraft it awaits: `acceptance`, or `completion` as well. */
  readonly reports: 'acceptance' | 'completion' | undefined;
  /**
   * Set when its report is a line of text. A line does not say which telecommand it answers: the first one after the
   * sending does, so the telecommand is the only one of its target under way until then.
   */
  readonly answer?: AwaitedAnswer;
  readonly withinMs: number;
}

export interface AwaitedAnswer {
  /** Names the pair of patterns in reports. */
  readonly reference: string;
  readonly withinMs: number;
}

export interface Encoding {
  /** What the protocol of the driver needs beside the data: for PUS `service`, `subtype`. */
  readonly header: Readonly<Record<string, number>>;
  /** The application data for resolved arguments; `instance` can be a field of its own. */
  data(args: Readonly<Record<string, ResolvedValue>>, instance: string | undefined): Buffer;
  /** Set when it is written as a line of text; it then has no data. */
  readonly line?: LineWriter;
}

/** The line of resolved arguments, without its end; refuses each value that does not fit on it. */
export type LineWriter = (
  args: Readonly<Record<string, ResolvedValue>>,
  instance: string | undefined,
) => Result<string, string>;

/** What reading a packet came to: nothing is taken of one with a fault. */
export type PacketOutcome =
  | {
      readonly layout: string;
      /** Why files in it were left out, where some were. */
      readonly left?: readonly string[];
    }
  | { readonly fault: string };

/** Where files in packets go: listings as samples, and chunks. */
export interface FileReadings {
  readonly samples: FileSample[];
  readonly chunks: FileChunk[];
}

/**
 * Reads packets by the layouts of the platform, compiled once to closures over Buffers.
 */
export interface PacketReader {
  /**
   * Appends the samples of the packet to `into` as raw values, its files to `files`, and returns the name of the layout
   * that matched; undefined when none does. Refuses (a message) a packet that matches and is too short for its fields.
   */
  read(packet: Buffer, groundMs: number, into: BlockBuilder, files?: FileReadings): PacketOutcome | undefined;
}

/** The addresses of a CSP packet that choose its layout. */
export interface DatagramAddress {
  readonly port: number;
  readonly sourcePort: number;
  readonly source: number;
}

/** Reads the data of CSP packets as `PacketReader` reads packets. */
export interface DatagramReader {
  read(
    address: DatagramAddress,
    data: Buffer,
    groundMs: number,
    into: BlockBuilder,
    files?: FileReadings,
  ): PacketOutcome | undefined;
}

/** Reads lines by the patterns of the platform. */
export interface LineReader {
  /** As `PacketReader.read`; the line comes without its end and the blanks around it. */
  read(
    line: string,
    groundMs: number,
    into: BlockBuilder,
  ): { layout: string } | { fault: string } | undefined;
  /** What the line says to telecommands that may await it. */
  answers(line: string): readonly LineAnswer[];
}

export interface LineAnswer {
  readonly reference: string;
  readonly ok: boolean;
  readonly code?: number;
  /** The line. */
  readonly detail: string;
}
