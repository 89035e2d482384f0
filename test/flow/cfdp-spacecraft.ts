/** What the spacecraft of `cfdp-spacecraft.fixture.ts` and the mission of its test have in common. */

export const CFDP_APID = 0x75;
export const TC_APID = 0x74;

/** The same for the same size, anywhere. */
export function fileBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 2_654_435_761) >>> 24;
  return bytes;
}
