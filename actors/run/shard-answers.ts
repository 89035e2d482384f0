/** Gives the runs of a shard the answers of people, as their stream has them. Part of a shard. */

import type { Approval } from '../../contract/run-wire.ts';
import type { RunChartEvent } from '../../machines/run/protocol.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { answerGiven, readApproval, seenIn } from './approval.ts';
import type { HeldRun } from './open-run.ts';
import type { OpenShard } from './open-shard.ts';
import { lastEventBefore } from './run-log.ts';

/** Why a run cannot take an event; undefined when it has it. */
type Tell = (run: string, event: RunChartEvent) => string | undefined;

export class ShardAnswers {
  readonly #shard: OpenShard;
  readonly #tell: Tell;
  /** The next answer to read. */
  next = 1;

  constructor(shard: OpenShard, tell: Tell) {
    this.#shard = shard;
    this.#tell = tell;
  }

  async answered(message: StreamMessage): Promise<void> {
    const run = message.subject.split('.').at(-1) ?? '';
    const held = this.#shard.runs.get(run);
    if (held !== undefined && !this.#shard.isStopped) await this.#tellAnswer(held, message);
    if (!this.#shard.isStopped) this.next = message.seq + 1;
  }

  async #tellAnswer(held: HeldRun, message: StreamMessage): Promise<void> {
    const { data, seq } = message;
    const { services, tokens } = this.#shard.options;
    const { run } = held.atHand;
    const approval = readApproval(data);
    if (approval === undefined) {
      services.log.warn({ run, position: seq }, 'malformed answer: skipped');
      return;
    }
    if (!held.takes(seq)) return;
    const seen = await this.#seen(run, approval, message);
    if (seen === undefined) return;
    const answer = await answerGiven(approval, { tokens, at: services.clock.now(), source: seq, seen });
    const trouble = this.#tell(run, answer);
    if (trouble === undefined) return;
    services.log.warn({ run, position: seq, trouble }, 'answer not taken');
    held.gaveBack(seq);
  }

  /** approval.A3; undefined once the shard is left. One that names its question says it all. */
  async #seen(
    run: string,
    { question }: Approval,
    { headers, at }: StreamMessage,
  ): Promise<number | undefined> {
    const stated = seenIn(headers) ?? (question === undefined ? undefined : 0);
    if (stated !== undefined) return stated;
    return (
      await this.#shard.whileBusIsAway(() => lastEventBefore(this.#shard.options.services.bus, run, at))
    )?.value;
  }
}
