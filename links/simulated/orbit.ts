/** Sun and shadow of a low orbit: 95 minutes, 35 of them in the shadow of the Earth. Enough to make a battery work. */

export const ORBIT_S = 95 * 60;
const SHADOW_S = 35 * 60;

/** Whether the spacecraft is in sunlight, `elapsedS` after it came out of the shadow. */
export function isSunlit(elapsedS: number): boolean {
  return elapsedS % ORBIT_S < ORBIT_S - SHADOW_S;
}
