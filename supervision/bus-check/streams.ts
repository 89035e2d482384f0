/** Streams and buckets against their declaration. */

import type { Compared } from '../../bus/asset.ts';
import { holesOf } from '../../bus/past.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { Finding } from './finding.ts';

/** A stream whose messages leave it by its age or its size, from the front; those of buckets are replaced. */
const LOGS = new Set<string>(Object.values(streams).map(({ name }) => name));

/** How many messages a stream has lost out of its middle or off its end. */
export function lostOf({ stream, standing }: Compared): number {
  return standing === undefined || !LOGS.has(stream) ? 0 : holesOf(standing);
}

/** `bringUp` makes what is missing and updates what differs, of all of them. */
export function streamFindings(
  compared: readonly Compared[],
  bringUp: () => Promise<boolean>,
): readonly Finding[] {
  return compared.flatMap((each) => [...declared(each, bringUp), ...holes(each)]);
}

function declared(
  { stream, standing, differs }: Compared,
  bringUp: () => Promise<boolean>,
): readonly Finding[] {
  if (standing === undefined) {
    const what = 'it is declared and not there';
    const remedy =
      'it is made now, and not when it is first used; if it was lost, bring it back from a copy first';
    return [{ check: 'stream-missing', where: stream, what, remedy, repair: bringUp }];
  }
  if (differs.length === 0) return [];
  const what = `not as declared: ${differs.join(', ')}`;
  const remedy = 'it is updated to its declaration, as each process does when it connects';
  return [{ check: 'stream-differs', where: stream, what, remedy, repair: bringUp }];
}

function holes(compared: Compared): readonly Finding[] {
  const lost = lostOf(compared);
  if (lost === 0) return [];
  const { firstSeq, lastSeq } = compared.standing!;
  const what = `${lost} of its positions ${firstSeq} to ${lastSeq} hold no message`;
  const remedy =
    'look for copies of the stream that differ, and for a store without room at that time; what was lost cannot be made again';
  return [{ check: 'stream-with-holes', where: compared.stream, what, remedy }];
}
