import type { DecodingTerm } from '../../links/decoding-term.ts';

/** Of the first owner of a decoder that there is: nothing is stored before. */
export const firstTerm: Pick<DecodingTerm, 'storedBefore'> = { storedBefore: async () => 0 };
