/**
 * Samples of files as they come off the bus, read with suspicion. Mission Control Service, section 2.8.
 *
 * R1. What cannot be taken up is left out, and the rest of the message is not: one listing has thousands of files.
 */

import type { FileSample } from '../../contract/batch.ts';
import { type FileMeasureName, fileSampleFault } from '../../contract/file-sample.ts';
import { isInstant } from '../../contract/instant.ts';
import type { PlainValue } from './unknown-value.ts';

/** The samples that can be taken up; the list itself where all can. `left` is given why each of the others cannot. */
export function readableFiles(
  samples: readonly FileSample[],
  left?: (sample: FileSample, why: string) => void,
): readonly FileSample[] {
  const faults = samples.map(faultOf);
  if (faults.every((fault) => fault === undefined)) return samples;
  return samples.filter((sample, index) => {
    const fault = faults[index];
    if (fault !== undefined) left?.(sample, fault);
    return fault === undefined;
  });
}

function faultOf(sample: FileSample): string | undefined {
  return fileSampleFault(sample) ?? (isInstant(sample.ground) ? undefined : 'it has no time of reception');
}

/** What the sample says of a measure: null where it is not known any more, undefined where it says nothing. */
export function sampledValue(sample: FileSample, name: FileMeasureName): PlainValue | undefined {
  const said = sample[name];
  if (said !== undefined) return said;
  return sample.unknown?.includes(name) === true ? null : undefined;
}
