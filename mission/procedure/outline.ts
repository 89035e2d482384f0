/**
 * A procedure as a person checks it before a run: what it needs, and its steps in words with their paths, attempts and
 * longest durations. Mission Control Service, section 4.2. It prints nothing: lines carry their depth.
 *
 * O1. Calls are shown in place, with the paths that their steps have in the log of a run.
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Input, Node, Procedure, Statement } from './procedure.ts';
import { statementWords, textWords, typeWords, writtenWords } from './words.ts';

export interface Outline {
  readonly procedure: string;
  /** `name@version` */
  readonly library: string;
  readonly description: string | undefined;
  readonly draft: boolean;
  /** Undefined: every environment. */
  readonly environments: readonly string[] | undefined;
  readonly roles: readonly { readonly name: string; readonly platform: string }[];
  readonly inputs: readonly OutlineInput[];
  readonly sends: boolean;
  readonly changesState: boolean;
  readonly hazardous: Procedure['hazardous'];
  readonly questions: readonly OutlineQuestion[];
  readonly transfers: readonly { readonly path: string; readonly text: string }[];
  /** Null: unbounded. */
  readonly longestMs: number | null;
  readonly lines: readonly OutlineLine[];
}

/** Of anyone, or the confirmation of a role. */
export interface OutlineQuestion {
  readonly path: string;
  readonly prompt: string;
  readonly role?: string;
  /** The name that its value gets: a question without one is answered by yes or no. */
  readonly as?: string | undefined;
}

export interface OutlineInput {
  readonly name: string;
  readonly type: string;
  readonly description: string | undefined;
  /** In the unit of the input; undefined: a value must be given. */
  readonly default: ResolvedValue | null | undefined;
}

export type OutlineLine =
  | {
      readonly kind: 'step' | 'call' | 'if_failed';
      /** From 0. */
      readonly depth: number;
      /** Whole path; of `if_failed` the one of what it stands in, empty at the top. */
      readonly path: string;
      readonly text: string;
      readonly attempts: number;
      readonly delayMs: number;
      readonly longestMs: number | null;
    }
  | {
      readonly kind: 'statement';
      readonly depth: number;
      readonly path: string;
      readonly text: string;
      readonly longestMs: number | null;
    };

/** What it needs and its steps. */
export function outlineOf(procedure: Procedure): Outline {
  const found = new Found();
  found.nodes(procedure.steps, { prefix: '', parent: '', depth: 0 });
  const { name, library, description, draft, allowedIn, sends, changesState, hazardous } = procedure;
  return {
    procedure: name,
    library,
    description,
    draft,
    environments: allowedIn,
    roles: [...procedure.roles].map(([role, { platformId }]) => ({ name: role, platform: platformId })),
    inputs: [...procedure.inputs.values()].map(outlineInput),
    sends,
    changesState,
    hazardous,
    questions: found.questions,
    transfers: found.transfers,
    longestMs: procedure.maxDurationMs,
    lines: found.lines,
  };
}

function outlineInput({ name, type, description, default: preset }: Input): OutlineInput {
  return { name, type: typeWords(type), description, default: preset };
}

interface Place {
  /** Of the call it stands in, with its slash. */
  readonly prefix: string;
  /** Whole path of what it stands in. */
  readonly parent: string;
  readonly depth: number;
}

class Found {
  readonly lines: OutlineLine[] = [];
  readonly questions: OutlineQuestion[] = [];
  readonly transfers: { path: string; text: string }[] = [];

  nodes(nodes: readonly Node[], place: Place): void {
    for (const node of nodes) this.#node(node, place);
  }

  #node(node: Node, { prefix, parent, depth }: Place): void {
    if (node.kind === 'if_failed') {
      this.#line(node, parent, depth, 'if failed');
      return this.nodes(node.steps, { prefix, parent, depth: depth + 1 });
    }
    const path = `${prefix}${node.path}`;
    if (node.kind === 'call') {
      this.#line(node, path, depth, callWords(node));
      const within = { prefix: `${path}/`, parent: path, depth: depth + 1 };
      return this.nodes(node.procedure.steps, within);
    }
    this.#line(node, path, depth, node.path.slice(node.path.lastIndexOf('/') + 1));
    this.nodes(node.steps ?? [], { prefix, parent: path, depth: depth + 1 });
    for (const statement of node.statements ?? []) this.#statement(statement, path, depth + 1);
  }

  #line(node: Node, path: string, depth: number, text: string): void {
    const { attempts, delayMs } = node.kind === 'step' ? node : { attempts: 1, delayMs: 0 };
    const { kind, longestMs } = node;
    this.lines.push({ kind, depth, path, text, attempts, delayMs, longestMs });
  }

  #statement(statement: Statement, path: string, depth: number): void {
    const text = statementWords(statement);
    this.lines.push({ kind: 'statement', depth, path, text, longestMs: statement.longestMs });
    if (statement.kind === 'download' || statement.kind === 'upload') this.transfers.push({ path, text });
    if (statement.kind === 'ask')
      this.questions.push({ path, prompt: textWords(statement.prompt), as: statement.as });
    if (statement.kind === 'confirm')
      this.questions.push({ path, prompt: textWords(statement.prompt), role: statement.role });
  }
}

function callWords({ procedure, roles, inputs }: Extract<Node, { kind: 'call' }>): string {
  const given = [
    ...[...roles].map(([role, own]) => `${role}: ${own}`),
    ...[...inputs].map(([input, value]) => `${input}: ${writtenWords(value)}`),
  ];
  return `call ${procedure.name} of ${procedure.library} (${given.join(', ')})`;
}
