/**
 * What a file says to people: its comments and its string literals, with the line each begins on. Used by the checks of
 * citations and of words, which look at every file of the repository in a second or two; a parser of the language would
 * take several times as long.
 *
 * X1. Comments and literals of TypeScript and JavaScript are distinguished from code, also behind a regular expression
 *     and inside a nested template; a template is cut at its substitutions.
 * X2. Markdown is text apart from code: fenced blocks are left out, and inline code is kept in its backticks.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LEXEME =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`|\$\{|[{}]|\/(?![/*])|[\w$]+|[^\s\w$]/g;
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(`|\$\{)/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** Behind these words and signs a slash begins a regular expression; behind anything else it divides. */
const BEFORE_REGEX = /^(?:[([{},;:=!&|?+\-*%<>~^]|return|typeof|case|in|of|void|delete|throw|await|yield)$/;

/** Paths of the files that are part of the repository, or will be with the next commit; relative to the root. */
export function repositoryFiles(root) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' });
  const gone = new Set(deleted.split('\0'));
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && !gone.has(path)).sort();
}

/** The pieces of a file that people read: `{ kind: 'comment' | 'string', text, line, before }`. */
export function piecesOf(root, path) {
  const source = readFileSync(join(root, path), 'utf8');
  if (/\.(?:ts|mts|mjs|cjs|js)$/.test(path)) return scriptPieces(source);
  if (path.endsWith('.md')) return markdownPieces(source);
  if (path.endsWith('.css')) return commentsOnly(source, /\/\*[\s\S]*?\*\//g);
  return commentsOnly(source, /<!--[\s\S]*?-->|(?<=^|\s)#[^\n]*/g);
}

/** X1. `before` is the code in front of a literal, as far as it shows what the literal is for. */
export function scriptPieces(source) {
  const pieces = [];
  const lineAt = lineCounter(source);
  const templates = [];
  let depth = 0;
  let last = '';
  const add = (kind, from, to) =>
    pieces.push({
      kind,
      text: source.slice(from, to),
      line: lineAt(from),
      before: kind === 'string' ? source.slice(Math.max(0, from - 40), from).trimEnd() : '',
    });
  const readTemplate = (from) => {
    TEMPLATE_PART.lastIndex = from;
    const part = TEMPLATE_PART.exec(source);
    if (part === null) return source.length;
    add('string', from, TEMPLATE_PART.lastIndex - part[1].length);
    if (part[1] === '${') templates.push(depth);
    last = part[1] === '${' ? '(' : '`';
    return TEMPLATE_PART.lastIndex;
  };
  LEXEME.lastIndex = 0;
  for (let found = LEXEME.exec(source); found !== null; found = LEXEME.exec(source)) {
    const [token] = found;
    const at = found.index;
    if (token.startsWith('//') || token.startsWith('/*')) add('comment', at, at + token.length);
    else if (token === '`') LEXEME.lastIndex = readTemplate(at + 1);
    else if (token === '}' && templates.at(-1) === depth) {
      templates.pop();
      LEXEME.lastIndex = readTemplate(at + 1);
    } else if (token === '/' && BEFORE_REGEX.test(last)) {
      REGEX.lastIndex = at;
      if (REGEX.test(source)) LEXEME.lastIndex = REGEX.lastIndex;
      last = ')';
    } else {
      if (token === '{') depth += 1;
      if (token === '}') depth -= 1;
      if (/^['"]/.test(token) && token.length > 1) add('string', at + 1, at + token.length - 1);
      last = token;
    }
  }
  return pieces;
}

/** X2. One piece for each line, so that a fault names it. */
function markdownPieces(source) {
  const pieces = [];
  let fence = '';
  source.split('\n').forEach((text, index) => {
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark.startsWith(fence)) fence = '';
    else if (fence === '') pieces.push({ kind: 'comment', text, line: index + 1, before: '' });
  });
  return pieces;
}

function commentsOnly(source, pattern) {
  const lineAt = lineCounter(source);
  return [...source.matchAll(pattern)].map((found) => ({
    kind: 'comment',
    text: found[0],
    line: lineAt(found.index),
    before: '',
  }));
}

/** The line of a position; asked for positions that grow. */
function lineCounter(source) {
  let line = 1;
  let counted = 0;
  return (position) => {
    for (; counted < position; counted += 1) if (source.charCodeAt(counted) === 10) line += 1;
    return line;
  };
}
