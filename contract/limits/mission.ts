/** Documents of a mission, and what the compiler says of them. */

/** Characters of a mission document: fifty thousand measures, each with a description, have some ten million. */
export const DOCUMENT_CHARACTERS = 16 * 1024 * 1024;
/** Collections and keys within one another in a mission document: steps, `PROGRAM_DEPTH` of them, need half of it. */
export const DOCUMENT_NESTING = 256;
/** Entries of one mapping or list of a document: twice the measures of the largest component. */
export const DOCUMENT_ENTRIES = 20_000;
/** Characters of one text of a document: a description of four pages, or an argument of bytes. */
export const DOCUMENT_TEXT_CHARACTERS = 16 * 1024;
/** Faults of one compilation that are listed; how many more there are is said. */
export const DOCUMENT_FAULTS_LISTED = 1_000;
