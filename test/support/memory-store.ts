/** A store whose durability a test decides: it can hold back, refuse and fail commits, and outlives the cells. */

import type { Commit, Committed, Store, Stored } from '../../ports/entity.ts';

export class MemoryStore implements Store {
  readonly stored = new Map<string, Stored>();
  readonly records: unknown[] = [];
  /** Called at each commit; may delay it, or throw. */
  before: (commit: Commit) => Promise<void> | void = () => undefined;
  commits = 0;

  load(id: string): Promise<Stored | undefined> {
    return Promise.resolve(this.stored.get(id));
  }

  async commit(commit: Commit): Promise<Committed> {
    await this.before(commit);
    if ((this.stored.get(commit.id)?.position ?? 0) !== commit.position) return { outcome: 'fenced' };
    this.commits += 1;
    this.records.push(...commit.records);
    const position = commit.position + 1;
    // What is stored is bytes: nothing of it may be shared with the living actor.
    this.stored.set(commit.id, { envelope: structuredClone(commit.envelope()), position });
    return { outcome: 'committed', position };
  }
}
