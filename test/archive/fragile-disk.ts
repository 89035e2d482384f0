/**
 * A file system in memory that keeps what a disk keeps: bytes that were synced, and entries of directories that were
 * synced. Everything else may be there or not after a power cut (file-system.F1), as chance has it.
 */

import type { FileSystem, InputFile, OutputFile } from '../../archive/file-system.ts';

export class Crash extends Error {
  override readonly name = 'Crash';
}

interface File {
  bytes: Buffer;
  synced: Buffer;
}

interface Directory {
  entries: Map<string, Node>;
  synced: Map<string, Node>;
}

type Node = File | Directory;

/** Something that was renamed into another directory, which neither of the two has on the disk yet. */
interface Move {
  readonly node: Node;
  readonly from: readonly [Directory, string];
  readonly to: readonly [Directory, string];
}

function moved({ node, from, to }: Move): void {
  if (from[0].synced.get(from[1]) === node) from[0].synced.delete(from[1]);
  if (to[0].entries.get(to[1]) === node) to[0].synced.set(to[1], node);
}

const isFile = (node: Node): node is File => 'bytes' in node;

export class FragileDisk implements FileSystem {
  readonly #root: Directory = { entries: new Map(), synced: new Map() };
  #moves: Move[] = [];
  /** Operations that change something, so far. */
  operations = 0;
  /** The operation in which the process dies; it is not done. */
  crashAt = Number.POSITIVE_INFINITY;
  /** What somebody else does in front of that operation: the process in it was asleep meanwhile. */
  interrupt: { readonly at: number; readonly run: () => void } | undefined;
  /** Files that were opened to be read and not closed. */
  reading = 0;
  /** Bytes that the disk still takes. */
  room = Number.POSITIVE_INFINITY;

  /** The disk after the power is back: `chance` in [0, 1) decides what of the rest was written, of entries by name. */
  powerCut(chance: (name?: string) => number): void {
    this.crashAt = Number.POSITIVE_INFINITY;
    const settle = (node: Node): void => {
      if (isFile(node)) {
        // Files of the archive only grow: what was synced stays, and of the rest some part, if any.
        const rest = node.bytes.length - node.synced.length;
        const kept = chance() < 0.5 ? 0 : Math.floor(chance() * (rest + 1));
        node.bytes = node.bytes.subarray(0, node.synced.length + kept);
        node.synced = node.bytes;
        return;
      }
      const names = new Set([...node.entries.keys(), ...node.synced.keys()]);
      const kept = new Map<string, Node>();
      for (const name of names) {
        const [now, before] = [node.entries.get(name), node.synced.get(name)];
        const stays = now === before || chance(name) < 0.5 ? now : before;
        if (stays !== undefined) kept.set(name, stays);
      }
      node.entries = kept;
      node.synced = new Map(kept);
      for (const each of kept.values()) settle(each);
    };
    this.#settleMoves(chance);
    settle(this.#root);
  }

  /** A rename into another directory happened in both, or in neither (file-system.F2). */
  #settleMoves(chance: () => number): void {
    const undone: Move[] = [];
    for (const move of this.#moves)
      if (undone.some(({ node }) => node === move.node) || chance() < 0.5) undone.push(move);
      else moved(move);
    for (const { node, from, to } of undone.reverse()) {
      if (to[0].entries.get(to[1]) === node) to[0].entries.delete(to[1]);
      from[0].entries.set(from[1], node);
    }
    this.#moves = [];
  }

  /** The process dies and another one begins: what was written is there, synced or not. */
  restart(): void {
    this.crashAt = Number.POSITIVE_INFINITY;
  }

  /** Changes one byte of a file, behind everybody's back. */
  damage(path: string, offset: number): void {
    const file = this.#find(path) as File;
    const bytes = Buffer.from(file.bytes);
    bytes[offset] = bytes[offset]! ^ 0xff;
    file.bytes = bytes;
  }

  list(path: string): readonly string[] {
    const node = this.#find(path);
    return node === undefined || isFile(node) ? [] : [...node.entries.keys()];
  }

  makeDirectory(path: string): void {
    this.#step();
    const [parent, name] = this.#parentOf(path);
    if (!parent.entries.has(name)) parent.entries.set(name, { entries: new Map(), synced: new Map() });
  }

  claimDirectory(path: string): boolean {
    const [parent, name] = this.#parentOf(path);
    if (parent.entries.has(name)) return false;
    this.makeDirectory(path);
    return true;
  }

  create(path: string): OutputFile {
    this.#step();
    const [parent, name] = this.#parentOf(path);
    const file: File = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    parent.entries.set(name, file);
    return {
      append: (bytes) => {
        this.#step();
        if (bytes.length > this.room)
          throw Object.assign(new Error(`no space left: ${path}`), { code: 'ENOSPC' });
        this.room -= bytes.length;
        file.bytes = Buffer.concat([file.bytes, bytes]);
      },
      sync: () => {
        this.#step();
        file.synced = file.bytes;
      },
      close: () => undefined,
    };
  }

  open(path: string): InputFile {
    const file = this.#find(path);
    if (file === undefined || !isFile(file))
      throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    this.reading += 1;
    let isOpen = true;
    return {
      bytes: file.bytes.length,
      read: (offset, length) => {
        if (offset + length > file.bytes.length) throw new Error(`${path} ends at ${file.bytes.length}`);
        return new Uint8Array(file.bytes.subarray(offset, offset + length));
      },
      close: () => {
        if (isOpen) this.reading -= 1;
        isOpen = false;
      },
    };
  }

  rename(from: string, to: string): void {
    this.#step();
    const [parent, name] = this.#parentOf(from);
    const [target, other] = this.#parentOf(to);
    const node = parent.entries.get(name);
    if (node === undefined) throw Object.assign(new Error(`no such name: ${from}`), { code: 'ENOENT' });
    target.entries.set(other, node);
    parent.entries.delete(name);
    if (target !== parent) this.#moves.push({ node, from: [parent, name], to: [target, other] });
  }

  syncDirectory(path: string): void {
    this.#step();
    const directory = this.#find(path) as Directory;
    directory.synced = new Map(directory.entries);
    // One transaction of the file system: both directories have it or neither.
    const isDone = ({ from, to }: Move): boolean => from[0] === directory || to[0] === directory;
    for (const move of this.#moves.filter(isDone)) moved(move);
    this.#moves = this.#moves.filter((move) => !isDone(move));
  }

  remove(path: string): void {
    const node = this.#find(path);
    if (node === undefined) return;
    const [parent, name] = this.#parentOf(path);
    // Entry by entry: a crash may come between two of them.
    if (!isFile(node)) for (const each of [...node.entries.keys()]) this.remove(`${path}/${each}`);
    this.#step();
    parent.entries.delete(name);
    if (isFile(node)) this.room += node.bytes.length;
  }

  #step(): void {
    this.operations += 1;
    const { interrupt } = this;
    if (interrupt !== undefined && this.operations >= interrupt.at) {
      this.interrupt = undefined;
      interrupt.run();
    }
    if (this.operations >= this.crashAt) throw new Crash(`at operation ${this.operations}`);
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path.split('/').filter(Boolean))
      node = node === undefined || isFile(node) ? undefined : node.entries.get(name);
    return node;
  }

  #parentOf(path: string): [Directory, string] {
    const at = path.lastIndexOf('/');
    const parent = this.#find(path.slice(0, at));
    if (parent === undefined || isFile(parent))
      throw Object.assign(new Error(`no such directory: ${path}`), { code: 'ENOENT' });
    return [parent, path.slice(at + 1)];
  }
}
