/**
 * One battery of the simulated spacecraft: charge, voltage under load, temperature, heater. A model of the right size
 * and sign, no more.
 *
 * B1. In a healthy flight the voltage stays inside 6.8 V to 8.3 V: only the fault `cell_drain` leaves it.
 */

const CAPACITY_MAH = 2_600;
/** Two lithium-ion cells in series: empty, and the span up to full. */
const EMPTY_MV = 6_900;
const SPAN_MV = 1_300;
const RESISTANCE_OHM = 0.12;
const HEATER_CURRENT_MA = 180;
/** degC that a battery settles at in the sun and in the shadow, and with its heater on above that. */
const SUN_DEGC = 18;
const SHADOW_DEGC = -4;
const HEATER_DEGC = 14;
const TIME_CONSTANT_S = 900;
/** The heater goes off this much above the temperature at which it goes on. */
const HYSTERESIS_DEGC = 1;
/** A shorted cell: V lost per second, the most it can take away, and V regained per second once it is cured. */
const DRAIN_MV_PER_S = 60;
const DRAIN_LIMIT_MV = 1_800;
const RECOVERY_MV_PER_S = 120;

export class Battery {
  /** degC below which the heater is on. */
  heaterOnBelow = 0;
  draining = false;
  heating = false;
  temperatureDegC = 12;
  currentMa = 0;
  #charge = 0.8;
  #lostMv = 0;

  /** Advances by `seconds` with a current into the battery (negative: out of it); its heater needs power to work. */
  advance(seconds: number, offeredMa: number, sunlit: boolean, heaterPowered: boolean): void {
    this.#switchHeater(heaterPowered);
    const full = this.#charge >= 1 && offeredMa > 0;
    this.currentMa = (full ? 0 : offeredMa) - (this.heating ? HEATER_CURRENT_MA : 0);
    this.#charge += (this.currentMa * seconds) / 3600 / CAPACITY_MAH;
    this.#charge = Math.min(1, Math.max(0, this.#charge));
    this.#drain(seconds);
    const settled = (sunlit ? SUN_DEGC : SHADOW_DEGC) + (this.heating ? HEATER_DEGC : 0);
    this.temperatureDegC += (settled - this.temperatureDegC) * -Math.expm1(-seconds / TIME_CONSTANT_S);
  }

  get voltageMv(): number {
    return EMPTY_MV + SPAN_MV * this.#charge + this.currentMa * RESISTANCE_OHM - this.#lostMv;
  }

  #switchHeater(powered: boolean): void {
    const off = this.heaterOnBelow + (this.heating ? HYSTERESIS_DEGC : 0);
    this.heating = powered && this.temperatureDegC < off;
  }

  #drain(seconds: number): void {
    const change = this.draining ? DRAIN_MV_PER_S * seconds : -RECOVERY_MV_PER_S * seconds;
    this.#lostMv = Math.min(DRAIN_LIMIT_MV, Math.max(0, this.#lostMv + change));
  }
}
