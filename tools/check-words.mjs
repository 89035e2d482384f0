/**
 * `node tools/check-words.mjs [root]`. Retired words (`tools/retired-words.mjs`) do not come back.
 *
 * W1. Comments, sentences in strings, titles of tests and pages of the finished folders have none of them; code in
 *     backticks is not looked at.
 * W2. Messages, help texts and descriptions also have none of the words that are not for users.
 * W3. No name of a file or of a symbol has one.
 * W4. No comment of code is wider than 120 columns, which a window of half a screen shows.
 */

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FINISHED, NOT_FOR_USERS, RETIRED, RETIRED_NAMES, UNFINISHED } from './retired-words.mjs';
import { piecesOf, repositoryFiles } from './source-text.mjs';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));

const READ = /\.(?:ts|mjs|css|md)$/;
const TITLE_CALL = /(?:\b(?:it|describe|test)(?:\.\w+)*\(|\)\()\s*['"`]$/;
/** What of the text around a word is looked at for an exception. */
const AROUND = 100;
const WIDEST_COMMENT = 120;

const isFinished = (path) =>
  READ.test(path) &&
  !path.includes('/generated/') &&
  FINISHED.some((folder) => path.startsWith(folder)) &&
  !UNFINISHED.some((prefix) => path.startsWith(prefix));

/**
 * The lists a piece is held against: strings of tests are data, but for titles; a string without a blank is no
 * sentence.
 */
function listsFor(path, { kind, text, before }) {
  if (kind === 'comment') return [RETIRED];
  if (path.startsWith('test/')) return TITLE_CALL.test(before) ? [RETIRED] : [];
  return text.trim().includes(' ') ? [RETIRED, NOT_FOR_USERS] : [];
}

const plain = (text) =>
  text
    .replace(/`[^`\n]*`/g, (code) => '`'.repeat(code.length))
    .replace(/(?<=\n)\s*\*(?!\/)/g, (star) => ' '.repeat(star.length))
    .replace(/\n/g, ' ');

function faultsOf(path, piece) {
  const text = piece.kind === 'comment' ? plain(piece.text) : piece.text;
  return listsFor(path, piece)
    .flat()
    .flatMap(({ word, instead, except }) =>
      [...text.matchAll(new RegExp(word.source, `${word.flags}g`))]
        .filter(({ index }) => !except?.test(text.slice(Math.max(0, index - AROUND), index + AROUND)))
        .map(({ 0: found, index }) => {
          const line = piece.line + (piece.text.slice(0, index).match(/\n/g)?.length ?? 0);
          return `${path}:${line}: "${found}" is retired: ${instead}`;
        }),
    );
}

/** W3. */
function nameFaults(path) {
  const faults = RETIRED_NAMES.test(path.replaceAll('-', ''))
    ? [`${path}:1: the name of the file is retired`]
    : [];
  if (!/\.(?:ts|mjs)$/.test(path)) return faults;
  readFileSync(join(root, path), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const name = /[\w$]+/g[Symbol.match](line)?.find((each) => RETIRED_NAMES.test(each));
      if (name !== undefined) faults.push(`${path}:${index + 1}: the name ${name} is retired`);
    });
  return faults;
}

/** W4. */
function widthFaults(path) {
  if (!/\.(?:ts|mjs)$/.test(path)) return [];
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(?:\/?\*\s|\/\/\s)/.test(line) && line.length > WIDEST_COMMENT
        ? [`${path}:${index + 1}: a comment of ${line.length} columns; ${WIDEST_COMMENT} at most`]
        : [],
    );
}

const files = repositoryFiles(root).filter(isFinished);
const faults = files.flatMap((path) => [
  ...piecesOf(root, path).flatMap((piece) => faultsOf(path, piece)),
  ...nameFaults(path),
  ...widthFaults(path),
]);
for (const fault of faults) console.error(fault);
if (faults.length > 0)
  console.error(`${faults.length} faults; the words and their exceptions are in tools/retired-words.mjs`);
else console.log(`words hold: ${files.length} files`);
process.exitCode = faults.length > 0 ? 1 : 0;
