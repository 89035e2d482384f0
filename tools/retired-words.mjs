/**
 * Words this project used once and the words of the field that replace them. `tools/check-words.mjs` keeps them from
 * coming back. A word that is retired later is added here, with every text changed in the same commit.
 */

/** `word` as it stood, `instead` for who finds it, `except` what may stay: other meanings of the same letters. */
export const RETIRED = [
  { word: /\bdesks?\b/i, instead: 'command queue' },
  { word: /\btenures?\b/i, instead: 'owned worker' },
  { word: /\bfloors?\b/i, instead: 'low-water mark', except: /noise|receiver|signal|spectrum|symbol|level/i },
  { word: /\bpatiently\b/i, instead: 'retried while the bus is away' },
  { word: /\baccus(?:e|es|ed|ing|ations?)\b/i, instead: 'reported' },
  { word: /\blent\b/i, instead: 'borrowed' },
  { word: /\bmend(?:s|ed|ing)?\b/i, instead: 'repair, correct, remedy' },
  { word: /\bwish(?:es)?\b/i, instead: 'request; pending suspension; pull request' },
  { word: /\broll calls?\b/i, instead: 'list of keys' },
  { word: /\bsearch(?:es|ed)? everywhere\b/i, instead: 'exhaustive search' },
  {
    word: /\b(?:told|tells?)\b/i,
    instead: 'reported, emitted, published, answered, informed: whichever it is',
    except: /\btells?\b[^.;:]{0,90}\b(?:from|apart)\b|\b(?:can|could|cannot|not) tell\b|\btell\(|\btell[:,]/i,
  },
  { word: /\bhea(?:rd|rs)\b/i, instead: 'received' },
  { word: /\banew\b/i, instead: 'again' },
  {
    word: /\b(?:that|which|what) (?:is|are) none\b/i,
    instead: 'malformed, unknown, anything else: whichever it is',
  },
  { word: /\bnone that\b/i, instead: 'unknown' },
  { word: /\bis no answer\b/i, instead: 'malformed reply' },
  { word: /\bpassed over\b/i, instead: 'skipped' },
];

/** Words that sentences for users do not have; comments may. */
export const NOT_FOR_USERS = [
  { word: /\bwhoever\b/i, instead: 'name who it is: the caller, the operator, the process' },
  { word: /\bnobody (?:knows|serves|takes)\b/i, instead: 'not known; no responder; nothing accepts' },
  { word: /\bby itself\b/i, instead: 'automatically' },
  { word: /\bgo(?:es)? on\b/i, instead: 'continue, resume' },
  { word: /\bis none\b/i, instead: 'unknown, malformed, not found' },
  { word: /\bstands? (?:twice|there)\b/i, instead: 'is given twice; is there' },
];

/** Names in code: files and symbols. */
export const RETIRED_NAMES =
  /(?:tenure|accus(?:e|ation)|wishFor|newLot|searchEverywhere|mendingCell|serverPatience|commandDesk)/i;

/** Where the words have been changed: beginnings of paths. */
export const FINISHED = [
  'actors/',
  'benchmark/',
  'bus/',
  'cli/',
  'console/',
  'contract/',
  'docs/',
  'http/',
  'identity/',
  'links/',
  'machines/',
  'messaging/',
  'mission/',
  'ports/',
  'protocol/',
  'radio/',
  'supervision/',
  'telemetry/',
  'test/',
  'tools/',
];

/** Within them, what has its old words on purpose. */
export const UNFINISHED = [
  // Texts of these go into events of telecommands and of runs: they are on the wire, and in logs that are stored.
  'actors/run/operands.ts',
  'actors/telecommand/effects/send.ts',
  'actors/telecommand/given-up.ts',
  'actors/telecommand/sending.ts',
  'machines/run/question.ts',
  // These are about the words.
  'docs/glossary.md',
  'test/tools/',
  'tools/check-words.mjs',
  'tools/retired-words.mjs',
];
