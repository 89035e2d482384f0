/** Results as a table for a terminal: one block per row, the service first, each ceiling with what is reached of it. */

import type { Aim, Figure, Result } from './row.ts';
import type { Spread } from './spread.ts';

const HEAD = [
  '',
  'rate',
  '[least … most]',
  'CPU us/op',
  'bus us/op',
  'p50 ms',
  'p99 ms',
  'generator',
  'share by rate',
  'by CPU',
];

/** The table; a row that missed its aim says so. */
export function tableOf(results: readonly Result[]): string {
  return results.map(blockOf).join('\n\n');
}

function blockOf({ row, unit, note, figures, aim, met }: Result): string {
  const cells = [HEAD, ...figures.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const used = widths.map((_, column) => cells.slice(1).some((line) => line[column] !== ''));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .filter((_, column) => used[column])
      .join('  '),
  );
  const verdict = aim === undefined ? '' : `  aim: ${aimText(aim)}: ${met ? 'met' : 'MISSED'}`;
  return [
    `${row} (${unit})${note === undefined ? '' : `: ${note}`}`,
    ...lines.map((line) => `  ${line}`),
    verdict,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function cellsOf({ name, rate, cpuUs, busUs, p50Ms, p99Ms, generator, valid, share }: Figure): string[] {
  return [
    valid ? name : `${name} (INVALID)`,
    short(rate.median),
    `[${short(rate.least)} … ${short(rate.most)}]`,
    median(cpuUs),
    median(busUs),
    median(p50Ms),
    median(p99Ms),
    generator === undefined ? '' : generator.toFixed(2),
    shareText(share?.rate),
    shareText(share?.cpu),
  ];
}

function aimText(aim: Aim): string {
  return 'rate' in aim ? `${short(aim.rate)}` : `${aim.share} of ${aim.of} by ${aim.by}`;
}

function shareText(share: Spread | undefined): string {
  if (share === undefined || !Number.isFinite(share.median)) return '';
  return `${share.median.toFixed(2)} [${share.least.toFixed(2)} … ${share.most.toFixed(2)}]`;
}

function median(spread: Spread | undefined): string {
  return spread === undefined || !Number.isFinite(spread.median) ? '' : short(spread.median);
}

function short(number: number): string {
  if (number >= 1_000_000) return `${(number / 1_000_000).toFixed(2)}M`;
  if (number >= 10_000) return `${(number / 1_000).toFixed(1)}k`;
  if (number >= 100) return number.toFixed(0);
  return number >= 1 ? number.toFixed(1) : number.toFixed(3);
}
