/**
 * Answers about the past as Parquet, made in a thread: encoding a page takes longer than a loop of events may be held
 * up. The thread is begun by the first table, and serves all of them.
 *
 * T4. A table that nobody wants any more is forgotten there; a thread that dies fails the tables that it had, and the
 *     next one begins another thread.
 */

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { HistoryTable, HistoryTables, TableAbout } from '../ports/history-tables.ts';
import type { Cells } from './cells.ts';
import { bucketCells, sampleCells } from './table-columns.ts';
import type { TableOrder, TableReply } from './table-work.ts';

interface Waiting {
  readonly done: (bytes: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

export class TablesInThread implements HistoryTables {
  /** Of each table at most one call waits. */
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #count = 0;

  samples(
    target: string,
    measures: readonly string[],
    about: TableAbout,
  ): ReturnType<HistoryTables['samples']> {
    return this.#begun('samples', about, (samples) => sampleCells(target, measures, samples));
  }

  buckets(target: string, about: TableAbout): ReturnType<HistoryTables['buckets']> {
    return this.#begun('buckets', about, (rows) => bucketCells(target, rows));
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #begun<Rows>(
    kind: 'samples' | 'buckets',
    about: TableAbout,
    cellsOf: (rows: Rows) => Cells[],
  ): HistoryTable<Rows> {
    this.#count += 1;
    const table = this.#count;
    this.#send({ table, step: 'begin', kind, about });
    let isOver = false;
    return {
      add: (rows) => this.#ask({ table, step: 'add', cells: cellsOf(rows) }),
      end: () => {
        isOver = true;
        return this.#ask({ table, step: 'end' });
      },
      abandon: () => {
        if (!isOver) this.#send({ table, step: 'abandon' });
        isOver = true;
      },
    };
  }

  #ask(order: TableOrder): Promise<Uint8Array> {
    return new Promise((done, failed) => {
      this.#waiting.set(order.table, { done, failed });
      this.#send(order);
    });
  }

  #send(order: TableOrder): void {
    const columns = order.step === 'add' ? order.cells : [];
    const moved = columns.flatMap((cells) => (cells instanceof Float64Array ? [cells.buffer] : []));
    this.#started().postMessage(order, moved as ArrayBuffer[]);
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const program = fileURLToPath(new URL('./table-thread.mjs', import.meta.url));
    const thread = new Worker(program, { execArgv: [] });
    thread.unref();
    thread.on('message', (reply: TableReply) => this.#reply(reply));
    thread.on('error', (error) => this.#ended(thread, error.message));
    thread.on('exit', () => this.#ended(thread, 'it ended'));
    this.#thread = thread;
    return thread;
  }

  #reply(reply: TableReply): void {
    const waiting = this.#waiting.get(reply.table);
    this.#waiting.delete(reply.table);
    if ('error' in reply) waiting?.failed(new Error(reply.error));
    else waiting?.done(reply.bytes);
  }

  #ended(thread: Worker, why: string): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const { failed } of this.#waiting.values())
      failed(new Error(`the thread of tables has ended: ${why}`));
    this.#waiting.clear();
  }
}
