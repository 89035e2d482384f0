/**
 * The libraries of a mission compiled: each procedure with its steps, its calls bound to procedures, what it needs and
 * how long it can last. Mission Control Service, section 4.2.
 *
 * C1. Every fault of every library is reported where it stands; the outcome is sound only when there was none.
 * C2. The same documents and platforms give the same libraries, whatever the order of keys.
 */

import { PROGRAM_DEPTH, PROGRAM_STATEMENTS } from '../../../contract/limits/run.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { LibraryDocument } from '../../document/library.ts';
import type { CallDocument } from '../../document/statement.ts';
import type { Library, Node, Procedure } from '../procedure.ts';
import { callInputs, callRoles } from './call.ts';
import { depthOf, factsOf, sizeOf } from './facts.ts';
import { compileHeader, type Header, type Surroundings } from './header.ts';
import { longestOf } from './longest.ts';
import { compileSteps } from './steps.ts';

export interface LibrarySource {
  readonly document: LibraryDocument;
  readonly faults: FaultsAt;
}

/** The libraries by `name@version`. */
export function compileLibraries(
  sources: readonly LibrarySource[],
  around: Surroundings,
): ReadonlyMap<string, Library> {
  const shelves = sources.map(({ document, faults }) => ({
    document,
    id: `${document.library}@${document.version}`,
    headers: new Map(
      Object.entries(document.procedures).map(([name, each]) => [
        name,
        compileHeader(document, name, each, around, faults.in('procedures', name)),
      ]),
    ),
  }));
  const linker = new Linker(shelves);
  return new Map(shelves.map((shelf) => [shelf.id, linker.library(shelf)]));
}

interface Shelf {
  readonly id: string;
  readonly document: LibraryDocument;
  readonly headers: ReadonlyMap<string, Header>;
}

interface Measured {
  readonly size: number;
  readonly depth: number;
}

class Linker {
  readonly #shelves: readonly Shelf[];
  readonly #done = new Map<Header, Procedure>();
  readonly #measured = new Map<Procedure, Measured>();
  /** Procedures being compiled, each called by the one before. */
  readonly #open: Header[] = [];

  constructor(shelves: readonly Shelf[]) {
    this.#shelves = shelves;
  }

  library({ id, document, headers }: Shelf): Library {
    const procedures = new Map([...headers].map(([name, header]) => [name, this.#procedure(header)]));
    return Object.freeze({
      id,
      name: document.library,
      version: document.version,
      procedures,
      imports: Object.freeze([...document.imports]),
    });
  }

  #procedure(header: Header): Procedure {
    const done = this.#done.get(header);
    if (done !== undefined) return done;
    this.#open.push(header);
    const steps = compileSteps(header, (...call) => this.#call(...call));
    this.#open.pop();
    const fits = this.#measure(header, steps);
    const procedure = Object.freeze({
      name: header.name,
      library: header.library,
      description: header.document.description,
      roles: header.roles,
      inputs: header.inputs,
      steps,
      maxDurationMs: longestOf(steps),
      draft: header.document.status === 'draft',
      allowedIn: header.document.allowed_in,
      ...(fits ? factsOf(steps, header.roles) : { sends: true, changesState: true, hazardous: [] }),
    });
    this.#done.set(header, procedure);
    this.#measured.set(procedure, fits ? this.#sizes(steps) : { size: 0, depth: 0 });
    return procedure;
  }

  #sizes(steps: readonly Node[]): Measured {
    return {
      size: sizeOf(steps, (procedure) => this.#measured.get(procedure)?.size ?? 0),
      depth: depthOf(steps, (procedure) => this.#measured.get(procedure)?.depth ?? 0),
    };
  }

  /** Whether it is within bounds; one that is not counts as nothing for its callers, so that it is reported once. */
  #measure({ faults }: Header, steps: readonly Node[]): boolean {
    const { size, depth } = this.#sizes(steps);
    if (size > PROGRAM_STATEMENTS)
      faults
        .in('steps')
        .fault(`it has ${size} statements with those it calls, at most ${PROGRAM_STATEMENTS}`, 'call less');
    if (depth > PROGRAM_DEPTH)
      faults.in('steps').fault(`steps and calls are nested deeper than ${PROGRAM_DEPTH}`, 'nest less');
    return size <= PROGRAM_STATEMENTS && depth <= PROGRAM_DEPTH;
  }

  #call(document: CallDocument, path: string, caller: Header, faults: FaultsAt): Node | undefined {
    const called = this.#called(document, caller, faults);
    if (called === undefined) return undefined;
    const roles = callRoles(document, caller, called, faults.in('roles'));
    const inputs = callInputs(document, caller, called, faults.in('inputs'));
    const ring = this.#open.indexOf(called);
    if (ring !== -1) {
      const way = [...this.#open.slice(ring), called].map(({ name }) => name).join(' → ');
      faults.in('call').fault(`procedures call each other in a ring: ${way}`, 'take one of the calls out');
      return undefined;
    }
    if (this.#open.length >= PROGRAM_DEPTH) {
      faults.in('call').fault(`calls are nested deeper than ${PROGRAM_DEPTH}`, 'nest less');
      return undefined;
    }
    const procedure = this.#procedure(called);
    return { kind: 'call', path, procedure, roles, inputs, longestMs: procedure.maxDurationMs };
  }

  #called({ call, library }: CallDocument, caller: Header, faults: FaultsAt): Header | undefined {
    const shelf =
      library === undefined
        ? this.#shelves.find(({ headers }) => headers.get(caller.name) === caller)
        : this.#shelf(library, faults.in('library'));
    const header = shelf?.headers.get(call);
    if (shelf === undefined || header !== undefined) return header;
    const others = this.#shelves.filter(({ headers }) => headers.has(call)).map(({ id }) => id);
    const help =
      others.length > 0 ? `add library: ${others[0]}` : nearHelp(call, shelf.headers.keys(), 'procedures');
    faults.in('call').fault(`library ${shelf.id} has no procedure "${call}"`, help);
    return undefined;
  }

  /** By name where it has one version, else by `name@version`. */
  #shelf(library: string, faults: FaultsAt): Shelf | undefined {
    const found = this.#shelves.filter(({ id, document }) => id === library || document.library === library);
    const [shelf, second] = found;
    if (shelf !== undefined && second === undefined) return shelf;
    if (shelf === undefined) {
      const known = this.#shelves.map(({ document }) => document.library);
      faults.fault(`no library "${library}"`, nearHelp(library, new Set(known), 'libraries'));
    } else {
      faults.fault(
        `several libraries are called ${library}`,
        `write ${found.map(({ id }) => id).join(' or ')}`,
      );
    }
    return undefined;
  }
}
