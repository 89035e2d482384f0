/**
 * The commands of iiod 0.24 in text, one to a line, its words in capitals or in small letters.
 *
 * C1. Every line is a command or none; anything else costs an answer and nothing else.
 */

/** Which attribute, or which attributes all together where no name is given. */
export type AttributeWords =
  | {
      readonly device: string;
      readonly of: 'device' | 'debug' | 'buffer';
      readonly name: string | undefined;
    }
  | {
      readonly device: string;
      readonly of: 'channel';
      readonly channel: string;
      readonly output: boolean;
      readonly name: string | undefined;
    };

export type IiodCommand =
  | { readonly verb: 'VERSION' | 'PRINT' | 'HELP' | 'EXIT' }
  | { readonly verb: 'TIMEOUT'; readonly ms: number }
  | { readonly verb: 'READ'; readonly at: AttributeWords }
  | { readonly verb: 'WRITE'; readonly at: AttributeWords; readonly bytes: number }
  | {
      readonly verb: 'OPEN';
      readonly device: string;
      readonly samples: number;
      readonly mask: string;
      readonly cyclic: boolean;
    }
  | { readonly verb: 'READBUF' | 'WRITEBUF'; readonly device: string; readonly bytes: number }
  | { readonly verb: 'CLOSE' | 'GETTRIG' | 'SETTRIG'; readonly device: string }
  | { readonly verb: 'SET'; readonly device: string; readonly buffers: number };

/** The command of a line; undefined when it is none, which is answered with EINVAL. */
export function parseIiodCommand(line: string): IiodCommand | undefined {
  const [verb, ...words] = line.trim().split(/[ \t]+/);
  return parsers[keyword(verb)]?.(words);
}

type Words = readonly string[];
type Parser = (words: Words) => IiodCommand | undefined;

const plain =
  (verb: 'VERSION' | 'PRINT' | 'HELP' | 'EXIT'): Parser =>
  (words) =>
    words.length === 0 ? { verb } : undefined;

const ofDevice =
  (verb: 'CLOSE' | 'GETTRIG'): Parser =>
  ([device, ...more]) =>
    device !== undefined && more.length === 0 ? { verb, device } : undefined;

const transfer =
  (verb: 'READBUF' | 'WRITEBUF'): Parser =>
  ([device, count, ...more]) => {
    const bytes = whole(count);
    return device !== undefined && bytes !== undefined && more.length === 0
      ? { verb, device, bytes }
      : undefined;
  };

const parsers: Readonly<Partial<Record<string, Parser>>> = {
  __proto__: null as never,
  VERSION: plain('VERSION'),
  PRINT: plain('PRINT'),
  HELP: plain('HELP'),
  EXIT: plain('EXIT'),
  QUIT: plain('EXIT'),
  TIMEOUT: ([count, ...more]) => {
    const ms = whole(count);
    return ms !== undefined && more.length === 0 ? { verb: 'TIMEOUT', ms } : undefined;
  },
  READ: (words) => {
    const at = attribute(words);
    return at && { verb: 'READ', at };
  },
  WRITE: (words) => {
    const bytes = whole(words.at(-1));
    const at = attribute(words.slice(0, -1));
    return at !== undefined && bytes !== undefined ? { verb: 'WRITE', at, bytes } : undefined;
  },
  OPEN: ([device, count, mask, cyclic, ...more]) => {
    const samples = whole(count);
    if (device === undefined || samples === undefined || mask === undefined || more.length > 0)
      return undefined;
    if (cyclic !== undefined && keyword(cyclic) !== 'CYCLIC') return undefined;
    return { verb: 'OPEN', device, samples, mask, cyclic: cyclic !== undefined };
  },
  READBUF: transfer('READBUF'),
  WRITEBUF: transfer('WRITEBUF'),
  CLOSE: ofDevice('CLOSE'),
  GETTRIG: ofDevice('GETTRIG'),
  SETTRIG: ([device, , ...more]) =>
    device !== undefined && more.length === 0 ? { verb: 'SETTRIG', device } : undefined,
  SET: ([device, what, count, ...more]) => {
    const buffers = whole(count);
    return device !== undefined &&
      keyword(what) === 'BUFFERS_COUNT' &&
      buffers !== undefined &&
      more.length === 0
      ? { verb: 'SET', device, buffers }
      : undefined;
  },
};

function attribute([device, kind, ...rest]: Words): AttributeWords | undefined {
  if (device === undefined) return undefined;
  const of = keyword(kind);
  if (of === 'INPUT' || of === 'OUTPUT') {
    const [channel, name, ...more] = rest;
    if (channel === undefined || more.length > 0) return undefined;
    return { device, of: 'channel', channel, output: of === 'OUTPUT', name };
  }
  if (of === 'DEBUG' || of === 'BUFFER')
    return rest.length > 1 ? undefined : { device, of: of === 'DEBUG' ? 'debug' : 'buffer', name: rest[0] };
  return rest.length > 0 ? undefined : { device, of: 'device', name: kind };
}

/** A word of the protocol; a word in mixed letters is none. */
function keyword(word = ''): string {
  const capitals = word.toUpperCase();
  return word === capitals || word === word.toLowerCase() ? capitals : '';
}

function whole(word = ''): number | undefined {
  return /^\d{1,10}$/.test(word) ? Number(word) : undefined;
}
