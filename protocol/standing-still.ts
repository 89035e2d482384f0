/**
 * Whether a stream that stands still ends in whole packets: evidence that what waits before them is noise, and not a
 * packet whose rest is on its way.
 */

/**
 * Whether from some place on the `length` bytes are packets without a gap to their end. `sizeAt`: the size of a whole
 * packet at a place, 0 where none begins. Each place is looked at once.
 */
export function endsInPackets(length: number, sizeAt: (at: number) => number): boolean {
  for (let at = length - 1; at >= 0; at -= 1) {
    const size = sizeAt(at);
    if (size > 0 && at + size === length) return true;
  }
  return false;
}
