/** What a bench is: text to a configuration that a daemon can start with. */

import { BenchConfig } from '../../contract/bench/config.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { checkShape } from '../../contract/shape.ts';
import { DocumentFaults } from './fault.ts';
import { readDocument } from './read.ts';

/** Of a bench that has no document: the model. */
export const PLAIN_BENCH: BenchConfig = {};

/** The configuration that a text is, YAML or JSON; refused with everything that is wrong with it. */
export function readBenchConfig(text: string): Result<BenchConfig, string> {
  const document = readDocument(text);
  if (!document.ok) return document;
  const faults = new DocumentFaults();
  if (checkShape(BenchConfig, document.value, faults)) {
    const { board = 'stub', stub, iiod } = document.value as BenchConfig;
    if (board === 'iiod' && iiod === undefined)
      faults.in('iiod').fault('is missing, but the board is reached by it', 'write iiod: { host: … }');
    if (board === 'iiod' && stub !== undefined)
      faults.in('stub').fault('describes a model, but the board is iiod', 'leave it out');
    if (board === 'stub' && iiod !== undefined)
      faults
        .in('iiod')
        .fault('describes a board, but the bench is the model', 'write board: iiod, or leave it out');
  }
  return faults.found === 0 ? accepted(document.value as BenchConfig) : refusedAll(faults.told());
}
