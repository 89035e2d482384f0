/**
 * The steps of a procedure: which statements make a step, what its path is, how often it is tried (procedure.P1).
 * Mission Control Service, section 2.3 (paths) and section 4.2.
 */

import { PROGRAM_DEPTH } from '../../../contract/limits/run.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { CallDocument, StepDocument } from '../../document/statement.ts';
import type { Node, Statement } from '../procedure.ts';
import { timeIn } from './duration.ts';
import type { Header } from './header.ts';
import { longestOf, sum, withAttempts } from './longest.ts';
import { Names } from './names.ts';
import { compileStatement, type NodeKind, type ShapedStatement, shaped } from './statement.ts';

/** Makes the node of a call: it needs the other procedures. */
export type CompileCall = (
  document: CallDocument,
  path: string,
  caller: Header,
  faults: FaultsAt,
) => Node | undefined;

/** What steps are the children of: numbers inline steps and knows the names taken. */
interface Parent {
  readonly path: string;
  readonly depth: number;
  readonly taken: Set<string>;
  inline: number;
}

type LeafStatement = ShapedStatement & { readonly kind: Exclude<ShapedStatement['kind'], NodeKind> };

/** The steps of a procedure, as far as they hold; every fault in them is reported. */
export function compileSteps(header: Header, call: CompileCall): readonly Node[] {
  const parent = { path: '', depth: 1, taken: new Set<string>(), inline: 0 };
  return new Steps(header, call).list(header.document.steps, parent, header.faults.in('steps'));
}

class Steps {
  readonly #header: Header;
  readonly #call: CompileCall;

  constructor(header: Header, call: CompileCall) {
    this.#header = header;
    this.#call = call;
  }

  list(items: readonly unknown[], parent: Parent, faults: FaultsAt): Node[] {
    const nodes: Node[] = [];
    let bare: LeafStatement[] = [];
    const endInline = (): void => {
      if (bare.length > 0) nodes.push(this.#inline(bare, parent));
      bare = [];
    };
    for (const [index, item] of items.entries()) {
      const statement = shaped(item, faults.in(index));
      if (statement === undefined) continue;
      if (isLeaf(statement)) {
        bare.push(statement);
        continue;
      }
      endInline();
      if (statement.kind === 'if failed' && index === 0)
        statement.faults.fault('no statement is before it, so it never runs', 'put it after what may fail');
      const node = this.#node(statement, parent);
      if (node !== undefined) nodes.push(node);
    }
    endInline();
    return nodes;
  }

  #node({ kind, document, faults }: ShapedStatement, parent: Parent): Node | undefined {
    if (kind === 'step') return this.#step(document as StepDocument, parent, faults);
    if (kind === 'call') return this.#callNode(document as CallDocument, parent, faults);
    const items = itemsOf(document['if failed'], faults.in('if failed'));
    const at = faults.in('if failed');
    if (items === undefined || tooDeep(parent.depth + 1, at)) return undefined;
    // What it holds counts on in its parent, one level deeper for the bound on nesting only.
    const within: Parent = { ...parent, depth: parent.depth + 1 };
    const steps = this.list(items, within, at);
    parent.inline = within.inline;
    return { kind: 'if_failed', steps, longestMs: longestOf(steps) };
  }

  #callNode(document: CallDocument, parent: Parent, faults: FaultsAt): Node | undefined {
    take(document.call, parent, faults.in('call'));
    return this.#call(document, join(parent.path, document.call), this.#header, faults);
  }

  #step(document: StepDocument, parent: Parent, faults: FaultsAt): Node | undefined {
    take(document.step, parent, faults.in('step'));
    const path = join(parent.path, document.step);
    const { attempts, delayMs } = retryOf(document, faults.in('retry'));
    const at = faults.in('do');
    const items = itemsOf(document.do, at);
    if (items === undefined || tooDeep(parent.depth + 1, at)) return undefined;
    const kinds = items.map((item) => (isMapping(item) ? Object.keys(item) : []));
    if (!kinds.some((keys) => keys.some((key) => ['step', 'call', 'if failed'].includes(key)))) {
      const leaf = items.flatMap((item, index) => shaped(item, at.in(index)) ?? []).filter(isLeaf);
      return this.#leaf(path, attempts, delayMs, leaf);
    }
    const within = { path, depth: parent.depth + 1, taken: new Set<string>(), inline: 0 };
    const steps = this.list(items, within, at);
    const longestMs = withAttempts(longestOf(steps), attempts, delayMs);
    return { kind: 'step', path, attempts, delayMs, steps, longestMs };
  }

  #inline(statements: readonly LeafStatement[], parent: Parent): Node {
    parent.inline += 1;
    return this.#leaf(join(parent.path, `#${parent.inline}`), 1, 0, statements);
  }

  #leaf(path: string, attempts: number, delayMs: number, from: readonly LeafStatement[]): Node {
    const names = new Names(this.#header);
    const statements: Statement[] = from.flatMap((each) => compileStatement(each, names) ?? []);
    const once = sum(statements.map(({ longestMs }) => longestMs));
    return {
      kind: 'step',
      path,
      attempts,
      delayMs,
      statements,
      longestMs: withAttempts(once, attempts, delayMs),
    };
  }
}

function isLeaf(statement: ShapedStatement): statement is LeafStatement {
  return statement.kind !== 'step' && statement.kind !== 'call' && statement.kind !== 'if failed';
}

function isMapping(item: unknown): item is object {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}

function itemsOf(items: unknown, faults: FaultsAt): readonly unknown[] | undefined {
  if (Array.isArray(items) && items.length > 0) return items;
  faults.fault('it needs a list of statements', 'write one or more, each a mapping');
  return undefined;
}

function tooDeep(depth: number, faults: FaultsAt): boolean {
  if (depth <= PROGRAM_DEPTH) return false;
  faults.fault(
    `steps are nested deeper than ${PROGRAM_DEPTH}`,
    'make a procedure of the inner ones and call it',
  );
  return true;
}

function take(name: string, { taken }: Parent, faults: FaultsAt): void {
  if (taken.has(name))
    faults.fault(
      `there is a step "${name}" beside it already`,
      'give it another name, or put a call into a step',
    );
  taken.add(name);
}

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}

/** As for `send`, a number is how often it is tried again. */
function retryOf({ retry = 0 }: StepDocument, faults: FaultsAt): { attempts: number; delayMs: number } {
  if (typeof retry === 'number') return { attempts: retry + 1, delayMs: 0 };
  const { attempts, delay } = retry;
  return { attempts, delayMs: delay === undefined ? 0 : timeIn(delay, faults.in('delay')) };
}
