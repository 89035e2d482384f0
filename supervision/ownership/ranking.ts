/**
 * Which member ranks highest for which name (partition.Q1), kept up to date at the cost of what changed.
 *
 * R1. Each pair of name and member is hashed once: a member that comes is compared with the best so far, and only names
 *     whose best has gone are ranked again.
 */

import { createHash } from 'node:crypto';

interface Best {
  readonly member: string;
  readonly rank: string;
}

export class Ranking {
  readonly #best = new Map<string, Best | undefined>();
  #names: ReadonlySet<string> = new Set();
  #members: ReadonlySet<string> = new Set();

  /** The member with the highest rank for the name; undefined while there is none. */
  best(name: string): string | undefined {
    return this.#best.get(name)?.member;
  }

  /** The names there are from now on; true when they differ from those before. */
  setNames(names: ReadonlySet<string>): boolean {
    const before = this.#names;
    this.#names = names;
    for (const name of before) if (!names.has(name)) this.#best.delete(name);
    const added = [...names].filter((name) => !before.has(name));
    for (const name of added) this.#best.set(name, bestOf(name, this.#members));
    return added.length > 0 || before.size !== names.size;
  }

  /** The members there are from now on; true when they differ from those before. */
  setMembers(members: readonly string[]): boolean {
    const before = this.#members;
    this.#members = new Set(members);
    const added = members.filter((member) => !before.has(member));
    if (added.length === 0 && before.size === this.#members.size) return false;
    for (const name of this.#names) {
      const best = this.#best.get(name);
      const stays = best !== undefined && this.#members.has(best.member);
      this.#best.set(name, stays ? bestOf(name, added, best) : bestOf(name, members));
    }
    return true;
  }
}

/** The member whose hash with the name is largest. */
export function highestRanked(name: string, members: Iterable<string>): string | undefined {
  return bestOf(name, members)?.member;
}

function bestOf(name: string, members: Iterable<string>, first?: Best): Best | undefined {
  let best = first;
  for (const member of members) {
    const rank = createHash('sha256').update(`${name}\n${member}`).digest('hex');
    if (best === undefined || rank > best.rank) best = { member, rank };
  }
  return best;
}
