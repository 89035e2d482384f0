/**
 * The resolved run (IR): a procedure with its targets, inputs and faults in place, everything a run does as data.
 * Stored in bucket `mcs_ir` as canonical JSON under its SHA-256. Mission Control Service, section 4.2 rule 5.
 *
 * G1. The same request under the same configuration gives the same program, byte by byte.
 * G2. A program is complete: an executor needs beside it only the configuration it names (platforms, links, units).
 * G3. Durations are ms, numbers in the unit of what they belong to.
 */

import type { RunValue } from './run-event.ts';
import type { ResolvedValue } from './telecommand.ts';

export interface Program {
  readonly format: 1;
  /** Revision of the configuration it was resolved against. */
  readonly config: string;
  readonly procedure: string;
  /** `name@version` */
  readonly library: string;
  readonly environment: string;
  /** Role to target. */
  readonly targets: Readonly<Record<string, string>>;
  /** As logged in `started`: resolved, in the units of the inputs; null for an optional one without value. */
  readonly inputs: Readonly<Record<string, RunValue>>;
  readonly plan?: string;
  readonly policy: ProgramPolicy;
  /** One for each target, sorted by target. */
  readonly leases: readonly ProgramLease[];
  readonly faults: readonly ProgramFault[];
  /** Whether it sends any telecommand, and a hazardous one. */
  readonly sends: boolean;
  readonly hazardous: boolean;
  /** Longest duration with every retry, timeout and wait; null when unbounded (an `ask` without timeout). */
  readonly maxDurationMs: number | null;
  readonly steps: readonly ProgramNode[];
}

/** What the environment says of people (section 5.4). */
export interface ProgramPolicy {
  readonly identity: 'declared' | 'jwt';
  readonly humanOrchestration: boolean;
  readonly hazardousConfirmation: readonly string[];
}

export interface ProgramLease {
  readonly target: string;
  /** Shared when the run only reads it and sends telecommands that change nothing. */
  readonly mode: 'exclusive' | 'shared';
}

/** A fault of a simulated target and when it is switched. */
export interface ProgramFault {
  readonly target: string;
  /** The simulated gateway that knows it. */
  readonly gateway: string;
  readonly fault: string;
  readonly at: ProgramTrigger;
  /** Null: it stays on until the run ends. */
  readonly off: ProgramTrigger | null;
}

export interface ProgramTrigger {
  /** Path of a step or call; absent: run start. */
  readonly step?: string;
  readonly afterMs: number;
}

export type ProgramNode = StepNode | CallNode | IfFailedNode;

/** A named step, or an inline one (`#<n>`). Either a leaf with statements, or a list of nodes. */
export interface StepNode {
  readonly kind: 'step';
  /** Whole path, `fetch/shed_load/payload_off`. */
  readonly path: string;
  /** How often it may be begun without asking, 1: no retry. */
  readonly attempts: number;
  /** Pause before another attempt. */
  readonly delayMs: number;
  /** Of a leaf. */
  readonly statements?: readonly ProgramStatement[];
  /** Of one that holds others. */
  readonly steps?: readonly ProgramNode[];
}

/** Another procedure, in place: its own roles and inputs. */
export interface CallNode {
  readonly kind: 'call';
  readonly path: string;
  readonly procedure: string;
  readonly library: string;
  readonly targets: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, RunValue>>;
  readonly steps: readonly ProgramNode[];
}

/** Runs only behind a step that was decided to have failed, and then the run ends failed. */
export interface IfFailedNode {
  readonly kind: 'if_failed';
  readonly steps: readonly ProgramNode[];
}

/** A value known now, or an answer given in the same step; `unit` is what a number named is in. */
export type Operand = { readonly value: ResolvedValue } | { readonly name: string; readonly unit?: string };

/** A piece of a text: as it is, the value of a name, or the current value of a measure. */
export type TextPart =
  | string
  | { readonly name: string; readonly unit?: string }
  | {
      readonly target: string;
      readonly component: string;
      readonly instance?: Operand;
      readonly measure: string;
    };

export type ProgramStatement =
  | SendStatement
  | ConditionStatement
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'log'; readonly message: readonly TextPart[] }
  | AskStatement
  | { readonly kind: 'confirm'; readonly prompt: readonly TextPart[]; readonly role: string }
  | ConfigureStatement
  | { readonly kind: 'set_mode'; readonly target: string; readonly mode: string }
  | {
      readonly kind: 'download';
      readonly target: string;
      readonly component: string;
      readonly file: Operand;
      readonly priority: number;
    }
  | {
      readonly kind: 'upload';
      readonly target: string;
      readonly component: string;
      readonly file: Operand;
      /** SHA-256 of stored content. */
      readonly content: Operand;
    };

export interface SendStatement {
  readonly kind: 'send';
  readonly target: string;
  readonly link: string;
  readonly environment?: string;
  readonly component: string;
  readonly instance?: Operand;
  readonly telecommand: string;
  readonly args: Readonly<Record<string, Operand>>;
  readonly changesState: boolean;
  readonly hazardous: boolean;
  /** How often one that changes nothing is sent again when it fails. */
  readonly retry: number;
}

/**
 * `expect` holds on a sample taken after it began, within `withinMs`; `check` holds now, on samples not older than
 * `maxAgeMs`; `wait_until` holds within `withinMs`, now counts. The condition names the roles and inputs of its call.
 */
export interface ConditionStatement {
  readonly kind: 'expect' | 'check' | 'wait_until';
  readonly condition: string;
  /** Role to target of the procedure it stands in. */
  readonly targets: Readonly<Record<string, string>>;
  /** Inputs of the procedure it stands in; answers of the step come at run time. */
  readonly inputs: Readonly<Record<string, RunValue>>;
  /** Of an answer named in it: its type, so that the condition can be compiled again. */
  readonly answers: Readonly<Record<string, AnswerType>>;
  /** Types of the inputs, for the same reason. */
  readonly inputTypes: Readonly<Record<string, AnswerType>>;
  /** For `expect` and `wait_until`. */
  readonly withinMs?: number;
  /** For `check`. */
  readonly maxAgeMs?: number;
}

export interface AnswerType {
  /** A value type, the name of an enumeration, `instance`, `file_id` or `file`. */
  readonly type: string;
  readonly unit?: string;
  readonly range?: readonly [number | null, number | null];
  /** For an enumeration: its values. For `instance`: the component (`of`). */
  readonly values?: readonly (readonly [name: string, number: number])[];
  readonly of?: string;
}

export interface AskStatement {
  readonly kind: 'ask';
  readonly prompt: readonly TextPart[];
  /** The name the answer gets; absent for a confirmation. */
  readonly as?: string;
  readonly type?: AnswerType;
  readonly timeoutMs: number | null;
}

/** Setters of the mode in order, then the readbacks, then `mode_changed`. */
export interface ConfigureStatement {
  readonly kind: 'configure';
  readonly target: string;
  readonly mode: string;
  readonly setters: readonly SendStatement[];
  readonly readbacks: readonly Readback[];
  /** Time for all readbacks. */
  readonly withinMs: number;
}

export interface Readback {
  /** `component[instance].parameter` */
  readonly parameter: string;
  readonly component: string;
  readonly instance?: string;
  readonly measure: string;
  /** In the unit of the measure; enums by name. */
  readonly value: ResolvedValue;
}
