/** A procedure as `mcs run check` prints it: what it needs, then its steps with their longest durations. Pure. */

import type { Outline, OutlineInput, OutlineLine } from '../mission/procedure/outline.ts';
import { printable } from './printable.ts';

const UNBOUNDED = 'unbounded';

/** The lines, without their ends; no control character of a document among them. */
export function outlineLines(outline: Outline): string[] {
  return written(outline).map((line) => printable(line.replace(/\p{Cc}+/gu, ' ')));
}

function written(outline: Outline): string[] {
  const { procedure, library, draft, longestMs, description } = outline;
  const state = draft ? ', draft' : '';
  return [
    `${procedure} of ${library}${state}, at most ${durationText(longestMs)}`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...needs(outline).map((line) => `  ${line}`),
    ...table(outline.lines).map((line) => `  ${line}`),
  ];
}

/** `1 h 2 min`, `2.5 s`; a person plans with it, so nothing below a tenth of a second is reported. */
export function durationText(ms: number | null): string {
  if (ms === null) return UNBOUNDED;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1_000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function needs(outline: Outline): string[] {
  const { environments, roles, inputs, sends, changesState, hazardous, questions, transfers } = outline;
  const effect = !sends ? 'sends nothing' : changesState ? 'changes the state' : 'sends, and changes nothing';
  return [
    ...roles.map(({ name, platform }) => `target  ${name}: ${platform}`),
    ...inputs.map((input) => `input   ${inputText(input)}`),
    ...(environments === undefined ? [] : [`only in ${environments.join(', ')}`]),
    ...hazardous.map(({ path, telecommand }) => `hazard  ${telecommand} in ${path}`),
    ...questions.map(({ path, prompt, role }) => `asks    "${prompt}"${whom(role)} in ${path}`),
    ...transfers.map(({ path, text }) => `moves   ${text} in ${path}`),
    `effect  ${effect}`,
  ];
}

function inputText({ name, type, description, default: preset }: OutlineInput): string {
  const usual = preset === undefined ? '' : `, else ${preset === null ? 'none' : String(preset)}`;
  return `${name}: ${type}${usual}${description === undefined ? '' : `  (${description})`}`;
}

function whom(role: string | undefined): string {
  return role === undefined ? '' : ` of a ${role}`;
}

/** Durations stand in a column of their own, in front. */
function table(lines: readonly OutlineLine[]): string[] {
  const durations = lines.map(({ longestMs }) => durationText(longestMs));
  const width = Math.max(0, ...durations.map((text) => text.length));
  return lines.map(
    (line, index) => `${durations[index]!.padStart(width)}  ${'  '.repeat(line.depth)}${words(line)}`,
  );
}

function words(line: OutlineLine): string {
  if (line.kind === 'statement') return line.text;
  const head = line.kind === 'step' ? `step ${line.text}` : line.text;
  const { attempts, delayMs } = line;
  if (attempts < 2) return head;
  const pause = delayMs > 0 ? `, ${durationText(delayMs)} apart` : '';
  return `${head}  (${attempts} attempts${pause})`;
}
