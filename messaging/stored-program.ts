/** The programs of runs as bucket `mcs_ir` has them. */

import type { Program } from '../contract/program.ts';
import { readProgram } from '../mission/procedure/program-document.ts';
import { inflated } from './compressed.ts';

/** The program in an entry; a text saying why there is none. Never throws: bytes on the bus may be damaged. */
export function readStoredProgram(bytes: Uint8Array, ir: string): Program | string {
  try {
    const program = readProgram(inflated(bytes), ir);
    return program.ok ? program.value : program.faults.join('; ');
  } catch {
    return `the program ${ir} is not JSON`;
  }
}
