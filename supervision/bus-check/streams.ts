/** Streams and buckets against their declaration. */

import type { Compared } from '../../bus/asset.ts';
import type { Finding } from './finding.ts';

/** `bringUp` makes what is missing and updates what differs, of all of them. */
export function streamFindings(
  compared: readonly Compared[],
  bringUp: () => Promise<boolean>,
): readonly Finding[] {
  return compared.flatMap(({ stream, standing, differs }): Finding[] => {
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
  });
}
