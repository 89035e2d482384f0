/**
 * The names of one leaf step: the inputs of its procedure and the answers given before (procedure.P2). Mission Control
 * Service, section 4.2.
 */

import { nearHelp } from '../../../contract/near.ts';
import type { AnswerType } from '../../../contract/program.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { Header } from './header.ts';

export class Names {
  readonly header: Header;
  readonly #answers = new Map<string, AnswerType>();
  readonly #unsound = new Set<string>();

  constructor(header: Header) {
    this.header = header;
  }

  /** The type of a name; undefined when nothing is called so, which is reported unless it was already. */
  find(name: string, faults: FaultsAt): AnswerType | undefined {
    const type = this.typeOf(name);
    if (type !== undefined || this.isUnsound(name)) return type;
    const known = [...this.header.inputs.keys(), ...this.#answers.keys()];
    const otherwise = 'declare an input, or ask for it before in the same step';
    faults.fault(`nothing is named $${name} here`, nearHelp(name, known, 'names', otherwise));
    return undefined;
  }

  typeOf(name: string): AnswerType | undefined {
    return this.#answers.get(name) ?? this.header.inputs.get(name)?.type;
  }

  isAnswer(name: string): boolean {
    return this.#answers.has(name);
  }

  /** Whether it has a fault of its own, reported where it is declared. */
  isUnsound(name: string): boolean {
    return this.#unsound.has(name) || this.header.unsoundNames.has(name);
  }

  /** Whether null is among its values (value.V2); an answer has the name of no input. */
  maybeNull(name: string): boolean {
    return this.header.inputs.get(name)?.default === null;
  }

  /** Adds the answer to the rest of the step; refuses a name that is taken. `undefined`: its type has a fault. */
  answer(name: string, type: AnswerType | undefined, faults: FaultsAt): void {
    if (this.header.document.inputs !== undefined && Object.hasOwn(this.header.document.inputs, name))
      faults.fault(`"${name}" is an input already`, 'give the answer another name');
    else if (this.#answers.has(name) || this.#unsound.has(name))
      faults.fault(`"${name}" was answered before in this step`, 'give the answer another name');
    else if (type === undefined) this.#unsound.add(name);
    else this.#answers.set(name, type);
  }

  /** Every name and its type. */
  *all(): Iterable<readonly [string, AnswerType]> {
    for (const { name, type } of this.header.inputs.values()) yield [name, type];
    yield* this.#answers;
  }
}
