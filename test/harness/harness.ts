/**
 * What the package exports as `open-mission-control/harness`: a state chart driven by hand, explored, and held against
 * a transition table. See docs/harness.md.
 */

export { Driven, drive, type EffectOf, type EventOf, type RecordOf, restore } from './drive.ts';
export { type Edge, Explored, explore, type Path, type Step } from './explore.ts';
export type { Saved } from './saved.ts';
export type { StateName } from './state-name.ts';
export { type Row, type Walked, walkTable } from './transition-table.ts';
