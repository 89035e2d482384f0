/**
 * A procedure as compiled from its library: every statement bound to the platforms of its roles, every name and unit
 * checked, its longest duration known. Mission Control Service, section 4.2. What it does with which targets and inputs
 * is resolved per request (`resolve-run.ts`).
 *
 * P1. Named steps are joined by `/`; each maximal run of bare statements beside named steps and calls is one inline
 *     step `#<n>`, counted from 1 within its parent; a step whose `do` holds no step, no call and no `if failed` runs
 *     its statements itself; a call is named by its procedure, and like a step it ends a run of bare statements. `if
 *     failed` has no name: what it holds counts on in its parent.
 * P2. An answer is a name in the rest of the leaf step it was asked in, and nowhere else.
 * P3. Procedures never call in a ring.
 */

import type { AnswerType } from '../../contract/program.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Component, Platform, Telecommand } from '../platform.ts';

export interface Library {
  readonly name: string;
  readonly version: string;
  /** `name@version` */
  readonly id: string;
  /** `name@version` of platforms. */
  readonly imports: readonly string[];
  readonly procedures: ReadonlyMap<string, Procedure>;
}

export interface Procedure {
  readonly name: string;
  readonly library: string;
  readonly description: string | undefined;
  /** Of itself: what it calls may be a draft too, or be allowed elsewhere. */
  readonly draft: boolean;
  /** Of itself; undefined: everywhere. */
  readonly allowedIn: readonly string[] | undefined;
  readonly roles: ReadonlyMap<string, Role>;
  readonly inputs: ReadonlyMap<string, Input>;
  readonly steps: readonly Node[];
  /** Of itself and all it calls. */
  readonly sends: boolean;
  readonly changesState: boolean;
  /** Paths of the steps that send hazardous telecommands, with the telecommand as written. */
  readonly hazardous: readonly { readonly path: string; readonly telecommand: string }[];
  /** Longest duration, retries included; null when an `ask` without timeout makes it unbounded. */
  readonly maxDurationMs: number | null;
}

export interface Role {
  /** Name of the platform, as the library imports it. */
  readonly platform: string;
  /** `name@version` imported. */
  readonly platformId: string;
  /** The platform it was compiled against. */
  readonly compiled: Platform;
}

export interface Input {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: AnswerType;
  /** Read, in the unit of the input; undefined: a value must be given. Null is a value only where it is the default. */
  readonly default: ResolvedValue | null | undefined;
}

/** A value in a statement: known when compiled, or the value of an input or answer. */
export type Written = { readonly value: ResolvedValue } | { readonly name: string };

export type Text = readonly (
  | string
  | { readonly name: string; readonly unit?: string }
  | {
      readonly role: string;
      readonly component: string;
      readonly instance: Written | undefined;
      readonly measure: string;
    }
)[];

export type Node =
  | {
      readonly kind: 'step';
      /** Relative to the procedure: `shoot`, `fetch/#1`. */
      readonly path: string;
      readonly attempts: number;
      readonly delayMs: number;
      readonly statements?: readonly Statement[];
      readonly steps?: readonly Node[];
      readonly longestMs: number | null;
    }
  | {
      readonly kind: 'call';
      readonly path: string;
      readonly procedure: Procedure;
      /** Role of the called procedure to role of this one. */
      readonly roles: ReadonlyMap<string, string>;
      /** A name here is an input of this procedure. */
      readonly inputs: ReadonlyMap<string, Written>;
      readonly longestMs: number | null;
    }
  | { readonly kind: 'if_failed'; readonly steps: readonly Node[]; readonly longestMs: number | null };

export type Statement = StatementKind & {
  /** Of this statement alone, its own re-sends included. */
  readonly longestMs: number | null;
};

type StatementKind =
  | {
      readonly kind: 'send';
      readonly role: string;
      readonly component: Component;
      readonly telecommand: Telecommand;
      readonly instance: Written | undefined;
      /** Every argument of the telecommand: defaults are in place. */
      readonly args: ReadonlyMap<string, Written>;
      /** Undefined: the default link. */
      readonly link: string | undefined;
      /** 0 for one that changes the state: nobody sends it again but a person. */
      readonly retry: number;
    }
  | {
      readonly kind: 'expect' | 'check' | 'wait_until';
      readonly condition: string;
      /** Answers it names, with their types. */
      readonly answers: Readonly<Record<string, AnswerType>>;
      readonly withinMs?: number;
      readonly maxAgeMs?: number;
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'log'; readonly message: Text }
  | {
      readonly kind: 'ask';
      readonly prompt: Text;
      readonly as: string | undefined;
      readonly type: AnswerType | undefined;
      readonly timeoutMs: number | null;
    }
  | { readonly kind: 'confirm'; readonly prompt: Text; readonly role: string }
  | {
      readonly kind: 'configure';
      readonly role: string;
      readonly mode: string;
      readonly withinMs: number;
    }
  | { readonly kind: 'set_mode'; readonly role: string; readonly mode: string }
  | {
      readonly kind: 'download';
      readonly role: string;
      readonly component: string;
      readonly file: { readonly name: string };
      readonly priority: number;
    }
  | {
      readonly kind: 'upload';
      readonly role: string;
      readonly component: string;
      readonly file: { readonly name: string };
      readonly content: { readonly name: string };
    };
