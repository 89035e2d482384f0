/** A part of the page; it asks for nothing while it is not seen. */
export interface FleetPart {
  view(): unknown;
  shown(): void;
  left(): void;
}
