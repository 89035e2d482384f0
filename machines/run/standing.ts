/**
 * What a run is doing as a whole, and which way it goes through its steps. Mission Control Service, section 3.2. Part
 * of its progress.
 */

/** What the run is doing as a whole. */
export type Standing =
  | { readonly kind: 'going' }
  /** A choice to be applied to the open node at this depth, or to the next one when it is not open yet. */
  | {
      readonly kind: 'verdict';
      readonly choice: 'replay' | 'skip' | 'fail';
      readonly depth: number;
      readonly reason: string;
    }
  /** A decision must be asked. */
  | { readonly kind: 'doubt'; readonly reason: string }
  /** It was asked, by the event of this number. */
  | { readonly kind: 'deciding'; readonly reason: string; readonly question: number }
  /** `deciding`: why a decision was asked that the suspension put off; null when none was. */
  | {
      readonly kind: 'suspended';
      readonly deciding: string | null;
      /** Number of the event that says so, and who suspended it. */
      readonly since: number;
      readonly by: string;
    }
  /** Ends failed, and nothing else runs. */
  | { readonly kind: 'ending'; readonly reason: string }
  | { readonly kind: 'over' };

/** Which way through the steps. */
export type Course =
  | { readonly kind: 'forward' }
  /** Ends open nodes until `depth` of them are open, and begins the last of those again. */
  | { readonly kind: 'retry'; readonly depth: number; readonly reason: string }
  /** Looks outward for an `if failed` block. */
  | { readonly kind: 'failing' }
  /** The block has run: ends everything. */
  | { readonly kind: 'closing' };
