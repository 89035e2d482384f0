/**
 * `node tools/check-citations.mjs [root]`. What comments, asserts, test titles and pages refer to is there: invariants,
 * files, decisions. `docs/invariants.md` says how an invariant is stated and cited.
 *
 * K1. An invariant is stated once in its file, as a line ` * J3. …` of a comment; those of the whole service are rows
 *     of `docs/invariants.md`.
 * K2. `J3` is the invariant of the same file, or else one of the whole service; that of another file is `lane.J3`, or
 *     `telecommand/lane.J3` where several files have the name. What follows in the same list, as in `lane.J3, J5`, is
 *     of the same file.
 * K3. A file name in backticks is relative to the folder of the file or to the root, and means one file.
 * K4. The number of a decision and the target of a relative link exist.
 * K5. The tests that a row of `docs/invariants.md` names cite its invariant.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { piecesOf, repositoryFiles } from './source-text.mjs';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));

const GLOBAL = 'docs/invariants.md';
/** The changelog names files and names as they were; the test of this check is made of citations that fail. */
const UNREAD = /(?:^|\/)generated\/|^CHANGELOG\.md$|^test\/tools\/check-citations\.test\.ts$/;
const READ = (path) => /\.(?:ts|mjs|cjs|css|md)$/.test(path) && !UNREAD.test(path);
/** Look like invariants, and are the engine that runs us and the time by which the earth turns. */
const NO_INVARIANT = new Set(['V8', 'UT1']);

const ID = '[A-Z]{1,2}[1-9]\\d?[a-z]?';
const STATED = new RegExp(`^\\s*\\*?\\s*(${ID})\\. \\S`);
const STATED_IN_TABLE = new RegExp(`^\\| (${ID}) \\|`);
const CITED = new RegExp(`(?<![\\w./-])((?:[\\w-]+\\/)*[a-z0-9][\\w.-]*\\.)?(${ID})(?![\\w-]|\\.\\d)`, 'g');
const IN_ONE_LIST = /^(?:,|,? and|,? or| to)? $/;
const FILE_NAME = /`([\w./-]+\.(?:ts|mjs|cjs|css|md))`/g;
const LINK = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const DECISION = /\b[Dd]ecisions?\s+(\d+(?:(?:, | and | to )\d+)*)/g;
/** A string that is read as a title: `J3 a lane …`, `MC-TC-038 lane.J3 …`, `… (J3)`. */
const LEDGER = '(?:[A-Z]{2}-[A-Z]+-\\d+|A-\\d+)';
const CITATION = `(?:(?:[\\w-]+\\/)*[a-z0-9][\\w.-]*\\.)?${ID}`;
const TITLE = new RegExp(
  `^(?:${LEDGER},? )*${CITATION},? [%$a-z]\\S* \\S|^(?:${LEDGER},? )*(?:${CITATION},? )+(?:${LEDGER},? )*[%$a-z]\\S* \\S|\\((?:${LEDGER},? )*(?:${CITATION}(?:,|,? and| to)? ?)+\\)`,
);
const TITLE_CALL = /(?:\b(?:it|describe|test)(?:\.\w+)*\(|\)\()\s*['"`]$/;
const ASSERTED = new RegExp(`^${CITATION}(?::|$| \\w)`);

const faults = [];

function report(path, line, fault) {
  faults.push({ path, line, fault });
}

/** Comments as running text of the same length: the stars that begin their lines are blanks. */
const running = (text) => text.replace(/(?<=\n)\s*\*(?!\/)/g, (star) => ' '.repeat(star.length));

/** Code in backticks says nothing of ours, but its place is kept. */
const withoutCode = (text) => text.replace(/`[^`]*`/g, (code) => '`'.repeat(code.length));

const lineOf = (piece, index) => piece.line + (piece.text.slice(0, index).match(/\n/g)?.length ?? 0);

/** Where each invariant of a file is stated, K1. */
function statedIn(path, pieces) {
  const stated = new Map();
  for (const piece of pieces) {
    if (piece.kind !== 'comment') continue;
    const pattern = path === GLOBAL ? STATED_IN_TABLE : STATED;
    if (path.endsWith('.md') && path !== GLOBAL) continue;
    piece.text.split('\n').forEach((text, index) => {
      const id = index > 0 || path === GLOBAL ? pattern.exec(text)?.[1] : undefined;
      if (id === undefined) return;
      const line = piece.line + index;
      if (stated.has(id))
        report(path, line, `${id} is stated in line ${stated.get(id)} already: give it another number`);
      else stated.set(id, line);
    });
  }
  return stated;
}

const cites = (path, { kind, text, before }) => {
  if (kind === 'comment') return true;
  if (/^(?:test|benchmark)\//.test(path)) return TITLE_CALL.test(before) || TITLE.test(text);
  return /\b(?:assert\(|Error\()[\s\S]*$/.test(before) && ASSERTED.test(text);
};

/** Where an invariant is stated, as those who read `prefix` in front of it find it, K2. */
function findStated(prefix, statements) {
  const suffix = `/${prefix}`;
  return [...statements.keys()].filter((path) => `/${path.replace(/\.\w+$/, '')}`.endsWith(suffix));
}

/** The shortest way to cite a file that states invariants. */
function nameOf(path, statements) {
  const parts = path.replace(/\.\w+$/, '').split('/');
  for (let from = parts.length - 1; from > 0; from -= 1) {
    const name = parts.slice(from).join('/');
    if (findStated(name, statements).length === 1) return name;
  }
  return parts.join('/');
}

function advice(id, path, statements, imports) {
  const all = [...statements].filter(([, stated]) => stated.has(id)).map(([file]) => file);
  const near = all.filter(
    (file) => imports.has(file) || path.startsWith(`test/${file.replace(/\.\w+$/, '')}.`),
  );
  const some = (near.length > 0 ? near : all).slice(0, 3).map((file) => `${nameOf(file, statements)}.${id}`);
  return some.length === 0 ? 'no file states it' : `cite it with its file, as ${some.join(' or ')}`;
}

/** What is wrong with one citation; undefined when it resolves. */
function citationFault({ id, prefix }, path, statements, imports) {
  if (prefix === '') {
    if (statements.get(path)?.has(id) || statements.get(GLOBAL)?.has(id) || NO_INVARIANT.has(id))
      return undefined;
    return `${id} is not stated in this file nor in ${GLOBAL}: ${advice(id, path, statements, imports)}`;
  }
  const found = findStated(prefix, statements);
  if (found.length === 0) return `${prefix}.${id}: no file of this name states invariants`;
  if (found.length > 1) {
    const names = found.map((file) => `${nameOf(file, statements)}.${id}`);
    return `${prefix}.${id} may mean several files: write ${names.join(' or ')}`;
  }
  if (statements.get(found[0]).has(id)) return undefined;
  return `${found[0]} does not state ${id}, only ${[...statements.get(found[0]).keys()].join(', ')}`;
}

/** K2, one piece; `seen` takes the invariants that the file cites. */
function checkInvariants(path, piece, statements, imports, seen) {
  const text = withoutCode(running(piece.text));
  let prefix = '';
  let end = -1;
  for (const found of text.matchAll(CITED)) {
    const [whole, written, id] = found;
    const inList = end >= 0 && IN_ONE_LIST.test(text.slice(end, found.index).replace(/\s+/g, ' '));
    end = found.index + whole.length;
    if (written !== undefined) prefix = written.slice(0, -1);
    else if (!inList || !findStated(prefix, statements).some((file) => statements.get(file).has(id)))
      prefix = '';
    const line = lineOf(piece, found.index);
    if (prefix === '' && statements.get(path)?.get(id) === line) continue;
    const fault = citationFault({ id, prefix }, path, statements, imports);
    if (fault !== undefined) report(path, line, fault);
    seen.add(id);
  }
}

/** K3 and the links of K4. */
function checkFiles(path, piece, files) {
  for (const found of piece.text.matchAll(FILE_NAME)) {
    const [, name] = found;
    const here = posix.join(posix.dirname(path), name);
    const there = [...new Set([here, posix.normalize(name)])].filter((file) => files.has(file));
    if (there.length === 1) continue;
    const line = lineOf(piece, found.index);
    if (there.length > 1)
      report(path, line, `\`${name}\` means ${there.join(' and ')}: write the path from the root`);
    else report(path, line, `\`${name}\` is no file: ${whereIs(name, files)}`);
  }
  if (!path.endsWith('.md')) return;
  for (const found of piece.text.matchAll(LINK)) {
    if (existsSync(join(root, dirname(path), found[1]))) continue;
    report(path, lineOf(piece, found.index), `the link leads to ${found[1]}, which is not there`);
  }
}

function whereIs(name, files) {
  const moved = [...files].filter((file) => file.endsWith(`/${posix.basename(name)}`)).slice(0, 3);
  return moved.length === 0 ? 'write the name it has now' : `write ${moved.join(' or ')}`;
}

/** K4. */
function checkDecisions(path, piece, decisions) {
  for (const found of running(piece.text).matchAll(DECISION)) {
    for (const number of found[1].match(/\d+/g)) {
      if (!decisions.has(Number(number)))
        report(path, lineOf(piece, found.index), `decision ${number} is not in docs/decisions`);
    }
  }
}

function importsOf(path) {
  const source = /\.(?:ts|mjs)$/.test(path) ? readFileSync(join(root, path), 'utf8') : '';
  const specifiers = [...source.matchAll(/\bfrom '(\.[^']+)'/g)];
  return new Set(specifiers.map(([, specifier]) => posix.join(posix.dirname(path), specifier)));
}

/** K5. */
function checkRows(pieces, citedBy) {
  for (const { text, line } of pieces) {
    const id = STATED_IN_TABLE.exec(text)?.[1];
    const tests = id === undefined ? [] : [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, test]) => test);
    if (id !== undefined && tests.length === 0) report(GLOBAL, line, `${id} names no test that shows it`);
    for (const test of tests) {
      if (citedBy.get(test)?.has(id) === false)
        report(GLOBAL, line, `${test} does not cite ${id} in a title or comment`);
    }
  }
}

function main() {
  const files = new Set(repositoryFiles(root));
  const pieces = new Map([...files].filter(READ).map((path) => [path, piecesOf(root, path)]));
  const statements = new Map();
  for (const [path, read] of pieces) {
    const stated = statedIn(path, read);
    if (stated.size > 0) statements.set(path, stated);
  }
  const decisions = new Set([...files].map((path) => Number(/^docs\/decisions\/(\d+)-/.exec(path)?.[1])));
  const citedBy = new Map();
  for (const [path, read] of pieces) {
    const [imports, seen] = [importsOf(path), new Set()];
    for (const piece of read) {
      if (cites(path, piece)) checkInvariants(path, piece, statements, imports, seen);
      if (piece.kind !== 'comment') continue;
      checkFiles(path, piece, files);
      checkDecisions(path, piece, decisions);
    }
    citedBy.set(path, seen);
  }
  checkRows(pieces.get(GLOBAL) ?? [], citedBy);
  for (const { path, line, fault } of faults) console.error(`${path}:${line}: ${fault}`);
  const stated = [...statements.values()].reduce((sum, ids) => sum + ids.size, 0);
  const cited = [...citedBy.values()].reduce((sum, ids) => sum + ids.size, 0);
  if (faults.length > 0) console.error(`${faults.length} faults`);
  else console.log(`citations resolve: ${stated} invariants in ${statements.size} files, ${cited} cited`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

main();
