/** Generations of files as they are seen: a newer one supersedes what comes down or goes up (transfer/service.S5). */

import type { TransferChartEvent } from '../../machines/transfer/protocol.ts';
import type { Cells } from '../../ports/cells.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ListedFile } from '../../ports/file-directory.ts';
import type { OpenTransfers } from './open-transfers.ts';

interface GenerationsOptions {
  readonly clock: Clock;
  readonly cells: Cells<unknown, TransferChartEvent>;
  readonly open: OpenTransfers;
  readonly file: (target: string, file: string) => ListedFile | undefined;
}

export class Generations {
  readonly #options: GenerationsOptions;

  constructor(options: GenerationsOptions) {
    this.#options = options;
  }

  /** Looks at the last listing of a file. */
  listed(target: string, file: string): void {
    const generation = this.#options.file(target, file)?.generation;
    if (generation !== undefined) this.saw(target, file, generation, 'listing');
  }

  saw(target: string, file: string, generation: number, where: 'listing' | 'chunk'): void {
    const { open, cells, clock } = this.#options;
    for (const { key, record, isReceiving } of open.ofFile(target, file)) {
      if (!isReceiving || generation <= record.generation) continue;
      cells.tell(key, { type: 'generation.seen', at: clock.now(), generation, in: where });
    }
  }
}
