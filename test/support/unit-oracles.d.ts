/** The parts of two unit libraries that the tests compare our table with; neither comes with types. */

declare module 'js-quantities' {
  interface Quantity {
    to(unit: string): Quantity;
    readonly scalar: number;
  }
  export default function Qty(quantity: string): Quantity;
}

declare module 'unitmath/es/UnitMath.js' {
  interface Unit {
    to(unit: string): Unit;
    getValue(): number;
  }
  export default function unit(quantity: string): Unit;
}
